"""The part of RESP2 that a client needs: the canonical encoding of commands, and a bounded parser of replies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .failure import BadInput, RedisError

Word = str | bytes | bytearray | memoryview | int
"""A word of a command. Text is encoded as UTF-8, an integer in decimal."""
Reply = str | int | bytes | None | RedisError | list["Reply"]
"""Redis' reply: a simple string is `str`, a bulk string `bytes`, and a null None."""

MAX_COMMAND = 8 << 20
MAX_ARGUMENTS = 1 << 16
MAX_DEPTH = 32
MAX_LINE = 1 << 16
MAX_ITEMS = 1 << 20
"""Maximum number of items in a reply: one may take three bytes on the wire and a hundred in memory."""

_INTEGER = re.compile(rb"[+-]?[0-9]{1,19}")
_LENGTH = re.compile(rb"[0-9]{1,19}")


class Malformed(ValueError):
    """Malformed bytes."""


def encode_command(words: Sequence[Word]) -> bytes:
    """Encodes a command: the bytes that are signed, logged and sent to Redis."""
    if not 1 <= len(words) <= MAX_ARGUMENTS:
        raise BadInput(f"expected 1 to {MAX_ARGUMENTS} words in a command, got {len(words)}")
    parts, size = [b"*%d\r\n" % len(words)], 0
    for word in words:
        data = _bytes(word)
        size += len(data) + 16
        if size > MAX_COMMAND:
            break
        parts += b"$%d\r\n" % len(data), data, b"\r\n"
    encoded = b"".join(parts)
    if size > MAX_COMMAND or len(encoded) > MAX_COMMAND:
        raise BadInput(f"the command exceeds {MAX_COMMAND} bytes; split it")
    return encoded


def _bytes(word: Word) -> bytes:
    if isinstance(word, str):
        return word.encode()
    if isinstance(word, int) and not isinstance(word, bool):
        return b"%d" % word
    if isinstance(word, (bytes, bytearray, memoryview)):
        return bytes(word)
    raise TypeError(f"expected str, bytes or int as a word of a command, got {type(word).__name__}")


def parse_reply(data: bytes) -> Reply:
    """Parses a reply that fills `data` exactly."""
    at, items = 0, 0
    open_arrays: list[tuple[list[Reply], int]] = []  # with the number of items of each
    while True:
        end = data.find(b"\r\n", at, at + MAX_LINE + 2)
        if end <= at:
            raise Malformed("a line is empty, truncated or too long")
        kind, text, at = data[at : at + 1], data[at + 1 : end], end + 2
        items += 1
        if items > MAX_ITEMS:
            raise Malformed(f"more than {MAX_ITEMS} items")
        value: Reply
        if kind == b"+":
            value = text.decode(errors="replace")
        elif kind == b"-":
            value = RedisError(text.decode(errors="replace"))
        elif kind == b":":
            value = _integer(text)
        elif kind in (b"$", b"*") and text == b"-1":
            value = None
        elif kind == b"$":
            last = at + _length(text)
            if data[last : last + 2] != b"\r\n":
                raise Malformed("a bulk string does not have its stated length")
            value, at = data[at:last], last + 2
        elif kind == b"*":
            if len(open_arrays) >= MAX_DEPTH:
                raise Malformed(f"arrays are nested more than {MAX_DEPTH} deep")
            count, array = _length(text), list[Reply]()
            if count > 0:
                open_arrays.append((array, count))
                continue
            value = array
        else:
            raise Malformed("unknown type of reply")
        while open_arrays:
            array, count = open_arrays[-1]
            array.append(value)
            if len(array) < count:
                break
            open_arrays.pop()
            value = array
        else:
            if at != len(data):
                raise Malformed("trailing bytes after the reply")
            return value


def _integer(text: bytes) -> int:
    if not _INTEGER.fullmatch(text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise Malformed("an integer is malformed or exceeds 64 bits")
    return int(text)


def _length(text: bytes) -> int:
    if not _LENGTH.fullmatch(text):
        raise Malformed("a length is malformed")
    return int(text)
