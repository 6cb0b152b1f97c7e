"""BLS aggregates outside committees. Ed25519 and the suites that count have none: there it is `WrongContextError`."""

from ._native import (
    aggregate,
    aggregate_verify,
    aggregate_verify_async,
    fast_aggregate_verify,
    fast_aggregate_verify_async,
)

__all__ = [
    "aggregate",
    "aggregate_verify",
    "aggregate_verify_async",
    "fast_aggregate_verify",
    "fast_aggregate_verify_async",
]
