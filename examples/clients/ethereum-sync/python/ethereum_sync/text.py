"""Encoding of values in the beacon API's JSON: integers as decimal strings, bytes as hexadecimal with `0x`.

A `Reader` turns a JSON value into a Python value or raises `Wrong`; readers are put together from smaller ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
Reader = Callable[[Any], T]

# No group is repeated here: a regular expression remembers each repetition, of millions.
HEX = re.compile(r"[0-9a-fA-F]*", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
DIGITS = re.compile(r"[0-9]+", re.ASCII)


class Wrong(Exception):
    """The JSON value is none of what is wanted."""


def string(value: Any) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise Wrong(f"a string is expected, not {type(value).__name__}")
    # JSON can escape halves of surrogate pairs, which are no Unicode text: nothing can be printed that has them.
    if SURROGATE.search(value):
        raise Wrong("a string is expected, not half of a surrogate pair")
    return value


def number(value: Any, bits: int = 64) -> int:
    """A decimal string."""
    text = string(value)
    # No integer of 256 bits has more digits, and Python refuses to read very many.
    if DIGITS.fullmatch(text) and len(text) <= 100 and (found := int(text)) < 1 << bits:
        return found
    raise Wrong(f"{excerpt(text)} is no unsigned integer of {bits} bits")


def number_256(value: Any) -> int:
    """A decimal string of up to 256 bits."""
    return number(value, 256)


def any_bytes(value: Any) -> bytes:
    """Bytes of any length."""
    text = string(value)
    digits = text.removeprefix("0x")
    if len(digits) % 2 or not HEX.fullmatch(digits):
        raise Wrong(f"{excerpt(text)} is no hexadecimal text")
    return bytes.fromhex(digits)


def bytes_of(length: int) -> Reader[bytes]:
    """Bytes of a fixed length."""

    def read(value: Any) -> bytes:
        # Checks the length first, to avoid decoding oversized input.
        if len(string(value).removeprefix("0x")) != 2 * length:
            raise Wrong(f"{excerpt(value)} is no hexadecimal text of {length} bytes")
        return any_bytes(value)

    return read


def list_of(item: Reader[T]) -> Reader[list[T]]:
    """A list."""

    def read(value: Any) -> list[T]:
        if not isinstance(value, list):
            raise Wrong(f"a list is expected, not {type(value).__name__}")
        return [item(one) for one in value]

    return read


def optional(item: Reader[T]) -> Reader[T | None]:
    """An optional value: null or absent."""
    return lambda value: None if value is None else item(value)


def field(value: Any, name: str, read: Reader[T]) -> T:
    """A field of an object; an absent one reads as null."""
    if not isinstance(value, dict):
        raise Wrong(f"an object is expected, not {type(value).__name__}")
    if name not in value:
        try:
            return read(None)
        except Wrong:
            raise Wrong(f"missing field `{name}`") from None
    try:
        return read(value[name])
    except Wrong as wrong:
        raise Wrong(f"{name}: {wrong}") from None


def excerpt(text: str) -> str:
    """The beginning of a long text."""
    return f'"{text[:20]}…"' if len(text) > 20 else f'"{text}"'


def shown(data: bytes) -> str:
    """As the beacon API writes bytes."""
    return f"0x{data.hex()}"
