"""One exception class per error code; all are `QuorateError`.

Codes never change their meaning and are the same in all languages. What is wrong with bytes is a `ValueError` too, as
Python's own decoders have it.
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
    """What quorate refuses, and why: match on the class or on `code`.

    `culprits` are the indices of the members whose fault it is, ascending, where the error names any. `details` are
    the values that the message tells, by name: `what`, `limit`, `index`, `first`, `second`, `rule`, `signed`,
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
    """The bytes are not an encoding of the thing at all: wrong length, unknown tag, not a point."""

    code = "MALFORMED"


class NonCanonicalError(QuorateError, ValueError):
    """The bytes decode, but another encoding of the same value is the only accepted one."""

    code = "NON_CANONICAL"


class TooLargeError(QuorateError, ValueError):
    """A length or count is above the limit; nothing was allocated for it."""

    code = "TOO_LARGE"


class NotInSubgroupError(QuorateError, ValueError):
    """The point is on the curve but outside the prime-order subgroup."""

    code = "NOT_IN_SUBGROUP"


class InfinityError(QuorateError, ValueError):
    """A key, a signature or an aggregate is the neutral element, or of small order."""

    code = "INFINITY"


class UnknownSignerError(QuorateError):
    """The index does not belong to the committee."""

    code = "UNKNOWN_SIGNER"


class DuplicateSignerError(QuorateError):
    """The same member appears twice where each may appear once."""

    code = "DUPLICATE_SIGNER"


class RelatedKeysError(QuorateError):
    """Two members of a committee have the same key, or one has the negation of the other's."""

    code = "RELATED_KEYS"


class BadCommitteeError(QuorateError):
    """A committee was given no members, too many, or weights that are zero or too large in sum."""

    code = "BAD_COMMITTEE"


class BadShapeError(QuorateError):
    """No erasure code makes so many shards, or has such parameters."""

    code = "BAD_SHAPE"


class BadEncodingError(QuorateError):
    """A sender committed to shards that are not those of one message; all who decode them come to this."""

    code = "BAD_ENCODING"


class BelowQuorumError(QuorateError):
    """The signers, or the shards, do not reach the threshold."""

    code = "BELOW_QUORUM"


class BadSignatureError(QuorateError):
    """A signature does not verify; `culprits` names the members, where that is known."""

    code = "BAD_SIGNATURE"


class BadPossessionError(QuorateError):
    """A proof of possession does not verify for its key."""

    code = "BAD_POSSESSION"


class BadShareError(QuorateError):
    """Shares of a secret, a signature or a decryption are wrong; `culprits` names whose, where that is known."""

    code = "BAD_SHARE"


class BadCiphertextError(QuorateError):
    """A threshold ciphertext's proof does not hold, or its payload is not what its label and its key say; treat it as if
    it were empty."""

    code = "BAD_CIPHERTEXT"


class WrongContextError(QuorateError):
    """The object is valid, but for another committee, chain, epoch, view or suite."""

    code = "WRONG_CONTEXT"


class ContradictionError(QuorateError):
    """Signing this would contradict something that was signed before; nothing was signed."""

    code = "CONTRADICTION"


class NotEvidenceError(QuorateError):
    """Two objects that were offered as evidence do not contradict each other."""

    code = "NOT_EVIDENCE"


class ExhaustedError(QuorateError):
    """What signs once is used up; nothing was signed.

    No fresh one-time key is left: prepare a batch, and sign again. Or the presignature is spent, burnt, or past its plan
    or epoch: sign under another tag.
    """

    code = "EXHAUSTED"


class OneTimeReuseError(QuorateError):
    """The signer used one one-time key for two different messages; refuse it from now on."""

    code = "ONE_TIME_REUSE"


class NotDrawnError(QuorateError):
    """The ticket is not one that wins its lottery; a member who shows it is at fault."""

    code = "NOT_DRAWN"


class RateLimitedError(QuorateError):
    """More announcements came from this signer than its allowance; the rest were not looked at."""

    code = "RATE_LIMITED"


class RngError(QuorateError):
    """The random number generator failed."""

    code = "RNG"


class ClosedError(QuorateError, ValueError):
    """The object was closed, or handed over to another. The only code that is not the core's."""

    code = "CLOSED"


_BY_CODE: Final[Mapping[str, type[QuorateError]]] = {
    each.code: each for each in QuorateError.__subclasses__()
}


def of(code: str, message: str, culprits: Sequence[int], details: Mapping[str, Any]) -> QuorateError:
    """The exception of a code. For the native module."""
    return _BY_CODE[code](message, culprits, details)
