"""The connection to the front and its handshake."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import dataclass

from .failure import BadFront, BadInput, Failure, RedisError, Refused, Unreachable
from .keys import Key
from .resp import Malformed, parse_reply
from .wire import MAGIC, MAX_WELCOME, Refusal, Welcome, hello, read_frame


@dataclass(frozen=True, slots=True)
class Link:
    """An authenticated connection to the front."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    store: bytes
    last: int
    """Sequence number of the client's last command in the log."""


def address(front: str) -> tuple[str, int]:
    """Splits `host:port`."""
    host, colon, port = front.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadInput(f"expected an address such as 127.0.0.1:7379, got {front!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


async def open_link(front: str, key: Key, store: bytes | None, until: float) -> Link:
    """Connects and authenticates the client; the front must have `store`, unless it is None."""
    host, port = address(front)
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout_at(until):
            reader, writer = await asyncio.open_connection(host, port)
            _tune(writer)
            return await _handshake(front, key, store, reader, writer)
    except BaseException as error:
        if writer is not None:
            writer.transport.abort()
        if isinstance(error, TimeoutError):
            raise Unreachable(f"{front}: no answer within the time limit") from None
        if isinstance(error, EOFError):
            raise Unreachable(f"{front}: the server closed the connection") from None
        if isinstance(error, OSError):
            raise Unreachable(f"{front}: {error}; is the front running?") from None
        if isinstance(error, Malformed):
            raise BadFront("BAD_FRAME", f"{front}: {error}; the server is not a front") from None
        raise


async def _handshake(
    front: str, key: Key, store: bytes | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Link:
    writer.write(MAGIC + key.public)
    if await reader.readexactly(len(MAGIC)) != MAGIC:
        raise BadFront("NO_FRONT", f"{front}: the server is not a front; check the port")
    found, challenge = await reader.readexactly(32), await reader.readexactly(32)
    if store is not None and found != store:
        raise BadFront("OTHER_STORE", f"{front}: expected store {store.hex()}, got {found.hex()}")
    writer.write(key.sign(hello(found, challenge, key.public)))
    frame = await read_frame(reader, MAX_WELCOME)
    if isinstance(frame, Welcome):
        return Link(reader, writer, found, frame.last)
    if isinstance(frame, Refusal):
        raise refused(frame)
    raise BadFront("BAD_ORDER", f"{front}: unexpected answer before the welcome")


def refused(frame: Refusal) -> Failure:
    """Converts a refusal to a failure."""
    try:
        error = parse_reply(frame.reply)
    except Malformed as reason:
        return BadFront("BAD_REPLY", f"the refusal is not a RESP2 error: {reason}")
    if not isinstance(error, RedisError):
        return BadFront("BAD_REPLY", "the refusal is not a RESP2 error")
    return Refused(error.code, error.message, frame.sequence)


def _tune(writer: asyncio.StreamWriter) -> None:
    connection: socket.socket = writer.get_extra_info("socket")
    # Both are optional: TCP_NODELAY makes answers faster, and SO_KEEPALIVE detects a dead front.
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
