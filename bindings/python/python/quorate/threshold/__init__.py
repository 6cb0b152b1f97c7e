"""Threshold cryptography: operations that need t of n members.

`ecdsa` and `bls` sign, `tdh2` encrypts to a committee, `coin` produces common random values, and `seal` encrypts each
party's file from the dealer. A dealer generates the keys, and knows them.
"""

from .._native import MAX_PARTIES, Cache, Threshold, Tolerance
from . import bls, coin, ecdsa, seal, tdh2
from .kinds import Agreement, Group
from .results import Checked, Collected, Counts, Fault, Forged, Outcome, Proven

__all__ = [
    "Agreement",
    "Cache",
    "Checked",
    "Collected",
    "Counts",
    "Fault",
    "Forged",
    "Group",
    "MAX_PARTIES",
    "Outcome",
    "Proven",
    "Threshold",
    "Tolerance",
    "bls",
    "coin",
    "ecdsa",
    "seal",
    "tdh2",
]
