"""Results of checking and combining shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Checked", "Collected", "Counts", "Fault", "Forged", "Outcome", "Proven"]

E = TypeVar("E", covariant=True)
S = TypeVar("S", covariant=True)
T = TypeVar("T", covariant=True)
V = TypeVar("V", covariant=True)
F = TypeVar("F", covariant=True)


@dataclass(frozen=True, slots=True)
class Proven(Generic[T]):
    """The member made a wrong share itself."""

    member: int
    """The member at fault."""
    evidence: T
    """A `WrongShare`: evidence that every holder of the public keys can verify."""


@dataclass(frozen=True, slots=True)
class Forged(Generic[T]):
    """The share carries a member's index, but nothing in it proves that the member made it. It is evidence only
    together with the signature or the authenticated link that delivered it.
    """

    member: int
    """Member that the share names."""
    share: T
    """The share as received."""


@dataclass(frozen=True, slots=True)
class Checked(Generic[V, F]):
    """Result of checking several shares."""

    verified: list[V]
    """Valid shares, in input order."""
    faults: list[F]
    """Faults of the remaining shares, in input order."""


@dataclass(frozen=True, slots=True)
class Collected(Generic[T, F]):
    """Result of adding a share."""

    output: T | None
    """The result, returned once."""
    faults: list[F]
    """Faults of the shares found to be wrong."""


@dataclass(frozen=True, slots=True)
class Fault(Generic[E]):
    """A party sent a wrong share."""

    culprit: int
    """The member at fault."""
    evidence: E
    """The `ShareFault` that proves it."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S, E]):
    """Result of adding a share or an opening."""

    signature: S | None
    """The signature, once it exists."""
    wanted: list[int]
    """Members whose share openings are needed; request them."""
    faults: list[Fault[E]]
    """Members that sent wrong shares."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Work done by a combiner so far."""

    combinations: int
    """Combinations, each with one verification: at most one more than failed."""
    share_checks: int
    """Checks of single shares: at most the threshold plus the number of faulty parties."""
    decodings: int
    """Attempts to identify wrong shares by error correction."""
