"""A client's key file, as `audited-redis keygen` writes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from quorate import SecretKey

from .failure import BadInput

FIRST_LINE = b"quorate-audited-redis-key 1"
MAX_FILE = 4096


class Key:
    """A client's secret key. It is never printed, pickled or copied, and `close` wipes it."""

    __slots__ = ("_secret", "public")

    def __init__(self, secret: bytearray) -> None:
        """Takes ownership of the 32 bytes, which `close` wipes."""
        self._secret = secret
        with self.secret_key() as key:
            self.public: bytes = key.public_key().encode()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Key:
        """Reads a key file, which only its owner may read."""
        # Python does not wipe memory: the file is read into this buffer and parsed in place.
        buffer = bytearray(MAX_FILE + 1)
        try:
            with Path(path).open("rb", buffering=0) as file:
                if os.fstat(file.fileno()).st_mode & 0o077:
                    raise BadInput(f"{path}: other users can read it; run `chmod 600 {path}` first")
                size = 0
                while size < len(buffer) and (read := file.readinto(memoryview(buffer)[size:])):
                    size += read
            if size > MAX_FILE:
                raise BadInput(f"{path}: too large to be a key file; check the path")
            return _parsed(buffer, size, path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}; create a key file with `audited-redis keygen`") from None
        finally:
            _wipe(buffer)

    def secret_key(self) -> SecretKey:
        """Returns a signing key, which the caller must close."""
        if not self._secret:
            raise ValueError("the key was closed; load its file again")
        return SecretKey.from_bytes("ed25519", self._secret)

    def sign(self, data: bytes) -> bytes:
        """Signs `data` with Ed25519."""
        with self.secret_key() as key:
            return key.sign(data).encode()

    def close(self) -> None:
        """Wipes the secret. Signing fails afterwards."""
        _wipe(self._secret)
        self._secret = bytearray()

    def __repr__(self) -> str:
        return f"Key({self.public.hex()})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key cannot be pickled or copied; load its file instead")


def _parsed(buffer: bytearray, size: int, path: object) -> Key:
    lines = [line for line in _lines(buffer, size) if line[1] > 0 and buffer[line[0]] != ord("#")]
    if not lines or not _equals(buffer, lines[0], FIRST_LINE):
        raise BadInput(f"{path}: the first line is not `{FIRST_LINE.decode()}`; check the path")
    damaged = BadInput(f"{path}: malformed key file; restore it from a backup")
    if len(lines) != 3 or lines[1][1] != 7 + 64 or not buffer.startswith(b"secret ", lines[1][0]):
        raise damaged
    secret, start = bytearray(32), lines[1][0] + 7
    for place in range(64):
        digit = b"0123456789abcdefABCDEF".find(buffer[start + place])
        if digit < 0:
            _wipe(secret)
            raise damaged
        secret[place // 2] = (secret[place // 2] << 4 | (digit if digit < 16 else digit - 6)) & 0xFF
    key = Key(secret)
    if not _equals(buffer, lines[2], b"public " + key.public.hex().encode()):
        key.close()
        raise damaged
    return key


def _lines(buffer: bytearray, size: int) -> Iterator[tuple[int, int]]:
    """Yields the start and the length of each line."""
    start = 0
    while start < size:
        end = buffer.find(b"\n", start, size)
        end = size if end < 0 else end
        length = end - start
        yield start, length - 1 if length > 0 and buffer[end - 1] == ord("\r") else length
        start = end + 1


def _equals(buffer: bytearray, line: tuple[int, int], expected: bytes) -> bool:
    return line[1] == len(expected) and buffer.startswith(expected, line[0])


def _wipe(secret: bytearray) -> None:
    for place in range(len(secret)):
        secret[place] = 0
