"""Threshold encryption, the coin, seals and the secrets of all threshold blocks in idiomatic Python, with invalid
arguments.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import quorate as q
from quorate.threshold import Agreement, Cache, Group, Threshold, Tolerance, bls, coin, ecdsa, seal, tdh2
from test_threshold_signing import COMMITTEE, SECRET, TOLERANCE, dealt, guard_of

VECTORS = Path(__file__).parents[3] / "spec" / "vectors" / "coin.json"
NAME = coin.CoinName(1, 12, 3, 0)


# -------------------------------------------------------------------------------------------------- tdh2 and the coin


def encrypted(keys: tdh2.PublicKeys, plaintext: bytes = b"secret") -> tdh2.ValidCiphertext:
    key = tdh2.EncryptionKey.from_public_keys(keys)
    return tdh2.Ciphertext.decode(key.encrypt(12, 3, plaintext).encode()).check(key, 12, 3)


def test_members_decrypt_ordered_ciphertexts() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    for share in shares:
        share.check(keys)
    ciphertext = encrypted(keys)
    assert ciphertext.label == (COMMITTEE, 12, 3, ciphertext.label.payload)
    assert len(ciphertext.ciphertext.payload) == len(b"secret") + tdh2.OVERHEAD
    decryption = tdh2.Decryption(keys, ciphertext, Cache())
    assert decryption.add(shares[3].decryption_share(ciphertext)) == (None, None, [])
    # A share of a foreign ciphertext.
    foreign = shares[0].decryption_share(encrypted(keys))
    got = decryption.add(foreign)
    assert got.output is None and got.error is None
    assert [type(fault) for fault in got.faults] == [tdh2.Forged] and got.faults[0].member == 0
    assert decryption.add(shares[0].decryption_share(ciphertext)).output == b"secret" and decryption.is_done
    verified = [keys.verify_share(ciphertext, shares[n].decryption_share(ciphertext)) for n in (1, 2)]
    assert ciphertext.combine(keys, verified) == ciphertext.combine(keys, verified, Cache()) == b"secret"
    with pytest.raises(q.BelowQuorumError):
        ciphertext.combine(keys, verified[:1])
    with pytest.raises(q.DuplicateSignerError):
        ciphertext.combine(keys, verified[:1] * 2)
    with pytest.raises(q.BadShareError) as caught:
        keys.verify_share(ciphertext, foreign)
    assert caught.value.culprits == (0,) and caught.value.code == "BAD_SHARE"


def test_a_ciphertext_is_checked_before_shares_are_made() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    key = tdh2.EncryptionKey.decode(tdh2.EncryptionKey.from_public_keys(keys).precomputed().encode())
    ciphertext = key.encrypt(12, 3, b"")
    with pytest.raises(TypeError):
        shares[0].decryption_share(ciphertext)  # type: ignore[arg-type]
    for epoch, proposer in ((11, 3), (12, 2)):
        with pytest.raises(q.WrongContextError):
            ciphertext.check(key, epoch, proposer)
    data = bytearray(ciphertext.encode())
    data[-1] ^= 1
    with pytest.raises(q.BadCiphertextError) as caught:
        tdh2.Ciphertext.decode(data).check(key, 12, 3)
    assert caught.value.code == "BAD_CIPHERTEXT"
    with pytest.raises(q.TooLargeError):
        key.encrypt(0, 0, bytes(tdh2.MAX_PLAINTEXT + 1))
    coins, _ = coin.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    with pytest.raises(q.WrongContextError, match="purpose"):
        tdh2.PublicKeys.decode(coins.encode())


def test_a_wrong_share_is_provable() -> None:
    # The evidence is from the vectors: no honest member produces it.
    cases = json.loads(VECTORS.read_text())["cases"]
    case = next(c for c in cases if c["operation"] == "coin.verify_shares" and any(
        fault["evidence"] for fault in c.get("output", {}).get("faults", [])))  # fmt: skip
    given = case["input"]
    keys = coin.PublicKeys.decode(bytes.fromhex(given["keys"]))
    name = coin.CoinName(given["name"]["protocol"], *(int(given["name"][n]) for n in ("epoch", "instance", "round")))
    toss = coin.Coin.from_name(keys, name)
    assert coin.CoinName.decode(name.encode()) == name == toss.name
    received = [coin.CoinShare.decode(bytes.fromhex(share)) for share in given["shares"]]
    proven = [fault for fault in keys.verify_shares(toss, received).faults if isinstance(fault, coin.Proven)]
    assert proven and all(fault.evidence.verify(keys) == fault.member for fault in proven)
    assert asyncio.run(keys.verify_shares_async(toss, received)) == keys.verify_shares(toss, received)


def test_members_toss_a_coin_together() -> None:
    keys, shares = coin.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    toss, named = coin.CoinCombiner(keys, coin.Coin.from_name(keys, NAME)), coin.Coin.from_name(keys, NAME)
    assert toss.add(shares[3].coin_share(named)).output is None
    value = toss.add(shares[1].coin_share(named)).output
    assert value is not None and toss.is_done and len(bytes(value)) == 32
    assert value.below(1) == 0 and value.below(0) is None and value.bit() == bool(bytes(value)[0] & 1)
    for pair in itertools.combinations(range(4), 2):
        verified = [keys.verify_share(named, shares[n].coin_share(named)) for n in pair]
        assert named.combine(keys, verified) == value
    with pytest.raises(q.WrongContextError):
        coin.CoinCombiner(coin.PublicKeys.deal(COMMITTEE, Threshold(2, 4))[0], named)


# ------------------------------------------------------------------------------------------------------------ secrets


def secrets() -> Iterator[tuple[Any, list[Callable[[], object]]]]:
    """Each kind of secret, and calls that need it."""
    dealer = ecdsa.TrustedDealer("secp256k1", COMMITTEE, TOLERANCE)
    party, guard = dealer.deal(3, ecdsa.Plan.for_agreed(3))[0], guard_of()
    tag = party.deal.plan.agreed(3, 0)
    opener = party.take(party.deal.plan.agreed(3, 1)).sign(guard, b"m").opener
    presignature = party.take(party.deal.plan.agreed(3, 2))
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    coins, coin_shares = coin.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext, named = encrypted(keys), coin.Coin.from_name(coins, NAME)
    bls_share, sealing = bls.deal("bls-min-sig", COMMITTEE, TOLERANCE, "agreed")[0], seal.SealingKey.generate()
    yield dealer, [dealer.to_bytes, lambda: dealer.deal(4, ecdsa.Plan.for_agreed(1))]
    yield party, [party.to_bytes, lambda: party.left, lambda: party.take(tag), lambda: party.destroy(guard)]
    yield presignature, [lambda: presignature.sign(guard, b"m")]
    yield opener, [opener.open]
    yield shares[0], [shares[0].to_bytes, lambda: shares[0].check(keys), lambda: shares[0].decryption_share(ciphertext)]
    yield coin_shares[0], [coin_shares[0].to_bytes, lambda: coin_shares[0].coin_share(named)]
    yield bls_share, [bls_share.to_bytes, lambda: bls_share.sign(b"m")]
    yield sealing, [sealing.to_bytes, lambda: sealing.open(b"", bytes(48))]


def test_closed_secrets_raise_closed_and_are_never_printed() -> None:
    for secret, calls in secrets():
        data = secret.to_bytes().hex() if hasattr(secret, "to_bytes") and not isinstance(
            secret, ecdsa.Presignatures
        ) else SECRET.hex()  # fmt: skip
        for text in (repr(secret), str(secret)):
            assert data[-24:] not in text and "closed" not in text
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="cannot be pickled"):
                pickle.dumps(secret, protocol)
        for copied in (copy.copy, copy.deepcopy, json.dumps):
            with pytest.raises(TypeError):
                copied(secret)
        with pytest.raises(TypeError):
            type("Sub", (type(secret),), {})
        assert not hasattr(secret, "__dict__")
        with secret as same:
            assert same is secret and not secret.closed
        secret.close()
        assert secret.closed and ("closed" in repr(secret) or "gone" in repr(secret))
        for call in calls:
            with pytest.raises(q.ClosedError) as caught:
                call()
            assert caught.value.code == "CLOSED"


def test_secrets_survive_a_round_trip_through_their_files() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    again = tdh2.KeyShare.from_bytes(bytearray(shares[2].to_bytes()))
    again.check(keys)
    assert again.member == 2 and again.verification_key == keys.verification_key(2) and again.committee == COMMITTEE
    with pytest.raises(q.BadShareError):
        data = bytearray(shares[2].to_bytes())
        data[65] = 1
        tdh2.KeyShare.from_bytes(data).check(keys)
    with ecdsa.TrustedDealer("secp256k1", COMMITTEE, TOLERANCE) as dealer:
        key = ecdsa.TrustedDealer.from_bytes("secp256k1", COMMITTEE, TOLERANCE, bytearray(dealer.to_bytes())).key
        assert key == dealer.key and key.committee == COMMITTEE and key.tolerance == TOLERANCE
    for wrong in (b"", bytes(31), bytes(33)):
        for call in (
            lambda: ecdsa.TrustedDealer.from_bytes("secp256k1", COMMITTEE, TOLERANCE, wrong),
            lambda: seal.SealingKey.from_bytes(wrong),
        ):
            with pytest.raises(q.MalformedError):
                call()


def test_only_the_recipient_opens_a_sealed_file() -> None:
    bob, eve = seal.SealingKey.generate(), seal.SealingKey.generate()
    public = seal.SealingPublicKey.decode(bob.public.encode())
    sealed = public.seal(b"epoch 7", bytearray(b"the shares"))
    assert public == bob.public and len(sealed) == 10 + seal.OVERHEAD
    assert bob.open(b"epoch 7", sealed) == b"the shares"
    assert seal.SealingKey.from_bytes(bob.to_bytes()).open(b"epoch 7", memoryview(sealed)) == b"the shares"
    mismatched: list[Callable[[], object]] = [
        lambda: eve.open(b"epoch 7", sealed),
        lambda: bob.open(b"epoch 8", sealed),
    ]
    for call in mismatched:
        with pytest.raises(q.WrongContextError):
            call()
    with pytest.raises(q.MalformedError):
        bob.open(b"", sealed[:47])
    with pytest.raises(q.InfinityError):
        seal.SealingPublicKey.decode(bytes(32)).seal(b"", b"")


# ---------------------------------------------------------------------------------------------------------- bad input


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    wrong: Any = object()
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext, party = encrypted(keys), dealt()[0]
    key = tdh2.EncryptionKey.from_public_keys(keys)
    types: list[tuple[str, Callable[[], object]]] = [
        ("data", lambda: tdh2.PublicKeys.decode(wrong)),
        ("committee", lambda: tdh2.PublicKeys.deal(wrong, Threshold(1, 1))),
        ("threshold", lambda: tdh2.PublicKeys.deal(COMMITTEE, wrong)),
        ("instance", lambda: keys.verify_shares(wrong, [])),
        ("shares", lambda: keys.verify_shares(ciphertext, [wrong])),
        ("shares", lambda: keys.verify_shares(ciphertext, "text")),  # type: ignore[arg-type]
        ("plaintext", lambda: key.encrypt(0, 0, "text")),  # type: ignore[arg-type]
        ("share", lambda: tdh2.Decryption(keys, ciphertext).add(wrong)),
        ("cache", lambda: tdh2.Decryption(keys, ciphertext, wrong)),
        ("group", lambda: ecdsa.Presignatures.from_bytes(wrong, b"")),
        ("tag", lambda: party.take(wrong)),
        ("guard", lambda: party.take(party.deal.plan.unagreed(3, 3)).sign(wrong, b"")),
        ("sender", lambda: ecdsa.Combiner(party.signing(party.deal.plan.unagreed(3, 0), b"")).add(wrong, wrong)),
        ("agreement", lambda: TOLERANCE.threshold(wrong)),
        ("keys", lambda: coin.Coin.from_name(wrong, NAME)),
        ("protocol", lambda: coin.CoinName(wrong, 0, 0, 0)),
    ]
    for name, call in types:
        with pytest.raises(TypeError, match=name):
            call()
    ranges: list[tuple[str, Callable[[], object]]] = [
        ("needed", lambda: Threshold(-1, 4)),
        ("parties", lambda: Tolerance(65_536, 1)),
        ("faulty", lambda: Tolerance(4, -1)),
        ("epoch", lambda: key.encrypt(1 << 64, 0, b"")),
        ("proposer", lambda: key.encrypt(0, 65_536, b"")),
        ("member", lambda: keys.verification_key(-1)),
        ("capacity", lambda: Cache(-1)),
        ("count", lambda: ecdsa.Plan.for_agreed(1 << 32)),
        ("index", lambda: party.audit(-1)),
        ("protocol", lambda: coin.CoinName(256, 0, 0, 0)),
        ("round", lambda: coin.CoinName(0, 0, 0, 1 << 64)),
        ("n must", lambda: coin.CoinValue.from_bytes(bytes(32)).below(65_536)),
    ]
    for name, call in ranges:
        with pytest.raises(OverflowError, match=name):
            call()
    for call in (lambda: ecdsa.GroupKey.decode("p256", b""), lambda: TOLERANCE.threshold("maybe")):
        with pytest.raises(q.WrongContextError):
            call()
    for call in (lambda: Threshold(0, 4), lambda: Threshold(5, 4), lambda: Tolerance(3, 1), lambda: Threshold(1, 1025)):
        with pytest.raises(q.BadCommitteeError):
            call()


def test_truncations_and_huge_length_fields_are_refused() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext, party = encrypted(keys), dealt()[0]
    share = party.take(party.deal.plan.unagreed(3, 0)).sign(guard_of(), b"m").share
    file = dealt()[1].to_bytes()
    decoders: list[tuple[bytes, Callable[[bytes], object]]] = [
        (keys.encode(), tdh2.PublicKeys.decode),
        (shares[0].to_bytes(), tdh2.KeyShare.from_bytes),
        (ciphertext.ciphertext.encode(), tdh2.Ciphertext.decode),
        (shares[0].decryption_share(ciphertext).encode(), tdh2.DecryptionShare.decode),
        (share.encode(), lambda data: ecdsa.SignatureShare.decode("secp256k1", data)),
        (party.deal.encode(), ecdsa.Deal.decode),
        (party.key.encode(), lambda data: ecdsa.GroupKey.decode("secp256k1", data)),
        (file, lambda data: ecdsa.Presignatures.from_bytes("secp256k1", data)),
    ]
    for data, decode in decoders:
        decode(data)
        for bad in (b"", data[:-1], data + b"\0", b"\xff" * len(data), b"\xff" * 8, bytes(1 << 20)):
            with pytest.raises(q.QuorateError):
                decode(bad)


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
    cache, failures = Cache(2), []

    def toss(instance: int) -> None:
        try:
            named = coin.Coin.from_name(keys, coin.CoinName(1, 1, instance, 0))
            collector = coin.CoinCombiner(keys, named, cache)
            outputs = [collector.add(share.coin_share(named)).output for share in shares]
            assert [output is not None for output in outputs].count(True) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=toss, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
