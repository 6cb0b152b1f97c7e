"""Groups, and classes of messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["Agreement", "Group"]


class Group(StrEnum):
    """What threshold ECDSA computes in. Where one is asked for, its name does as well."""

    RISTRETTO255 = "ristretto255"
    """The faster one. What signs over it is not standard ECDSA."""
    SECP256K1 = "secp256k1"
    """Its signatures verify anywhere."""

    @property
    def number(self) -> int:
        """The byte that stands for it in encodings."""
        return _NUMBERS[self]


_NUMBERS: Final = {group: number for number, group in enumerate(Group, start=1)}


class Agreement(StrEnum):
    """Whether the parties agree beforehand on what is signed. Where one is asked for, its name does as well."""

    AGREED = "agreed"
    """No two honest parties ever sign different messages: one share more than may be faulty is enough."""
    UNAGREED = "unagreed"
    """Somebody else chooses the message and may tell each party another: any two sets that sign must share an honest party,
    so that more shares are needed."""
