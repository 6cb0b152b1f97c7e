"""What travels between a client and the front, and what a client signs: SPEC.md, byte by byte."""

from __future__ import annotations

from asyncio import StreamReader
from dataclasses import dataclass

from .resp import Malformed

MAGIC = b"QAREDIS1"
MAX_REPLY = 134_217_792
"""The longest frame towards the client."""
MAX_WELCOME = 4096
"""The longest frame that is taken before the front has welcomed us."""
U64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Welcome:
    """The number of the client's last command in the log, 0 if there is none."""

    last: int


@dataclass(frozen=True, slots=True)
class Executed:
    """What Redis answered to a command, and the command's entry in the log."""

    sequence: int
    entry: int
    reply: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command is not in the log and was not executed; sequence 0 is about the connection."""

    sequence: int
    reply: bytes


def hello(store: bytes, challenge: bytes, public: bytes) -> bytes:
    """What a client signs with Ed25519 to say who it is."""
    return b"quorate-v1-audited-redis-hello" + store + challenge + public


def message(store: bytes, sequence: int, time: int, command: bytes) -> bytes:
    """What a client signs for a command."""
    return b"quorate-v1-audited-redis-command" + store + _u64(sequence) + _u64(time) + command


def announcement(body: bytes) -> bytes:
    """The frame of an announcement."""
    return _frame(1, body)


def signed_command(scheme: int, sequence: int, time: int, signature: bytes, command: bytes) -> bytes:
    """The frame of a signed command."""
    return _frame(2, bytes([scheme]) + _u64(sequence) + _u64(time) + signature + command)


async def read_frame(reader: StreamReader, most: int) -> Welcome | Executed | Refusal:
    """The next frame; one whose length is above `most` is refused before any of it is read."""
    length = int.from_bytes(await reader.readexactly(4), "little")
    if not 1 <= length <= most:
        raise Malformed(f"a frame of {length} bytes where 1 to {most} are possible")
    return decode(await reader.readexactly(length))


def decode(frame: bytes) -> Welcome | Executed | Refusal:
    """A frame without its length."""
    kind, size = frame[0], len(frame)
    if kind == 0x81 and size == 9:
        return Welcome(_number(frame, 1))
    if kind == 0x82 and size >= 17:
        return Executed(_number(frame, 1), _number(frame, 9), frame[17:])
    if kind == 0x83 and size >= 9:
        return Refusal(_number(frame, 1), frame[9:])
    raise Malformed(f"a frame of {size} bytes and kind {kind:#04x}")


def _frame(kind: int, body: bytes) -> bytes:
    return (len(body) + 1).to_bytes(4, "little") + bytes([kind]) + body


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "little")


def _number(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 8], "little")
