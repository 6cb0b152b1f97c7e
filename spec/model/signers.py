"""The codec for sets of members, form 0 and form 1 (`spec/certificate.md`)."""

from . import wire
from .errors import Refused


def bitmap(members, n):
    data = bytearray(-(-n // 8))
    for i in members:
        data[i // 8] |= 1 << i % 8
    return bytes(data)


def gap_list(members):
    data, following = wire.varint(len(members)), 0
    for i in sorted(members):
        data += wire.varint(i - following)
        following = i + 1
    return data


def encode(members, n):
    as_bitmap, as_list = bitmap(members, n), gap_list(members)
    return b"\x01" + as_list if len(as_list) < len(as_bitmap) else b"\x00" + as_bitmap


def read(reader, n):
    """A set of members of a committee of `n`; refuses every form but the canonical one."""
    form = reader.uint(1)
    if form == 0:
        members = _read_bitmap(reader, n)
    elif form == 1:
        members = _read_list(reader, n)
    else:
        raise Refused("MALFORMED")
    if encode(members, n)[0] != form:
        raise Refused("NON_CANONICAL")
    return members


def _read_bitmap(reader, n):
    number = int.from_bytes(reader.raw(-(-n // 8)), "little")
    if number >> n:
        raise Refused("NON_CANONICAL")
    return {i for i in range(n) if number >> i & 1}


def _read_list(reader, n):
    count = reader.varint()
    if count > n:
        raise Refused("TOO_LARGE")
    members, following = set(), 0
    for _ in range(count):
        index = following + reader.varint()
        if index >= n:
            raise Refused("UNKNOWN_SIGNER")
        members.add(index)
        following = index + 1
    return members
