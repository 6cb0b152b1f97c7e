"""DSig: one-time keys sign in about a microsecond, and Ed25519 signs these keys in batches, ahead of time.

A `Signer` prepares batches and announces them in the background; a `Verifier` that heard of a batch verifies its
signatures with hashes alone. Whoever did not verifies all the same, with one Ed25519 verification more: `verify`.
"""

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

SIGNATURE_LEN: Final = MappingProxyType(dict(dsig_suites()))
"""The bytes of a signature, by the name of the suite."""

SUITES: Final = tuple(SIGNATURE_LEN)
"""The names of all suites, by their numbers, which start at 1. Without a reason for another take `wots-blake3`."""


class Announced(NamedTuple):
    """A batch of one-time keys is ready."""

    to: frozenset[int] | None
    """Whom to tell: the members of the batch's group; `None` for everybody."""
    announcement: bytes
    """What to tell them, for `Verifier.announce`."""
