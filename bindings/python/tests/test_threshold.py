"""What only Python has of the threshold blocks: unknown names, endless lists, and the order of tags."""

from __future__ import annotations

import itertools

import pytest
import quorate as q
from quorate.threshold import Threshold, Tolerance, ecdsa, tdh2

COMMITTEE = q.CommitteeId.from_bytes(bytes([7] * 32))


def encrypted(keys: tdh2.PublicKeys, plaintext: bytes = b"secret") -> tdh2.ValidCiphertext:
    key = tdh2.EncryptionKey.from_public_keys(keys)
    return tdh2.Ciphertext.decode(key.encrypt(12, 3, plaintext).encode()).check(key, 12, 3)


def test_unknown_names_are_refused() -> None:
    for call in (lambda: ecdsa.GroupKey.decode("p256", b""), lambda: Tolerance(4, 1).threshold("maybe")):
        with pytest.raises(q.WrongContextError):
            call()


def test_endless_lists_are_refused() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext = encrypted(keys)
    verified = keys.verify_share(ciphertext, shares[0].decryption_share(ciphertext))
    with pytest.raises(q.TooLargeError):
        ciphertext.combine(keys, itertools.repeat(verified))


def test_tags_are_ordered_and_hashed() -> None:
    plan = ecdsa.Plan.for_agreement(4)
    tags = [plan.prbc(5, 3), plan.promotion(5, 0, 0, 1), plan.completion(5, 0)]
    assert tags[0] < tags[1] and len(set(tags)) == 3
