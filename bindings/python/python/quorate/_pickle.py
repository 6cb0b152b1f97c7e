"""Pickling of committees, which no decoder creates again: the proofs of possession were verified when the pickled one was
created.
"""

from __future__ import annotations

import copyreg

from ._native import ciphersuite_of
from .ciphersuite import Ciphersuite
from .committee import Committee
from .ids import ChainId
from .keys import PublicKey

Members = list[tuple[PublicKey, int]]


def rebuilt(chain: ChainId, epoch: int, members: Members, allow_repeats: bool, ciphersuite: Ciphersuite) -> Committee:
    """Returns the committee."""
    attested = Committee.from_attested(chain, epoch, members, allow_repeats=allow_repeats)
    return attested.with_ciphersuite(ciphersuite)


def reduced(committee: Committee) -> tuple[object, ...]:
    """Returns the function that creates the committee again, and its arguments."""
    members = [(key, committee.weight(index)) for index, key in enumerate(committee.keys())]
    has_repeats = len({key for key, _ in members}) < len(members)
    return rebuilt, (committee.chain, committee.epoch, members, has_repeats, ciphersuite_of(committee))


copyreg.pickle(Committee, reduced)  # type: ignore[arg-type]
