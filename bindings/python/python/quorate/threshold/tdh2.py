"""Threshold encryption (TDH2): anybody encrypts to a committee, and so many of its members decrypt together.

Atomic broadcast orders ciphertexts first and decrypts them afterwards, so that nobody chooses what is ordered by what it
says. A member checks a ciphertext before it makes a share: `Ciphertext.check`, which alone gives a `ValidCiphertext`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from .._native import (
    TDH2_MAX_PLAINTEXT,
    TDH2_OVERHEAD,
    Ciphertext,
    CommitteeId,
    Decryption,
    DecryptionShare,
    EncryptionKey,
    ValidCiphertext,
)
from .._native import Tdh2KeyShare as KeyShare
from .._native import Tdh2PublicKeys as PublicKeys
from .._native import Tdh2VerifiedShare as VerifiedShare
from .._native import Tdh2WrongShare as WrongShare
from ..errors import QuorateError
from .results import Forged, Proven

__all__ = [
    "Ciphertext",
    "Collected",
    "Decryption",
    "DecryptionShare",
    "EncryptionKey",
    "KeyShare",
    "Label",
    "MAX_PLAINTEXT",
    "OVERHEAD",
    "PublicKeys",
    "ShareFault",
    "ValidCiphertext",
    "VerifiedShare",
    "WrongShare",
]

MAX_PLAINTEXT: Final = TDH2_MAX_PLAINTEXT
"""The longest payload that is encrypted: 32 MiB."""

OVERHEAD: Final = TDH2_OVERHEAD
"""How much longer a payload is when it is encrypted."""

ShareFault: TypeAlias = Proven[WrongShare] | Forged[DecryptionShare]
"""A share that did not verify."""


class Label(NamedTuple):
    """Where a ciphertext belongs. Nobody can move it to another place without knowing what is in it."""

    committee: CommitteeId
    """Whose keys decrypt it."""
    epoch: int
    """In which epoch of the protocol it is proposed."""
    proposer: int
    """Who proposes it."""
    payload: bytes
    """The hash of the encrypted payload."""


class Collected(NamedTuple):
    """What came of one share more."""

    output: bytes | None
    """The payload, once."""
    error: QuorateError | None
    """Once, in the place of the payload: the `BadCiphertextError` that all come to, for the author encrypted nothing
    sensible. Take it for empty."""
    faults: list[ShareFault]
    """Shares that turned out to be wrong."""
