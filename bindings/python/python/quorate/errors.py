"""One exception class per error code; all are `QuorateError`.

Codes never change their meaning and are the same in all languages. Errors about malformed bytes are also `ValueError`,
as in Python's own decoders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

__all__ = [
    "BadCiphertextError",
    "BadCommitteeError",
    "BadEncodingError",
    "BadPossessionError",
    "BadShapeError",
    "BadShareError",
    "BadSignatureError",
    "BelowQuorumError",
    "ClosedError",
    "ContradictionError",
    "DuplicateSignerError",
    "ExhaustedError",
    "InfinityError",
    "MalformedError",
    "NonCanonicalError",
    "NotDrawnError",
    "NotEvidenceError",
    "NotInSubgroupError",
    "OneTimeReuseError",
    "QuorateError",
    "RateLimitedError",
    "RelatedKeysError",
    "RngError",
    "TooLargeError",
    "UnknownSignerError",
    "WrongContextError",
]


class QuorateError(Exception):
    """An error reported by quorate. Match on the class or on `code`.

    `culprits` lists the indices of the members at fault, in ascending order, if the error names any. `details` holds
    the values that the message contains, by name: `what`, `limit`, `index`, `first`, `second`, `rule`, `signed`,
    `needed`, `signers`, `members`, `kind`, `signed_view`.
    """

    code: ClassVar[str] = ""

    def __init__(
        self, message: str, culprits: Sequence[int] = (), details: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        super().__init__(message)
        self.message: Final = message
        self.culprits: Final = tuple(culprits)
        self.details: Final[Mapping[str, Any]] = MappingProxyType(dict(details))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.culprits, dict(self.details))


class MalformedError(QuorateError, ValueError):
    """The bytes are not an encoding of the expected type: wrong length, unknown tag, or not a point."""

    code = "MALFORMED"


class NonCanonicalError(QuorateError, ValueError):
    """The bytes decode, but they are not the canonical encoding of the value."""

    code = "NON_CANONICAL"


class TooLargeError(QuorateError, ValueError):
    """A length or count exceeds its limit; no memory was allocated for it."""

    code = "TOO_LARGE"


class NotInSubgroupError(QuorateError, ValueError):
    """The point is on the curve but outside the prime-order subgroup."""

    code = "NOT_IN_SUBGROUP"


class InfinityError(QuorateError, ValueError):
    """A key, signature or aggregate is the neutral element, or has small order."""

    code = "INFINITY"


class UnknownSignerError(QuorateError):
    """The index does not belong to the committee."""

    code = "UNKNOWN_SIGNER"


class DuplicateSignerError(QuorateError):
    """The same member appears twice where it may appear only once."""

    code = "DUPLICATE_SIGNER"


class RelatedKeysError(QuorateError):
    """Two members of a committee have the same key, or the key of one is the negation of the other's."""

    code = "RELATED_KEYS"


class BadCommitteeError(QuorateError):
    """The committee has no members, too many members, a weight of zero, or a total weight above the limit."""

    code = "BAD_COMMITTEE"


class BadShapeError(QuorateError):
    """No erasure code supports this number of shards or these parameters."""

    code = "BAD_SHAPE"


class BadEncodingError(QuorateError):
    """The sender committed to shards that do not encode one message; every member that decodes them gets this error."""

    code = "BAD_ENCODING"


class BelowQuorumError(QuorateError):
    """The signers, or the shards, are below the threshold."""

    code = "BELOW_QUORUM"


class BadSignatureError(QuorateError):
    """A signature does not verify; `culprits` lists the members at fault, if known."""

    code = "BAD_SIGNATURE"


class BadPossessionError(QuorateError):
    """A proof of possession does not verify for its key."""

    code = "BAD_POSSESSION"


class BadShareError(QuorateError):
    """Shares of a key, a signature or a decryption are wrong; `culprits` lists the members at fault, if known."""

    code = "BAD_SHARE"


class BadCiphertextError(QuorateError):
    """The proof of a threshold ciphertext does not verify, or its payload does not match its label and key; treat it as
    empty.
    """

    code = "BAD_CIPHERTEXT"


class WrongContextError(QuorateError):
    """The object is valid, but for another committee, chain, epoch, view or suite."""

    code = "WRONG_CONTEXT"


class ContradictionError(QuorateError):
    """Signing this would contradict an earlier signature; nothing was signed."""

    code = "CONTRADICTION"


class NotEvidenceError(QuorateError):
    """Two objects submitted as evidence do not contradict each other."""

    code = "NOT_EVIDENCE"


class ExhaustedError(QuorateError):
    """The one-time key or presignature is not available; nothing was signed.

    Either no fresh one-time key is left: prepare a batch and sign again. Or the presignature is spent, burnt, or
    outside its plan or epoch: sign under another tag.
    """

    code = "EXHAUSTED"


class OneTimeReuseError(QuorateError):
    """The signer used one one-time key for two different messages; reject its signatures from now on."""

    code = "ONE_TIME_REUSE"


class NotDrawnError(QuorateError):
    """The ticket does not win its lottery; a member that presents it is at fault."""

    code = "NOT_DRAWN"


class RateLimitedError(QuorateError):
    """The signer sent more announcements than its allowance; the excess was not examined."""

    code = "RATE_LIMITED"


class RngError(QuorateError):
    """The random number generator failed."""

    code = "RNG"


class ClosedError(QuorateError, ValueError):
    """The object was closed, or its ownership was transferred. The only code that the core does not define."""

    code = "CLOSED"


_BY_CODE: Final[Mapping[str, type[QuorateError]]] = {
    each.code: each for each in QuorateError.__subclasses__()
}


def from_code(code: str, message: str, culprits: Sequence[int], details: Mapping[str, Any]) -> QuorateError:
    """Returns the exception for a code. Called by the native module."""
    return _BY_CODE[code](message, culprits, details)
