"""HTTP with untrusted servers: every response has a deadline and a maximum size, and redirects are not followed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit

LONGEST_LINE = 64 << 10
MOST_HEADERS = 64
MOST_AT_ONCE = 1 << 19
MOST_PIECES = 1 << 16
ALIVE = 10.0  # a validator sends a keep-alive line at least this often
CODE = re.compile(r"[A-Z_]{1,32}")


class Lost(Exception):
    """A failed request. This is no evidence of a fault: the validator may be down, busy or slow."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Link:
    """A validator's HTTP interface. Requests are sent one at a time over a persistent connection."""

    def __init__(self, url: str, patience: float) -> None:
        self.url, self.patience = url, patience
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is not a validator's address; write it like http://127.0.0.1:8100")
        self.tls = parts.scheme == "https"
        self.host, self.port = parts.hostname, parts.port or (443 if self.tls else 80)
        self.name, self.path = parts.netloc, parts.path.rstrip("/")
        self.kept: Connection | None = None

    async def get(self, path: str, most: int, wait: float = 0) -> Any:
        """Returns the JSON of a response of at most `most` bytes."""
        return await self.ask("GET", path, b"", most, wait)

    async def post(self, path: str, body: bytes, most: int) -> Any:
        return await self.ask("POST", path, body, most, 0)

    async def ask(self, method: str, path: str, body: bytes, most: int, wait: float) -> Any:
        async with deadline(self.patience + wait):
            kept, self.kept = self.kept, None
            if kept and not kept.reader.at_eof() and method == "GET":
                try:
                    return await self.exchange(kept, method, path, body, most)
                except (OSError, EOFError):
                    pass  # closed while idle; a new connection shows whether the validator is up
            return await self.exchange(await self.connect(), method, path, body, most)

    async def exchange(self, connection: Connection, method: str, path: str, body: bytes, most: int) -> Any:
        keep = False
        try:
            connection.request(method, self.path + path, self.name, body)
            status, headers = await connection.head()
            content = await connection.body(headers, most)
            keep = headers.get("connection", "").lower() != "close"
        finally:
            if keep:
                self.kept = connection
            else:
                connection.close()
        if status not in (200, 202):
            raise Lost(refusal(content), f"answers with HTTP {status}")
        return parsed(content)

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """Yields the lines of an endless stream. Each line must be complete before its deadline."""
        async with deadline(self.patience):
            connection = await self.connect()
        try:
            async with deadline(self.patience):
                connection.request("GET", self.path + path, self.name, b"")
                status, headers = await connection.head()
                if status != 200:
                    raise Lost("REFUSED", f"answers with HTTP {status}")
            rest = bytearray()
            while True:
                piece = b""
                async with deadline(self.patience + ALIVE):
                    while b"\n" not in piece:
                        if len(rest) > LONGEST_LINE:
                            raise Lost("TOO_LARGE", f"a line above {LONGEST_LINE} bytes")
                        if not (piece := await connection.piece(headers)):
                            raise Lost("ENDED", "the stream ended")
                        rest += piece
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    yield bytes(line.rstrip(b"\r"))
        finally:
            connection.close()

    async def connect(self) -> Connection:
        streams = await asyncio.open_connection(self.host, self.port, limit=LONGEST_LINE, ssl=self.tls or None)
        return Connection(*streams)

    def close(self) -> None:
        if self.kept:
            self.kept.close()


class Connection:
    """The subset of HTTP/1.1 that validators use."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def close(self) -> None:
        self.writer.close()

    def request(self, method: str, path: str, host: str, body: bytes) -> None:
        head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\n"
        if method == "POST":
            head += f"content-type: application/octet-stream\r\ncontent-length: {len(body)}\r\n"
        self.writer.write(head.encode() + b"\r\n" + body)

    async def head(self) -> tuple[int, dict[str, str]]:
        first = (await self.line()).split(" ")
        if len(first) < 2 or not first[0].startswith("HTTP/1.") or not re.fullmatch("[0-9]{3}", first[1]):
            raise Lost("UNREACHABLE", "is not an HTTP/1.1 server")
        headers: dict[str, str] = {}
        for _ in range(MOST_HEADERS):
            name, _, value = (await self.line()).partition(":")
            if not name:
                return int(first[1]), headers
            headers[name.lower()] = value.strip()
        raise Lost("TOO_LARGE", f"more than {MOST_HEADERS} headers")

    async def line(self) -> str:
        try:
            return (await self.reader.readuntil(b"\n")).decode("latin-1").rstrip("\r\n")
        except asyncio.LimitOverrunError:
            raise Lost("TOO_LARGE", f"a line above {LONGEST_LINE} bytes") from None

    async def body(self, headers: dict[str, str], most: int) -> bytes:
        length = headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,15}", length):
            return await self.pieces(headers, most)
        if int(length) > most:
            raise Lost("TOO_LARGE", f"an answer of {int(length)} bytes instead of at most {most}")
        try:
            return await self.reader.readexactly(int(length))
        except asyncio.IncompleteReadError as error:
            raise Lost("TRUNCATED", f"a response that ends after {len(error.partial)} of {int(length)} bytes") from None

    async def pieces(self, headers: dict[str, str], most: int) -> bytes:
        found, pieces = bytearray(), 0
        while piece := await self.piece(headers):
            found += piece
            pieces += 1
            if len(found) > most:
                raise Lost("TOO_LARGE", f"a response of more than {most} bytes")
            if pieces > MOST_PIECES:
                raise Lost("TOO_LARGE", f"a response in more than {MOST_PIECES} pieces")
        return bytes(found)

    async def piece(self, headers: dict[str, str]) -> bytes:
        """Returns the next bytes of a body of unknown length; empty at its end."""
        await asyncio.sleep(0)  # buffered data is read without a pause, but deadlines and other tasks need one
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return await self.reader.read(LONGEST_LINE)
        size = await self.line()
        if not re.fullmatch("[0-9a-fA-F]{1,5}", size) or int(size, 16) > MOST_AT_ONCE:
            raise Lost("TOO_LARGE", f"a piece of more than {MOST_AT_ONCE} bytes")
        return (await self.reader.readexactly(int(size, 16) + 2))[:-2]


class deadline:
    """Converts network failures within a block of code to `Lost`."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.timeout = seconds, asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self.timeout.__aenter__()

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            await self.timeout.__aexit__(kind, error, traceback)
        except TimeoutError:
            raise Lost("TIMEOUT", f"no complete response within {self.seconds:g} s") from None
        if isinstance(error, EOFError):
            raise Lost("ENDED", "the connection ended") from None
        if isinstance(error, (OSError, UnicodeError)):
            raise Lost("UNREACHABLE", "no connection") from None


def parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None  # the caller reports the missing field


def refusal(content: bytes) -> str:
    """Returns the code of an error response, if it is well-formed: untrusted text is never printed unchecked."""
    answer = parsed(content)
    code = answer.get("code") if isinstance(answer, dict) else None
    return code if isinstance(code, str) and CODE.fullmatch(code) else "REFUSED"
