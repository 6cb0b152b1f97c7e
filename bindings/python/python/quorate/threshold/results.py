"""What comes of shares: a result, and whose are wrong."""

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
    """Who."""
    evidence: T
    """A `WrongShare` that convinces anybody who has the public keys."""


@dataclass(frozen=True, slots=True)
class Forged(Generic[T]):
    """The share carries a member's index, but nothing in it says that the member made it. It is evidence only together
    with the signature or the link under which it came."""

    member: int
    """In whose name the share came."""
    share: T
    """What came."""


@dataclass(frozen=True, slots=True)
class Checked(Generic[V, F]):
    """What came of checking many shares."""

    verified: list[V]
    """The good ones, in their order."""
    faults: list[F]
    """The others, in their order."""


@dataclass(frozen=True, slots=True)
class Collected(Generic[T, F]):
    """What came of one share more."""

    output: T | None
    """The result, once."""
    faults: list[F]
    """Shares that turned out to be wrong."""


@dataclass(frozen=True, slots=True)
class Fault(Generic[E]):
    """A party sent a wrong share."""

    culprit: int
    """Who."""
    evidence: E
    """The `ShareFault` that shows it."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S, E]):
    """What follows from a share or an opening."""

    signature: S | None
    """The signature, once there is one."""
    wanted: list[int]
    """Ask these members for the openings of their shares."""
    faults: list[Fault[E]]
    """Who sent wrong shares."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a combiner did so far."""

    combinations: int
    """Combinations, each with a verification: at most one more than failed."""
    share_checks: int
    """Checks of single shares: at most as many as are needed and as may be faulty together."""
    decodings: int
    """Attempts to find the wrong ones by what the others agree on."""
