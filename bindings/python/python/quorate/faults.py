"""Results of adding a vote: possibly a certificate, possibly faults of members."""

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
    """The vote does not belong to this collector: it has another kind, epoch or view, an unknown signer, or it exceeds
    the limit of one statement and one bad vote per member. It was dropped without verification.
    """

    signer: int
    """Signer that the vote names."""
    error: QuorateError
    """The reason."""


@dataclass(frozen=True, slots=True)
class BadSignature:
    """The vote's signature, verified alone, is invalid. The member is at fault only if the vote came over a link that
    authenticates the member; otherwise the fault is the sender's.
    """

    signer: int
    """Signer that the vote names."""


@dataclass(frozen=True, slots=True)
class Equivocation:
    """The member signed two contradicting statements. The first vote still counts."""

    evidence: VerifiedEquivocation
    """Both votes, verified: evidence for the other members."""

    @property
    def signer(self) -> int:
        """The member that signed both."""
        return self.evidence.value.signer


VoteFault: TypeAlias = Stray | BadSignature | Equivocation
"""A fault found while a vote was added."""


@dataclass(frozen=True, slots=True)
class Collected(Generic[C]):
    """Result of adding a vote."""

    certificate: C | None
    """The certificate, returned once, when the quorum is reached."""
    faults: list[VoteFault]
    """Faults found in this vote or in earlier ones."""
