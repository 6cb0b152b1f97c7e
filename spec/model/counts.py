"""The block of counts: the multiplicity of each signer's signature in an aggregate (`spec/gossip.md`)."""

from .errors import Refused

MAX_COUNT = 65_535


def gamma(count):
    """The Elias-gamma code of a count, as a string of binary digits."""
    digits = f"{count:b}"
    return "0" * (len(digits) - 1) + digits


def pack(bits):
    """A string of binary digits as bytes, the first digit the highest of the first byte, padded with zeros."""
    padded = bits + "0" * (-len(bits) % 8)
    return bytes(int(padded[i : i + 8], 2) for i in range(0, len(padded), 8))


def encode(counts):
    """The block for the signers' counts, in ascending order of the signers."""
    if all(count == 1 for count in counts):
        return b"\0"
    return b"\x01" + pack("".join(map(gamma, counts)))


def read(r, signers):
    """The counts of a number of signers; refuses every form but the canonical one."""
    form = r.uint(1)
    if form == 0:
        return [1] * signers
    if form != 1:
        raise Refused("MALFORMED")
    bits = _bits(r)
    counts = [_read_gamma(bits) for _ in range(signers)]
    if any(bits.rest) or all(count == 1 for count in counts):
        raise Refused("NON_CANONICAL")
    return counts


class _bits:
    """Reads the binary digits of bytes on demand; `rest` has the unread digits of the last byte."""

    def __init__(self, reader):
        self.reader, self.rest = reader, []

    def next(self):
        if not self.rest:
            byte = self.reader.uint(1)
            self.rest = [byte >> shift & 1 for shift in range(7, -1, -1)]
        return self.rest.pop(0)


def _read_gamma(bits):
    zeros = 0
    while bits.next() == 0:
        zeros += 1
        if 2**zeros > MAX_COUNT:
            raise Refused("TOO_LARGE")
    count = 1
    for _ in range(zeros):
        count = 2 * count + bits.next()
    return count
