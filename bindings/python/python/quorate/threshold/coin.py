"""The common coin: a value for each name that is the same for all and that nobody knows before so many members have shown
their shares. Show a share only when the protocol says so. Keys are the coin's own, not those of `tdh2`.
"""

from __future__ import annotations

from typing import TypeAlias

from .._native import Coin, CoinName, CoinShare, CoinValue, Toss
from .._native import CoinKeyShare as KeyShare
from .._native import CoinPublicKeys as PublicKeys
from .._native import CoinVerifiedShare as VerifiedShare
from .._native import CoinWrongShare as WrongShare
from .results import Forged, Proven

__all__ = [
    "Coin",
    "CoinName",
    "CoinShare",
    "CoinValue",
    "KeyShare",
    "PublicKeys",
    "ShareFault",
    "Toss",
    "VerifiedShare",
    "WrongShare",
]

ShareFault: TypeAlias = Proven[WrongShare] | Forged[CoinShare]
"""A share that did not verify."""
