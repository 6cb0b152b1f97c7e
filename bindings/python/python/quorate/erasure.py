"""Erasure coding: a message becomes n shards, any k of which restore it. A commitment binds the sender to one message.

All members use one `Coding`. Decoding a shard checks it against its commitment. Decoding a message encodes it again, so
that all members that hold shards of one commitment reach the same verdict.
"""

from ._native import (
    MAX_MESSAGE,
    MAX_SHARDS,
    CheckedShard,
    Coder,
    Coding,
    Commitment,
    Dispersal,
    Packets,
    Row,
    Shape,
    Table,
)
from ._native import ErasureSuite as Suite

__all__ = [
    "CheckedShard",
    "Coder",
    "Coding",
    "Commitment",
    "Dispersal",
    "MAX_MESSAGE",
    "MAX_SHARDS",
    "Packets",
    "Row",
    "Shape",
    "Suite",
    "Table",
]
