"""What only Python has of the threshold blocks: hooks, and errors of wrong arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import quorate as q
from quorate.threshold import Group, Threshold, Tolerance, bls, coin, ecdsa, tdh2

COMMITTEE = q.CommitteeId.from_bytes(bytes([7] * 32))
CHAIN = q.ChainId.from_name("tests")
TOLERANCE = Tolerance(4, 1)
SECRET = bytes([1] * 32)


def guard_of(records: list[q.GuardRecord] | None = None) -> q.Guard:
    return q.Guard.restore(q.SecretKey.from_bytes("ed25519", SECRET), CHAIN, records or [])


def dealt(group: Group = Group.SECP256K1, plan: ecdsa.Plan | None = None) -> list[ecdsa.Presignatures]:
    with ecdsa.TrustedDealer(group, COMMITTEE, TOLERANCE) as dealer:
        return dealer.deal(3, plan or ecdsa.Plan.for_unagreed(4))


def encrypted(keys: tdh2.PublicKeys, plaintext: bytes = b"secret") -> tdh2.ValidCiphertext:
    key = tdh2.EncryptionKey.from_public_keys(keys)
    return tdh2.Ciphertext.decode(key.encrypt(12, 3, plaintext).encode()).check(key, 12, 3)


def test_numbers_out_of_range_and_unknown_names_are_refused() -> None:
    keys, _ = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    key = tdh2.EncryptionKey.from_public_keys(keys)
    ranges: list[tuple[str, Callable[[], object]]] = [
        ("epoch", lambda: key.encrypt(1 << 64, 0, b"")),
        ("round", lambda: coin.CoinName(0, 0, 0, 1 << 64)),
    ]
    for name, call in ranges:
        with pytest.raises(OverflowError, match=name):
            call()
    for call in (lambda: ecdsa.GroupKey.decode("p256", b""), lambda: TOLERANCE.threshold("maybe")):
        with pytest.raises(q.WrongContextError):
            call()


def test_endless_lists_are_refused() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext = encrypted(keys)
    verified = keys.verify_share(ciphertext, shares[0].decryption_share(ciphertext))
    with pytest.raises(q.TooLargeError):
        ciphertext.combine(keys, itertools.repeat(verified))


def test_the_user_s_function_has_python_s_arguments_and_may_raise() -> None:
    shares = bls.deal("bls-min-sig", COMMITTEE, TOLERANCE, "agreed")
    key, own, other = shares[0].key, shares[1].sign(b"m").encode(), shares[2].sign(b"m").encode()
    combiner = bls.Combiner(key, b"m")
    combiner.add(1, bls.SignatureShare.decode("bls-min-sig", own[:3] + other[3:]))
    (fault,) = combiner.add(0, shares[0].sign(b"m")).faults
    assert fault.evidence.verify(key, lambda *asked: list(map(type, asked)) == [int, bytes, bytes]) == 1
    with pytest.raises(ZeroDivisionError):
        fault.evidence.verify(key, lambda *asked: 1 // 0)
    with pytest.raises(TypeError):
        fault.evidence.verify(key, None)  # type: ignore[arg-type]


def test_tags_are_ordered_and_hashed() -> None:
    plan = ecdsa.Plan.for_agreement(4)
    tags = [plan.prbc(5, 3), plan.promotion(5, 0, 0, 1), plan.completion(5, 0)]
    assert tags[0] < tags[1] and len(set(tags)) == 3
