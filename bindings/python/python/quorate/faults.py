"""What adding a vote leads to: perhaps a certificate, perhaps faults of members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from ._native import VerifiedEquivocation
    from .errors import QuorateError

__all__ = ["BadSignature", "Collected", "Equivocation", "Stray", "VoteFault"]

C = TypeVar("C", covariant=True)


@dataclass(frozen=True, slots=True)
class Stray:
    """The vote does not belong here: another kind, epoch or view, no such member, or one statement or one bad vote of
    a member more than the limit. It was dropped unchecked."""

    signer: int
    """Whose vote it claims to be."""
    error: QuorateError
    """What differs."""


@dataclass(frozen=True, slots=True)
class BadSignature:
    """The signature of the vote, checked alone, is bad. It is the member's doing only if the vote came over a link that
    authenticates the member; else it is whoever delivered it."""

    signer: int
    """Whose vote it claims to be."""


@dataclass(frozen=True, slots=True)
class Equivocation:
    """The member signed two contradicting statements. The first vote still counts."""

    evidence: VerifiedEquivocation
    """Both votes, checked: show them to others."""

    @property
    def signer(self) -> int:
        """Who signed both."""
        return self.evidence.value.signer


VoteFault: TypeAlias = Stray | BadSignature | Equivocation
"""Something is wrong with a vote."""


@dataclass(frozen=True, slots=True)
class Collected(Generic[C]):
    """What adding a vote led to."""

    certificate: C | None
    """The certificate, once: when the quorum was reached."""
    faults: list[VoteFault]
    """What was found wrong with this vote or with earlier ones."""
