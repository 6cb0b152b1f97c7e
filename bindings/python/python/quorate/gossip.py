"""Signatures that can be summed in any order, and the gossip that spreads the sums among thousands of members.

An `Aggregate` records the signers of a statement and how often each signature is in the sum. A `Gossip` chooses the
next message and its recipient; once a quorum has signed, it holds a certificate. Suites: `bls-min-sig-counted` and
`bls-min-pk-counted`.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from ._native import MAX_POOL, MAX_STACK, Aggregate, Gossip, Parameters, Peers, Pool, VerifiedAggregate
from ._signature import show_defaults
from .errors import QuorateError

__all__ = [
    "MAX_POOL",
    "MAX_STACK",
    "Aggregate",
    "Checked",
    "Fault",
    "Gossip",
    "Parameters",
    "Peers",
    "Pool",
    "Received",
    "Send",
    "VerifiedAggregate",
]


show_defaults(Parameters, back_off=timedelta(seconds=2), send_timeout=timedelta(milliseconds=500))


class Received(StrEnum):
    """Result of receiving an aggregate."""

    WAITING = "waiting"
    """It is queued for verification."""
    NOTHING_NEW = "nothing-new"
    """It adds no new signer."""
    COMPLETE = "complete"
    """A certificate exists already."""
    REFUSED = "refused"
    """Its sender is suspended for now."""


class Fault(NamedTuple):
    """A member sent an aggregate that does not verify. The link authenticates the sender."""

    culprit: int
    """The member that sent it."""
    evidence: QuorateError
    """The verification error."""


class Checked(NamedTuple):
    """Result of verifying queued aggregates."""

    faults: list[Fault]
    """Members that sent aggregates that do not verify."""
    aggregates: int
    """Number of aggregates that were verified together."""
    signers: int
    """Total number of signers in these aggregates: the additions that the verification cost."""
    grew: bool
    """True if new signers became known."""


class Send(NamedTuple):
    """A message to send."""

    to: int
    """Recipient."""
    aggregate: Aggregate
    """Payload."""
