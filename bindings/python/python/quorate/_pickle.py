"""Creates again what was pickled, where a constructor does not suffice."""

from __future__ import annotations

from ._native import ChainId, Committee, PublicKey
from .ciphersuite import Ciphersuite


def committee(
    chain: ChainId, epoch: int, members: list[tuple[PublicKey, int]], allow_repeats: bool, ciphersuite: Ciphersuite
) -> Committee:
    """Returns the committee; the proofs of possession were verified when the pickled one was created."""
    attested = Committee.from_attested(chain, epoch, members, allow_repeats=allow_repeats)
    return attested.with_ciphersuite(ciphersuite)
