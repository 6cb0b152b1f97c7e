"""The signature schemes."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["Suite"]


class Suite(StrEnum):
    """A signature scheme. Functions that take one also accept its name."""

    MIN_SIG = "bls-min-sig"
    """BLS12-381 with signatures of 48 bytes and keys of 96 bytes."""
    MIN_PK = "bls-min-pk"
    """BLS12-381 with keys of 48 bytes and signatures of 96 bytes, as in Ethereum."""
    ED25519 = "ed25519"
    """Ed25519: keys of 32 bytes, signatures of 64 bytes; certificates list the signatures."""
    MIN_SIG_COUNTED = "bls-min-sig-counted"
    """As `MIN_SIG`, with aggregates that can be summed in any order: see `quorate.gossip`."""
    MIN_PK_COUNTED = "bls-min-pk-counted"
    """As `MIN_PK`, with aggregates that can be summed in any order."""

    @property
    def number(self) -> int:
        """Byte that identifies the suite in encodings."""
        return _NUMBERS[self]


_NUMBERS: Final = {suite: number for number, suite in enumerate(Suite, start=1)}
