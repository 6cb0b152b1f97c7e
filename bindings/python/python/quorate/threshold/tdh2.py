"""Threshold encryption (TDH2): any client encrypts to a committee, and a threshold of its members decrypts together.

Atomic broadcast orders ciphertexts first and decrypts them afterwards, so that no member can order transactions by
their content. A member verifies a ciphertext before it makes a share: only `Ciphertext.check` returns a
`ValidCiphertext`.
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
"""Maximum length of a plaintext: 32 MiB."""

OVERHEAD: Final = TDH2_OVERHEAD
"""Bytes by which an encrypted payload is longer than its plaintext."""

ShareFault: TypeAlias = Proven[WrongShare] | Forged[DecryptionShare]
"""A share that did not verify."""


class Label(NamedTuple):
    """Context of a ciphertext. Moving a ciphertext to another context requires knowledge of its plaintext."""

    committee: CommitteeId
    """Committee whose keys decrypt it."""
    epoch: int
    """Epoch of the protocol in which it is proposed."""
    proposer: int
    """Index of its proposer."""
    payload: bytes
    """Hash of the encrypted payload."""


class Collected(NamedTuple):
    """Result of adding a share."""

    output: bytes | None
    """The plaintext, returned once."""
    error: QuorateError | None
    """Returned once, in place of the plaintext: the `BadCiphertextError` that all members get, because the author
    encrypted no valid plaintext. Treat the ciphertext as empty.
    """
    faults: list[ShareFault]
    """Faults of the shares found to be wrong."""
