"""What only Python has of the threshold blocks: hooks, coroutines, threads, pickling, and errors of wrong arguments."""

from __future__ import annotations

import asyncio
import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import quorate as q
from conftest import code_of, together
from quorate.threshold import Agreement, Cache, Group, Threshold, Tolerance, bls, coin, ecdsa, seal, tdh2

COMMITTEE = q.CommitteeId.from_bytes(bytes([7] * 32))
CHAIN = q.ChainId.from_name("tests")
TOLERANCE = Tolerance(4, 1)
SECRET = bytes([1] * 32)
NAME = coin.CoinName(1, 12, 3, 0)


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


def test_endless_lists_and_unverified_objects_are_refused() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext = encrypted(keys)
    verified = keys.verify_share(ciphertext, shares[0].decryption_share(ciphertext))
    with pytest.raises(q.TooLargeError):
        ciphertext.combine(keys, itertools.repeat(verified))
    kinds: list[Any] = [
        tdh2.VerifiedShare, coin.VerifiedShare, tdh2.ValidCiphertext, ecdsa.Presignature, ecdsa.Opener,
    ]  # fmt: skip
    for kind in kinds:
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            object.__new__(kind)
    for checked in (verified, ciphertext):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(checked)
        assert copy.copy(checked) is copy.deepcopy(checked) is checked


def test_values_survive_pickling() -> None:
    assert coin.CoinName.decode(NAME.encode()) == NAME
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext, party = encrypted(keys), dealt()[0]
    share = party.take(party.deal.plan.unagreed(3, 0)).sign(guard_of(), b"m").share
    value = coin.CoinValue.from_bytes(bytes(range(32)))
    for each in (
        ciphertext.ciphertext, shares[0].decryption_share(ciphertext), party.deal, party.key, share, value, NAME,
        TOLERANCE, Threshold(2, 4), seal.SealingKey.generate().public, Group.SECP256K1, Agreement.AGREED,
    ):  # fmt: skip
        assert pickle.loads(pickle.dumps(each)) == each
    assert pickle.loads(pickle.dumps(keys)).encode() == keys.encode()


def test_threads_share_collectors_and_a_cache() -> None:
    keys, shares = coin.PublicKeys.deal(COMMITTEE, Threshold(3, 7))
    cache = Cache(2)

    def toss(instance: int) -> None:
        named = coin.Coin.from_name(keys, coin.CoinName(1, 1, instance, 0))
        collector = coin.CoinCombiner(keys, named, cache)
        outputs = [collector.add(share.coin_share(named)).output for share in shares]
        assert [output is not None for output in outputs].count(True) == 1

    together(8, toss)


def test_of_several_threads_only_one_signs_with_a_presignature() -> None:
    party, guard = dealt(plan=ecdsa.Plan.for_agreed(20))[0], guard_of()
    for number in range(20):
        sign = party.take(party.deal.plan.agreed(3, number)).sign
        codes = together(4, lambda n: code_of(lambda: sign(guard, bytes([n]))))  # noqa: B023
        assert sorted(codes) == ["EXHAUSTED"] * 3 + ["ok"]


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
    assert copy.deepcopy(tags[0]) is tags[0] and pickle.loads(pickle.dumps(plan)) == plan
    with pytest.raises(TypeError):
        ecdsa.Tag()


def test_shares_are_verified_in_coroutines() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext = encrypted(keys)
    made = [share.decryption_share(ciphertext) for share in shares]
    assert asyncio.run(keys.verify_shares_async(ciphertext, made)) == keys.verify_shares(ciphertext, made)
    with pytest.raises(TypeError):
        shares[0].decryption_share(ciphertext.ciphertext)  # type: ignore[arg-type]


def test_coroutines_deal() -> None:
    async def run() -> None:
        with ecdsa.TrustedDealer("ristretto255", COMMITTEE, TOLERANCE) as dealer:
            parties = await dealer.deal_async(1, ecdsa.Plan.for_agreed(2))
        assert [party.member for party in parties] == [0, 1, 2, 3]
        parties[0].audit(1)
        with pytest.raises(q.QuorateError):
            parties[0].audit(2)

    asyncio.run(run())
