"""Consensus building blocks that are hard to misuse: keys, committees, votes, certificates and evidence.

Import these from `quorate` itself: `from quorate import Committee, Vote`. The modules `quorate.committee`, `quorate.votes`
and so on group their documentation.

BLS aggregates outside committees are in `quorate.bls`, Merkle trees in `quorate.merkle`, the encoding for a protocol's
own messages in `quorate.wire`, aggregation by gossip in `quorate.gossip`, leader sortition in `quorate.sortition`,
one-time signatures in `quorate.dsig`, threshold signatures, encryption and coins in `quorate.threshold`, and erasure
coding in `quorate.erasure`. Not audited.
"""

from typing import Final as _Final

from . import _pickle as _pickle
from . import bls as bls
from . import dsig as dsig
from . import erasure as erasure
from . import errors as errors
from . import faults as faults
from . import gossip as gossip
from . import merkle as merkle
from . import sortition as sortition
from . import threshold as threshold
from . import wire as wire
from ._blocks import *
from ._native import VERSION as VERSION
from ._native import core_codes as _core_codes
from .errors import *
from .faults import Collected as Collected
from .faults import VoteFault as VoteFault
from .suite import Suite as Suite

CODES: _Final = (*_core_codes(), errors.ClosedError.code)
"""Every code that an error can have: those of the core, and `CLOSED`."""

__version__ = VERSION
