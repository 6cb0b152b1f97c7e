"""HTTP with untrusted servers: every response has a deadline and a maximum size, and redirects are not followed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit

MAX_LINE = 64 << 10
MAX_HEADERS = 64
MAX_PIECE = 1 << 19
MAX_PIECES = 1 << 16
KEEP_ALIVE = 10.0  # a validator sends a keep-alive line at least this often
CODE = re.compile(r"[A-Z_]{1,32}")


class Lost(Exception):
    """A failed request. This is no evidence of a fault: the validator may be down, busy or slow."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Link:
    """A validator's HTTP interface. Requests are sent one at a time over a persistent connection."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url, self.timeout = url, timeout
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is not a validator's address; write it like http://127.0.0.1:8100")
        self.tls = parts.scheme == "https"
        self.host, self.port = parts.hostname, parts.port or (443 if self.tls else 80)
        self.name, self.path = parts.netloc, parts.path.rstrip("/")
        self.idle: Connection | None = None

    async def get(self, path: str, max_bytes: int, wait: float = 0) -> Any:
        """Returns the JSON of a response of at most `max_bytes` bytes."""
        return await self.ask("GET", path, b"", max_bytes, wait)

    async def post(self, path: str, body: bytes, max_bytes: int) -> Any:
        return await self.ask("POST", path, body, max_bytes, 0)

    async def ask(self, method: str, path: str, body: bytes, max_bytes: int, wait: float) -> Any:
        async with deadline(self.timeout + wait):
            idle, self.idle = self.idle, None
            if idle and not idle.reader.at_eof() and method == "GET":
                try:
                    return await self.exchange(idle, method, path, body, max_bytes)
                except (OSError, EOFError):
                    pass  # closed while idle; a new connection shows whether the validator is up
            return await self.exchange(await self.connect(), method, path, body, max_bytes)

    async def exchange(self, connection: Connection, method: str, path: str, body: bytes, max_bytes: int) -> Any:
        reusable = False
        try:
            connection.request(method, self.path + path, self.name, body)
            status, headers = await connection.head()
            content = await connection.body(headers, max_bytes)
            reusable = headers.get("connection", "").lower() != "close"
        finally:
            if reusable:
                self.idle = connection
            else:
                connection.close()
        if status not in (200, 202):
            raise Lost(refusal(content), f"unexpected status HTTP {status}")
        return parsed(content)

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """Yields the lines of an endless stream. Each line must be complete before its deadline."""
        async with deadline(self.timeout):
            connection = await self.connect()
        try:
            async with deadline(self.timeout):
                connection.request("GET", self.path + path, self.name, b"")
                status, headers = await connection.head()
                if status != 200:
                    raise Lost("REFUSED", f"unexpected status HTTP {status}")
            rest = bytearray()
            while True:
                piece = b""
                async with deadline(self.timeout + KEEP_ALIVE):
                    while b"\n" not in piece:
                        if len(rest) > MAX_LINE:
                            raise Lost("TOO_LARGE", f"line too long: more than {MAX_LINE} bytes")
                        if not (piece := await connection.piece(headers)):
                            raise Lost("ENDED", "the stream ended")
                        rest += piece
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    yield bytes(line.rstrip(b"\r"))
        finally:
            connection.close()

    async def connect(self) -> Connection:
        streams = await asyncio.open_connection(self.host, self.port, limit=MAX_LINE, ssl=self.tls or None)
        return Connection(*streams)

    def close(self) -> None:
        if self.idle:
            self.idle.close()


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
            raise Lost("UNREACHABLE", "not an HTTP/1.1 server")
        headers: dict[str, str] = {}
        for _ in range(MAX_HEADERS):
            name, _, value = (await self.line()).partition(":")
            if not name:
                return int(first[1]), headers
            headers[name.lower()] = value.strip()
        raise Lost("TOO_LARGE", f"too many headers: more than {MAX_HEADERS}")

    async def line(self) -> str:
        try:
            return (await self.reader.readuntil(b"\n")).decode("latin-1").rstrip("\r\n")
        except asyncio.LimitOverrunError:
            raise Lost("TOO_LARGE", f"line too long: more than {MAX_LINE} bytes") from None

    async def body(self, headers: dict[str, str], max_bytes: int) -> bytes:
        length = headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,15}", length):
            return await self.pieces(headers, max_bytes)
        if int(length) > max_bytes:
            raise Lost("TOO_LARGE", f"response too large: at most {max_bytes} bytes, got {int(length)}")
        try:
            return await self.reader.readexactly(int(length))
        except asyncio.IncompleteReadError as error:
            raise Lost("TRUNCATED", f"truncated response: ended after {len(error.partial)} of {int(length)} bytes") from None

    async def pieces(self, headers: dict[str, str], max_bytes: int) -> bytes:
        found, pieces = bytearray(), 0
        while piece := await self.piece(headers):
            found += piece
            pieces += 1
            if len(found) > max_bytes:
                raise Lost("TOO_LARGE", f"response too large: more than {max_bytes} bytes")
            if pieces > MAX_PIECES:
                raise Lost("TOO_LARGE", f"response too large: more than {MAX_PIECES} pieces")
        return bytes(found)

    async def piece(self, headers: dict[str, str]) -> bytes:
        """Returns the next bytes of a body of unknown length; empty at its end."""
        await asyncio.sleep(0)  # buffered data is read without a pause, but deadlines and other tasks need one
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return await self.reader.read(MAX_LINE)
        size = await self.line()
        if not re.fullmatch("[0-9a-fA-F]{1,5}", size) or int(size, 16) > MAX_PIECE:
            raise Lost("TOO_LARGE", f"chunk too large: more than {MAX_PIECE} bytes")
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
