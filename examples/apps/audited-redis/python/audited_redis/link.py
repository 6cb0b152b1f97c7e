"""The way to the front: connecting, and the hello of both sides."""

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
    """A connection on which the front knows who we are."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    store: bytes
    last: int
    """The number of our last command in the log."""


def address(front: str) -> tuple[str, int]:
    """`host:port` in its two parts."""
    host, colon, port = front.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadInput(f"{front!r} is no address of a front; one looks like 127.0.0.1:7379")
    return host.removeprefix("[").removesuffix("]"), int(port)


async def greet(front: str, key: Key, store: bytes | None, until: float) -> Link:
    """Connects and proves who we are; the front must have this store, if one is given."""
    host, port = address(front)
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout_at(until):
            reader, writer = await asyncio.open_connection(host, port)
            _tune(writer)
            return await _greet(front, key, store, reader, writer)
    except BaseException as error:
        if writer is not None:
            writer.transport.abort()
        if isinstance(error, TimeoutError):
            raise Unreachable(f"{front}: no front answers there in time") from None
        if isinstance(error, EOFError):
            raise Unreachable(f"{front}: what answers there hung up") from None
        if isinstance(error, OSError):
            raise Unreachable(f"{front}: {error}; is the front running?") from None
        if isinstance(error, Malformed):
            raise BadFront("BAD_FRAME", f"{front}: {error}; that is no front") from None
        raise


async def _greet(
    front: str, key: Key, store: bytes | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Link:
    writer.write(MAGIC + key.public)
    if await reader.readexactly(len(MAGIC)) != MAGIC:
        raise BadFront("NO_FRONT", f"{front}: what answers there is no front; check the port")
    found, challenge = await reader.readexactly(32), await reader.readexactly(32)
    if store is not None and found != store:
        raise BadFront("OTHER_STORE", f"{front}: it has the store {found.hex()}, which is not the expected one")
    writer.write(key.sign(hello(found, challenge, key.public)))
    frame = await read_frame(reader, MAX_WELCOME)
    if isinstance(frame, Welcome):
        return Link(reader, writer, found, frame.last)
    if isinstance(frame, Refusal):
        raise refused(frame)
    raise BadFront("BAD_ORDER", f"{front}: an answer to a command that was never sent")


def refused(frame: Refusal) -> Failure:
    """What a refusal says."""
    try:
        error = parse_reply(frame.reply)
    except Malformed as reason:
        return BadFront("BAD_REPLY", f"the front refuses with what is no error of RESP2: {reason}")
    if not isinstance(error, RedisError):
        return BadFront("BAD_REPLY", "the front refuses with what is no error")
    return Refused(error.code, error.message, frame.sequence)


def _tune(writer: asyncio.StreamWriter) -> None:
    connection: socket.socket = writer.get_extra_info("socket")
    # Without the first answers are slower, without the second a dead front is noticed late; neither is wrong.
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
