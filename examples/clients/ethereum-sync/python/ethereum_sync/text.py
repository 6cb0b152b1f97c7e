"""Encoding of values in the beacon API's JSON: integers as decimal strings, bytes as hexadecimal with `0x`.

A `Reader` converts a JSON value into a Python value or raises `InvalidValue`; functions such as `list_of` combine readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
Reader = Callable[[Any], T]

# Avoids a repeated group: the regular expression engine records each of millions of repetitions.
HEX = re.compile(r"[0-9a-fA-F]*", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
DIGITS = re.compile(r"[0-9]+", re.ASCII)


class InvalidValue(Exception):
    """A JSON value of an unexpected type or form."""


def string(value: Any) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise InvalidValue(f"expected a string, got {type(value).__name__}")
    # JSON can escape halves of surrogate pairs. They are no Unicode text and cannot be printed.
    if SURROGATE.search(value):
        raise InvalidValue("expected a string, got half of a surrogate pair")
    return value


def number(value: Any, bits: int = 64) -> int:
    """A decimal string."""
    text = string(value)
    # No integer of 256 bits has more than 78 digits, and Python refuses to convert very long texts.
    if DIGITS.fullmatch(text) and len(text) <= 100 and (found := int(text)) < 1 << bits:
        return found
    raise InvalidValue(f"expected an unsigned integer of {bits} bits, got {excerpt(text)}")


def number_256(value: Any) -> int:
    """A decimal string of up to 256 bits."""
    return number(value, 256)


def any_bytes(value: Any) -> bytes:
    """Bytes of any length."""
    text = string(value)
    digits = text.removeprefix("0x")
    if len(digits) % 2 or not HEX.fullmatch(digits):
        raise InvalidValue(f"expected hexadecimal digits, got {excerpt(text)}")
    return bytes.fromhex(digits)


def bytes_of(length: int) -> Reader[bytes]:
    """Bytes of a fixed length."""

    def read(value: Any) -> bytes:
        # Checks the length first, to avoid decoding oversized input.
        if len(string(value).removeprefix("0x")) != 2 * length:
            raise InvalidValue(f"expected {length} bytes in hexadecimal, got {excerpt(value)}")
        return any_bytes(value)

    return read


def list_of(item: Reader[T]) -> Reader[list[T]]:
    """A list."""

    def read(value: Any) -> list[T]:
        if not isinstance(value, list):
            raise InvalidValue(f"expected a list, got {type(value).__name__}")
        return [item(one) for one in value]

    return read


def optional(item: Reader[T]) -> Reader[T | None]:
    """An optional value: null or absent."""
    return lambda value: None if value is None else item(value)


def field(value: Any, name: str, read: Reader[T]) -> T:
    """A field of an object; an absent one reads as null."""
    if not isinstance(value, dict):
        raise InvalidValue(f"expected an object, got {type(value).__name__}")
    if name not in value:
        try:
            return read(None)
        except InvalidValue:
            raise InvalidValue(f"missing field `{name}`") from None
    try:
        return read(value[name])
    except InvalidValue as wrong:
        raise InvalidValue(f"{name}: {wrong}") from None


def excerpt(text: str) -> str:
    """Returns the beginning of a text, in quotes."""
    return f'"{text[:20]}…"' if len(text) > 20 else f'"{text}"'


def to_hex(data: bytes) -> str:
    """Encodes bytes as the beacon API does."""
    return f"0x{data.hex()}"
