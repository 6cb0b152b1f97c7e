"""Threshold ECDSA: each party spends a presignature on a message; enough of the resulting shares combine into a
signature.

Signing two messages with one presignature reveals the key. Signing therefore records the spent presignature in the
`Guard` that also signs votes: make the record durable, then send the share.
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
    """Result of signing. Process its fields in this order."""

    record: GuardRecord | None
    """Make this durable first. `None` if the presignature lies in a block whose reservation is durable."""
    share: SignatureShare
    """Send this next."""
    opener: Opener
    """Keep this until the signature exists, in case a member requests an opening."""
