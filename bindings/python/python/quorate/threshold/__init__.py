"""What t of n members can do together, and fewer cannot.

`ecdsa` and `bls` sign, `tdh2` encrypts to a committee, `coin` tosses coins that nobody knows beforehand, and `seal` hides
what a dealer gives to each party. Keys come from a dealer, who knows them.
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
