"""DSig: one-time keys that sign in about a microsecond; Ed25519 signs these keys in batches, ahead of time.

A `Signer` prepares and announces batches in the background. A `Verifier` that has received the announcement of a batch
verifies its signatures with hashes alone. Without the announcement, `verify` needs one more Ed25519 verification.
"""

from datetime import timedelta
from types import MappingProxyType
from typing import Final, NamedTuple

from ._native import (
    Auditor,
    Signer,
    Verifier,
    dsig_suites,
    reuse,
    verify,
    verify_all,
    verify_all_async,
    verify_reuse,
)
from ._signature import show_defaults

__all__ = [
    "Announced",
    "Auditor",
    "SIGNATURE_LEN",
    "SUITES",
    "Signer",
    "Verifier",
    "reuse",
    "verify",
    "verify_all",
    "verify_all_async",
    "verify_reuse",
]

show_defaults(Signer, lifetime=timedelta(seconds=10))
show_defaults(Verifier, interval=timedelta(microseconds=200))

SIGNATURE_LEN: Final = MappingProxyType(dict(dsig_suites()))
"""Size of a signature in bytes, by the name of the suite."""

SUITES: Final = tuple(SIGNATURE_LEN)
"""Names of all suites, ordered by their numbers, which start at 1. Use `wots-blake3` unless there is a reason for
another suite.
"""


class Announced(NamedTuple):
    """Announcement of a new batch of one-time keys."""

    to: frozenset[int] | None
    """Recipients: the members of the batch's group; `None` for all verifiers."""
    announcement: bytes
    """Bytes to send to the recipients, for `Verifier.announce`."""
