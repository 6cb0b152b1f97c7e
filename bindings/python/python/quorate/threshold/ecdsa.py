"""Threshold ECDSA: each party spends a presignature on a message, and enough of their shares are a signature.

A presignature that signs two messages gives the key away, so signing notes what it is spent on in the `Guard` that signs
votes: make the record durable, then send the share.
"""

from __future__ import annotations

from typing import NamedTuple

from .._native import (
    Deal,
    GuardRecord,
    Opener,
    Opening,
    Plan,
    Presignature,
    Presignatures,
    Signing,
    Tag,
    TrustedDealer,
)
from .._native import EcdsaCombiner as Combiner
from .._native import EcdsaGroupKey as GroupKey
from .._native import EcdsaShareFault as ShareFault
from .._native import EcdsaSignature as Signature
from .._native import EcdsaSignatureShare as SignatureShare

__all__ = [
    "Combiner",
    "Deal",
    "GroupKey",
    "Opener",
    "Opening",
    "Plan",
    "Presignature",
    "Presignatures",
    "ShareFault",
    "Signature",
    "SignatureShare",
    "Signed",
    "Signing",
    "Tag",
    "TrustedDealer",
]


class Signed(NamedTuple):
    """What signing gives. Carry it out in this order."""

    record: GuardRecord | None
    """Make it durable first. `None` if the presignature lies in a block whose reservation is durable."""
    share: SignatureShare
    """Then send it."""
    opener: Opener
    """Keep it until the signature is made, in case somebody asks for an opening."""
