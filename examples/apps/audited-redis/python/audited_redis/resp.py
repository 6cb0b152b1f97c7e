"""RESP2, as far as a client needs it: the one encoding of a command, and replies with caps and without recursion."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .failure import BadInput, RedisError

Word = str | bytes | bytearray | memoryview | int
"""A part of a command; text is UTF-8, a number decimal."""
Reply = str | int | bytes | None | RedisError | list["Reply"]
"""What Redis answered: a simple string is `str`, a bulk string `bytes`, and what is not there None."""

MAX_COMMAND = 8 << 20
MAX_ARGUMENTS = 1 << 16
MAX_DEPTH = 32
MAX_LINE = 1 << 16
MAX_ITEMS = 1 << 20
"""An item may take three bytes on the way and a hundred here."""

_INTEGER = re.compile(rb"[+-]?[0-9]{1,19}")
_LENGTH = re.compile(rb"[0-9]{1,19}")


class Malformed(ValueError):
    """Bytes that are not what they should be."""


def encode_command(words: Sequence[Word]) -> bytes:
    """The bytes that are signed, logged, and sent to Redis."""
    if not 1 <= len(words) <= MAX_ARGUMENTS:
        raise BadInput(f"a command has 1 to {MAX_ARGUMENTS} words, not {len(words)}")
    parts, size = [b"*%d\r\n" % len(words)], 0
    for word in words:
        data = _bytes(word)
        size += len(data) + 16
        if size > MAX_COMMAND:
            break
        parts += b"$%d\r\n" % len(data), data, b"\r\n"
    encoded = b"".join(parts)
    if size > MAX_COMMAND or len(encoded) > MAX_COMMAND:
        raise BadInput(f"a command has at most {MAX_COMMAND} bytes; divide it")
    return encoded


def _bytes(word: Word) -> bytes:
    if isinstance(word, str):
        return word.encode()
    if isinstance(word, int) and not isinstance(word, bool):
        return b"%d" % word
    if isinstance(word, (bytes, bytearray, memoryview)):
        return bytes(word)
    raise TypeError(f"a word of a command is str, bytes or int, not {type(word).__name__}")


def parse_reply(data: bytes) -> Reply:
    """Reads a reply that fills `data` exactly."""
    at, items = 0, 0
    open_arrays: list[tuple[list[Reply], int]] = []  # with how many items each must have
    while True:
        end = data.find(b"\r\n", at, at + MAX_LINE + 2)
        if end <= at:
            raise Malformed("a line is empty, cut short or too long")
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
                raise Malformed("a bulk string does not end where it says")
            value, at = data[at:last], last + 2
        elif kind == b"*":
            if len(open_arrays) >= MAX_DEPTH:
                raise Malformed(f"arrays within arrays, more than {MAX_DEPTH} deep")
            wanted, array = _length(text), list[Reply]()
            if wanted > 0:
                open_arrays.append((array, wanted))
                continue
            value = array
        else:
            raise Malformed("an unknown kind of reply")
        while open_arrays:
            array, wanted = open_arrays[-1]
            array.append(value)
            if len(array) < wanted:
                break
            open_arrays.pop()
            value = array
        else:
            if at != len(data):
                raise Malformed("bytes after the reply")
            return value


def _integer(text: bytes) -> int:
    if not _INTEGER.fullmatch(text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise Malformed("a number that is none of 64 bits")
    return int(text)


def _length(text: bytes) -> int:
    if not _LENGTH.fullmatch(text):
        raise Malformed("a length that is no number")
    return int(text)
