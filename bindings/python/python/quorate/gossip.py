"""Signatures that are summed in any order, and how the sums spread among thousands of members.

An `Aggregate` says who signed a statement and how often each one's signature is in the sum. A `Gossip` says what to send
to whom next; once a quorum has signed it has a certificate. Suites: `bls-min-sig-counted` and `bls-min-pk-counted`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ._native import POOL, STACK, Aggregate, Gossip, Parameters, Peers, Pool, VerifiedAggregate
from .errors import QuorateError

__all__ = [
    "Aggregate",
    "Checked",
    "Fault",
    "Gossip",
    "POOL",
    "Parameters",
    "Peers",
    "Pool",
    "Received",
    "STACK",
    "Send",
    "VerifiedAggregate",
]


class Received(StrEnum):
    """What became of an aggregate that came in."""

    WAITING = "waiting"
    """It waits for its check."""
    NOTHING_NEW = "nothing-new"
    """It brings nothing that is not known."""
    COMPLETE = "complete"
    """There is a certificate already."""
    REFUSED = "refused"
    """Its sender is not listened to for a while."""


class Fault(NamedTuple):
    """A member sent an aggregate that does not verify. That its sender is known is the link's doing."""

    culprit: int
    """Who sent it."""
    evidence: QuorateError
    """What is wrong with it."""


class Checked(NamedTuple):
    """What a check found."""

    faults: list[Fault]
    """Who sent aggregates that do not verify."""
    aggregates: int
    """How many aggregates were verified, together."""
    signers: int
    """How many signers these had in all: the additions of the check."""
    grew: bool
    """Whether new signers are known now."""


class Send(NamedTuple):
    """What to send."""

    to: int
    """To whom."""
    aggregate: Aggregate
    """What."""
