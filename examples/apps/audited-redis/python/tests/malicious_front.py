"""A fake front whose connections follow a script, for protocol violations. It executes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from audited_redis.wire import MAGIC

STORE = bytes(range(32))


def frame(kind: int, *parts: int | bytes) -> bytes:
    """Encodes a frame to the client."""
    body = b"".join(part if isinstance(part, bytes) else part.to_bytes(8, "little") for part in parts)
    return (len(body) + 1).to_bytes(4, "little") + bytes([kind]) + body


def welcome(last: int = 0) -> bytes:
    return frame(0x81, last)


def executed(sequence: int, entry: int, reply: bytes = b"+OK\r\n") -> bytes:
    return frame(0x82, sequence, entry, reply)


def refusal(sequence: int, reply: bytes = b"-STALE sign it again\r\n") -> bytes:
    return frame(0x83, sequence, reply)


class Session:
    """A client's connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.announced: list[bytes] = []
        self.commands: list[bytes] = []

    async def accept(self, last: int = 0) -> None:
        """Performs the handshake and accepts every client."""
        await self.challenge()
        self.writer.write(welcome(last))

    async def challenge(self) -> None:
        await self.reader.readexactly(40)
        self.writer.write(MAGIC + STORE + bytes(32))
        await self.reader.readexactly(64)

    async def command(self) -> bytes:
        """Returns the next signed command, and records the announcements before it."""
        while True:
            body = await self.reader.readexactly(int.from_bytes(await self.reader.readexactly(4), "little"))
            if body[0] == 2:
                self.commands.append(body[1:])
                return body[1:]
            self.announced.append(body[1:])


class MaliciousFront:
    """Runs a script for each session; the last one serves all later sessions. `async with` yields the address."""

    def __init__(self, *scripts: Callable[[Session], Coroutine[Any, Any, None]]) -> None:
        self.scripts = list(scripts)
        self.sessions: list[Session] = []

    async def __aenter__(self) -> str:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        host, port = self.server.sockets[0].getsockname()
        return f"{host}:{port}"

    async def __aexit__(self, *error: object) -> None:
        self.server.close()
        for session in self.sessions:
            session.writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = Session(reader, writer)
        self.sessions.append(session)
        try:
            await self.scripts[min(len(self.sessions), len(self.scripts)) - 1](session)
        except (EOFError, OSError):
            pass  # the client closed the connection
        writer.close()
