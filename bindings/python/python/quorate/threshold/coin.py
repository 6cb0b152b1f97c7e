"""The common coin: one value per name, the same for all members, and unpredictable until enough members have released
their shares. Release a share only when the protocol permits it. The coin has keys of its own, distinct from those of
`tdh2`.
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
