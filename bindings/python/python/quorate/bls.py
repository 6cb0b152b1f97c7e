"""BLS aggregates outside committees. Ed25519 and the counted suites have no such aggregates: these functions raise
`WrongContextError` for them.
"""

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
