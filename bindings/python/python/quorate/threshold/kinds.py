"""Groups, and classes of messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["Agreement", "Group"]


class Group(StrEnum):
    """Group in which threshold ECDSA computes. Functions that take one also accept its name."""

    RISTRETTO255 = "ristretto255"
    """The faster group. Signatures over it are not standard ECDSA."""
    SECP256K1 = "secp256k1"
    """Signatures over it are standard ECDSA."""

    @property
    def number(self) -> int:
        """Byte that identifies the suite in encodings."""
        return _NUMBERS[self]


_NUMBERS: Final = {group: number for number, group in enumerate(Group, start=1)}


class Agreement(StrEnum):
    """Class of a message: whether the parties agree on it before they sign. Functions that take one also accept its
    name.
    """

    AGREED = "agreed"
    """No two honest parties ever sign different messages: the threshold is one share more than the number of faulty
    parties.
    """
    UNAGREED = "unagreed"
    """An outside party chooses the message and may give different ones to different parties. Any two signing sets must
    share an honest party, so more shares are needed.
    """
