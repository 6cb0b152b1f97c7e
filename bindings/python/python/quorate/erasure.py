"""Erasure coding: a message as n shards of which any k restore it, with a commitment that keeps senders honest.

All members use one `Coding`. A shard that decodes was checked against its commitment; whoever decodes a message codes it
again, so that all who hold shards of one commitment come to one verdict.
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
