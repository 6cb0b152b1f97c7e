"""Threshold BLS: a key shared by the members of a committee. Its signatures verify under `GroupKey.public`. They are
unique, so that each is also an unpredictable random value: see `beacon`.
"""

from .._native import BlsCombiner as Combiner
from .._native import BlsGroupKey as GroupKey
from .._native import BlsKeyShare as KeyShare
from .._native import BlsShareFault as ShareFault
from .._native import BlsSignatureShare as SignatureShare
from .._native import bls_beacon as beacon
from .._native import bls_deal as deal

__all__ = ["Combiner", "GroupKey", "KeyShare", "ShareFault", "SignatureShare", "beacon", "deal"]
