"""The operations of the vectors: each takes the `input` object of a case and returns its `output`, or raises
`Refused`. Hex strings are bytes, decimal strings are integers of more than 32 bits (`spec/vectors/README.md`). There is a
module for each block, which registers its operations when it is imported."""

from . import (  # noqa: F401
    abfts,
    aggregates,
    dleqs,
    dsigs,
    erasures,
    gosigs,
    guards,
    jolteons,
    keys,
    lights,
    merkles,
    sortitions,
    spreading,
    thresholds,
    timeouts,
    wires,
)
from .certificates import statement_json
from .committees import committee
from .registry import OPERATIONS

__all__ = ["OPERATIONS", "committee", "statement_json"]
