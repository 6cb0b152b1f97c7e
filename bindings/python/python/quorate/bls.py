"""BLS aggregates outside committees. Ed25519 has none: there it is `WrongContextError`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _async
from ._native import Signature, VerifiedKey, aggregate, aggregate_verify, fast_aggregate_verify

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "aggregate",
    "aggregate_verify",
    "aggregate_verify_async",
    "fast_aggregate_verify",
    "fast_aggregate_verify_async",
]


async def fast_aggregate_verify_async(
    keys: Sequence[VerifiedKey], message: Buffer, signature: Signature
) -> None:
    """As `fast_aggregate_verify`, on another thread."""
    await _async.run(fast_aggregate_verify, (list(keys), bytes(memoryview(message)), signature))


async def aggregate_verify_async(
    signed: Sequence[tuple[VerifiedKey, Buffer]], signature: Signature
) -> None:
    """As `aggregate_verify`, on another thread."""
    await _async.run(aggregate_verify, ([(key, bytes(memoryview(message))) for key, message in signed], signature))
