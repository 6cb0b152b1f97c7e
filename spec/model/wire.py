"""The wire encoding (`spec/wire.md`): a reader, and functions that build bytes."""

from . import blake3
from .errors import Refused

VOTE = "quorate-v1-vote"
STATEMENT = "quorate-v1-statement-id"
COMMITTEE = "quorate-v1-committee"
CHAIN_NAME = "quorate-v1-chain-name"
POSSESSION_ED25519 = "quorate-v1-possession-ed25519"


def derive(domain, data):
    """The hash of `data` under a domain string."""
    return blake3.derive_key(domain, data)


def u8(v):
    return v.to_bytes(1, "little")


def u16(v):
    return v.to_bytes(2, "little")


def u32(v):
    return v.to_bytes(4, "little")


def u64(v):
    return v.to_bytes(8, "little")


def u128(v):
    return v.to_bytes(16, "little")


def varint(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def blob(data):
    return u32(len(data)) + data


def option(data):
    return b"\0" if data is None else b"\x01" + data


class Reader:
    """Reads values from bytes, front to back."""

    def __init__(self, data):
        self.rest = data

    def raw(self, n):
        if len(self.rest) < n:
            raise Refused("MALFORMED")
        head, self.rest = self.rest[:n], self.rest[n:]
        return head

    def uint(self, n):
        return int.from_bytes(self.raw(n), "little")

    def varint(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.uint(1)
            if shift == 28 and byte > 0x0F:
                raise Refused("MALFORMED")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift:
                    raise Refused("NON_CANONICAL")
                return value
        raise AssertionError

    def count(self, cap):
        n = self.uint(4)
        if n > cap:
            raise Refused("TOO_LARGE")
        return n

    def blob(self, cap):
        return self.raw(self.count(cap))

    def option(self, read):
        tag = self.uint(1)
        if tag > 1:
            raise Refused("MALFORMED")
        return read(self) if tag else None

    def end(self):
        if self.rest:
            raise Refused("MALFORMED")


def whole(data, read):
    """The result of `read` on a reader over exactly `data`."""
    r = Reader(data)
    value = read(r)
    r.end()
    return value


def read_taking(r, read):
    """The result of `read`, with the bytes that it consumed."""
    before = r.rest
    value = read(r)
    return value, before[: len(before) - len(r.rest)]
