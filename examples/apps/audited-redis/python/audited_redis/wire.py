"""Frames between a client and the front, and the signed bytes, as SPEC.md specifies them."""

from __future__ import annotations

from asyncio import StreamReader
from dataclasses import dataclass

from .resp import Malformed

MAGIC = b"QAREDIS1"
MAX_REPLY = 134_217_792
"""Maximum size of a frame to the client."""
MAX_WELCOME = 4096
"""Maximum size of a frame to the client before the welcome."""
U64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Welcome:
    """Sequence number of the client's last command in the log, 0 if there is none."""

    last: int


@dataclass(frozen=True, slots=True)
class Executed:
    """Redis' reply to a command, and the number of its entry in the log."""

    sequence: int
    entry: int
    reply: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused command, which is not in the log and was not executed; sequence 0 refuses the connection."""

    sequence: int
    reply: bytes


def hello(store: bytes, challenge: bytes, public: bytes) -> bytes:
    """Returns the bytes that a client signs with Ed25519 to authenticate itself."""
    return b"quorate-v1-audited-redis-hello" + store + challenge + public


def message(store: bytes, sequence: int, time: int, command: bytes) -> bytes:
    """Returns the bytes that a client signs for a command."""
    return b"quorate-v1-audited-redis-command" + store + _u64(sequence) + _u64(time) + command


def announcement(body: bytes) -> bytes:
    """Encodes the frame of an announcement."""
    return _frame(1, body)


def signed_command(scheme: int, sequence: int, time: int, signature: bytes, command: bytes) -> bytes:
    """Encodes the frame of a signed command."""
    return _frame(2, bytes([scheme]) + _u64(sequence) + _u64(time) + signature + command)


async def read_frame(reader: StreamReader, max_size: int) -> Welcome | Executed | Refusal:
    """Reads the next frame; one above `max_size` is refused before its body is read."""
    length = int.from_bytes(await reader.readexactly(4), "little")
    if not 1 <= length <= max_size:
        raise Malformed(f"expected a frame of 1 to {max_size} bytes, got {length}")
    return decode(await reader.readexactly(length))


def decode(frame: bytes) -> Welcome | Executed | Refusal:
    """Decodes a frame without its length."""
    kind, size = frame[0], len(frame)
    if kind == 0x81 and size == 9:
        return Welcome(_number(frame, 1))
    if kind == 0x82 and size >= 17:
        return Executed(_number(frame, 1), _number(frame, 9), frame[17:])
    if kind == 0x83 and size >= 9:
        return Refusal(_number(frame, 1), frame[9:])
    raise Malformed(f"malformed frame of type {kind:#04x} and {size} bytes")


def _frame(kind: int, body: bytes) -> bytes:
    return (len(body) + 1).to_bytes(4, "little") + bytes([kind]) + body


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "little")


def _number(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 8], "little")
