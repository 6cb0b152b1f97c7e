"""Ciphersuites of other chains' BLS signatures (`spec/bls.md`)."""

from dataclasses import dataclass

from .errors import Refused

BASIC, AUGMENTATION, POSSESSION, CUSTOM = range(4)
SUFFIXES = {BASIC: "NUL", AUGMENTATION: "AUG", POSSESSION: "POP"}

# The tags under which quorate signs: no custom tag may equal one of them.
OWN_TAGS = {
    f"BLS_{use}_BLS12381{group}_XMD:SHA-256_SSWU_RO_POP_".encode() for use in ("SIG", "POP") for group in ("G1", "G2")
}


@dataclass(frozen=True)
class Ciphersuite:
    number: int
    custom: bytes = b""  # the tag of a custom ciphersuite

    def encode(self):
        tail = bytes([len(self.custom)]) + self.custom if self.number == CUSTOM else b""
        return bytes([self.number]) + tail

    @classmethod
    def read(cls, r):
        number = r.uint(1)
        if number > CUSTOM:
            raise Refused("MALFORMED")
        if number != CUSTOM:
            return cls(number)
        tag = r.raw(r.uint(1))
        if not tag:
            raise Refused("MALFORMED")
        if tag in OWN_TAGS:
            raise Refused("NON_CANONICAL")
        return cls(CUSTOM, tag)

    def tag(self, group):
        """The domain separation tag for signatures in the group with this name."""
        if self.number == CUSTOM:
            return self.custom
        return f"BLS_SIG_BLS12381{group}_XMD:SHA-256_SSWU_RO_{SUFFIXES[self.number]}_".encode()

    def signed_bytes(self, key, message):
        """The bytes that the owner of the encoded key signs for a message."""
        return key + message if self.number == AUGMENTATION else message


DEFAULT = Ciphersuite(POSSESSION)
