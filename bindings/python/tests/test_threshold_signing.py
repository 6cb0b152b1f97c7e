"""Threshold signatures in idiomatic Python: presignatures sign once, and senders of wrong shares are identified."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from collections.abc import Callable

import pytest
import quorate as q
from quorate.threshold import Agreement, Cache, Group, Threshold, Tolerance, bls, ecdsa

COMMITTEE = q.CommitteeId.from_bytes(bytes([7] * 32))
CHAIN = q.ChainId.from_name("tests")
TOLERANCE = Tolerance(4, 1)
SECRET = bytes([1] * 32)


def guard_of(records: list[q.GuardRecord] | None = None) -> q.Guard:
    return q.Guard.restore(q.SecretKey.from_bytes("ed25519", SECRET), CHAIN, records or [])


def dealt(group: Group = Group.SECP256K1, plan: ecdsa.Plan | None = None) -> list[ecdsa.Presignatures]:
    with ecdsa.TrustedDealer(group, COMMITTEE, TOLERANCE) as dealer:
        return dealer.deal(3, plan or ecdsa.Plan.for_unagreed(4))


def other(share: ecdsa.SignatureShare) -> ecdsa.SignatureShare:
    """The same share under another index."""
    data = bytearray(share.encode())
    data[-5] ^= 1
    return ecdsa.SignatureShare.decode(share.group, data)


# ------------------------------------------------------------------------------------------------------------- ecdsa


@pytest.mark.parametrize("group", list(Group), ids=str)
def test_any_verifier_accepts_the_parties_signature(group: Group) -> None:
    parties, cache = dealt(group), Cache()
    plan, key = parties[0].deal.plan, parties[0].key
    tag = plan.unagreed(3, 0)
    combiner = ecdsa.Combiner(parties[0].signing(tag, b"pay 5"), cache)
    for party in parties:
        signed = party.take(tag).sign(guard_of(), b"pay 5")
        assert signed.record is not None and signed.share.member == party.member
        outcome = combiner.add(party.member, ecdsa.SignatureShare.decode(group, signed.share.encode()))
        assert not outcome.faults and not outcome.wanted
        assert (outcome.signature is not None) == (party.member >= 2)
    signature = combiner.signature
    assert signature is not None and combiner.counts.combinations == 1 and combiner.signing.message == b"pay 5"
    key.verify(tag, b"pay 5", signature)
    with pytest.raises(q.BadSignatureError):
        key.verify(tag, b"pay 6", signature)
    if group == Group.SECP256K1:
        key.verify_message(b"pay 5", signature)
        assert key.to_spki_der()[:1] == signature.to_der()[:1] == b"\x30"
    else:
        for call in (key.to_spki_der, signature.to_der, lambda: key.verify_message(b"", signature)):
            with pytest.raises(q.WrongContextError, match="group"):
                call()
    assert parties[0].left == 3 and ecdsa.GroupKey.decode(group, key.encode()) == key


def test_a_presignature_signs_only_once() -> None:
    party, guard = dealt()[0], guard_of()
    tag = party.deal.plan.unagreed(3, 1)
    presignature = party.take(tag)
    assert presignature.group == "secp256k1" and presignature.agreement == Agreement.UNAGREED
    presignature.sign(guard, b"one")
    calls: list[Callable[[], object]] = [
        lambda: presignature.sign(guard, b"one"),
        lambda: presignature.sign(guard, b"two"),
        lambda: party.take(tag),
        party.to_bytes,
    ]
    for call in calls:
        with pytest.raises(q.ExhaustedError) as caught:
            call()
        assert caught.value.code == "EXHAUSTED"
    # A closed guard signs nothing, so the presignature is not spent.
    second = party.take(party.deal.plan.unagreed(3, 2))
    guard.close()
    with pytest.raises(q.ClosedError):
        second.sign(guard, b"m")
    assert not second.closed
    second.sign(guard_of(), b"m")
    assert second.closed
    with pytest.raises(q.ExhaustedError):
        second.sign(guard_of(), b"m")


def test_after_a_crash_the_journal_lists_spent_presignatures() -> None:
    party = dealt()[0]
    file, tag, group = party.to_bytes(), party.deal.plan.unagreed(3, 1), party.group
    first = party.take(tag).sign(guard_of(), b"one")
    assert first.record is not None
    log = [q.GuardRecord.decode(first.record.encode())]
    again = ecdsa.Presignatures.from_bytes(group, file).take(tag).sign(guard_of(log), b"one")
    assert again.record == first.record and again.share == first.share
    with pytest.raises(q.ContradictionError):
        ecdsa.Presignatures.from_bytes(group, file).take(tag).sign(guard_of(log), b"two")


def test_a_reserved_block_needs_no_records_a_crash_burns_it() -> None:
    party, guard = dealt()[0], guard_of()
    file, plan, key = party.to_bytes(), party.deal.plan, party.key.id
    reservation = guard.reserve(key, 3, 0)
    assert party.take(plan.unagreed(3, 0)).sign(guard, b"m").record is not None, "not confirmed yet"
    guard.confirm(reservation)
    assert party.take(plan.unagreed(3, 1)).sign(guard, b"m").record is None
    again = ecdsa.Presignatures.from_bytes(party.group, file)
    with pytest.raises(q.ExhaustedError):
        again.take(plan.unagreed(3, 2)).sign(guard_of([reservation]), b"m")
    with pytest.raises(q.WrongContextError):
        guard.confirm(guard.close_epoch(key, 3))
    with pytest.raises(q.ExhaustedError):
        guard.reserve(key, 3, 0)
    with pytest.raises(q.MalformedError):
        guard.reserve(key[:31], 3, 0)


def test_a_destroyed_epoch_never_signs_again() -> None:
    party, guard = dealt()[0], guard_of()
    file, tag = party.to_bytes(), party.deal.plan.unagreed(3, 0)
    record = party.destroy(guard)
    assert party.closed and record in guard.records()
    for call in (lambda: party.take(tag), lambda: party.left, lambda: party.destroy(guard)):
        with pytest.raises(q.ExhaustedError):
            call()
    with pytest.raises(q.ExhaustedError):
        ecdsa.Presignatures.from_bytes(party.group, file).take(tag).sign(guard_of([record]), b"m")


def test_of_several_threads_only_one_signs_with_a_presignature() -> None:
    party, guard = dealt(plan=ecdsa.Plan.for_agreed(20))[0], guard_of()
    for number in range(20):
        presignature, barrier = party.take(party.deal.plan.agreed(3, number)), threading.Barrier(4)
        outcomes: list[str] = []

        def sign(message: bytes) -> None:
            barrier.wait()  # noqa: B023
            try:
                presignature.sign(guard, message)  # noqa: B023
                outcomes.append("signed")  # noqa: B023
            except q.QuorateError as error:
                outcomes.append(error.code)  # noqa: B023

        threads = [threading.Thread(target=sign, args=(bytes([n]),)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["EXHAUSTED"] * 3 + ["signed"]


def test_a_wrong_share_yields_transferable_evidence() -> None:
    parties = dealt(Group.RISTRETTO255)
    tag, deal, key = parties[0].deal.plan.unagreed(3, 0), parties[0].deal, parties[0].key
    signed = [party.take(tag).sign(guard_of(), b"m") for party in parties]
    bad = other(signed[1].share).attest(b"by member 1")
    assert bad.attestation == b"by member 1" and bad != signed[1].share
    combiner = ecdsa.Combiner(parties[0].signing(tag, b"m"))
    with pytest.raises(q.WrongContextError):
        combiner.add(0, signed[2].share)  # a share of another party than the sender
    outcomes = [combiner.add(n, share) for n, share in enumerate([signed[0].share, bad, signed[2].share])]
    assert outcomes[-1].signature is None and sorted(outcomes[-1].wanted) == [0, 1, 2]
    faults = [fault for n in range(3) for fault in combiner.open(n, signed[n].opener.open()).faults]
    assert [fault.culprit for fault in faults] == [1]
    assert combiner.add(3, signed[3].share).signature is not None or combiner.signature is not None
    evidence = ecdsa.ShareFault.decode(Group.RISTRETTO255, faults[0].evidence.encode())
    assert evidence == faults[0].evidence and evidence.share == bad
    asked: list[tuple[int, bytes, bytes]] = []

    def attested(member: int, data: bytes, attestation: bytes) -> bool:
        asked.append((member, data, attestation))
        return True

    assert evidence.verify(key, deal, attested) == 1
    assert asked == [(1, bad.attested_bytes(), b"by member 1")]
    with pytest.raises(q.NotEvidenceError):
        evidence.verify(key, deal, lambda *asked: False)
    with pytest.raises(ZeroDivisionError):
        evidence.verify(key, deal, lambda *asked: 1 // 0)
    with pytest.raises(TypeError):
        evidence.verify(key, deal, None)  # type: ignore[arg-type]
    with pytest.raises(q.TooLargeError):
        bad.attest(bytes(8193))


def test_plans_and_tags() -> None:
    plan = ecdsa.Plan.for_agreement(4)
    assert plan.count == 4 + 20 * 17 == ecdsa.Plan.decode(plan.encode()).count and plan.ROUNDS == 20
    tags = [plan.prbc(5, 3), plan.promotion(5, 0, 0, 1), plan.completion(5, 0)]
    assert [tag.index for tag in tags] == [3, 4, 20] and tags[0] < tags[1] and len(set(tags)) == 3
    assert [str(tag.agreement) for tag in tags] == ["agreed", "unagreed", "agreed"]
    assert plan.agreement(4) == Agreement.UNAGREED and plan.agreement(plan.count) is None
    assert copy.deepcopy(tags[0]) is tags[0] and pickle.loads(pickle.dumps(plan)) == plan
    with pytest.raises(q.ExhaustedError):
        plan.completion(5, 20)
    with pytest.raises(q.UnknownSignerError):
        plan.prbc(5, 4)
    with pytest.raises(q.WrongContextError):
        plan.agreed(5, 0)
    with pytest.raises(TypeError):
        ecdsa.Tag()


def test_coroutines_deal() -> None:
    async def run() -> None:
        with ecdsa.TrustedDealer("ristretto255", COMMITTEE, TOLERANCE) as dealer:
            parties = await dealer.deal_async(1, ecdsa.Plan.for_agreed(2))
        assert [party.member for party in parties] == [0, 1, 2, 3]
        parties[0].audit(1)
        with pytest.raises(q.QuorateError):
            parties[0].audit(2)

    asyncio.run(run())


# --------------------------------------------------------------------------------------------------------------- bls


@pytest.mark.parametrize("suite", ["bls-min-sig", "bls-min-pk"])
def test_shared_bls_keys_sign_and_identify_wrong_shares(suite: str) -> None:
    shares = bls.deal(suite, COMMITTEE, TOLERANCE, "agreed")
    key = shares[0].key
    assert key.threshold == Threshold(2, 4) and key.tolerance == TOLERANCE and key.party(4) is None
    wrong = shares[1].sign(b"other").encode()
    bad = bytearray(shares[1].sign(b"m").encode())
    combiner = bls.Combiner(key, b"m", Cache(2))
    with pytest.raises(q.WrongContextError):
        combiner.add(1, bls.SignatureShare.decode(suite, wrong))
    # Another member's signature under its own name.
    theirs = shares[2].sign(b"m").encode()
    swapped = bls.SignatureShare.decode(suite, bytes(bad[:3]) + theirs[3:])
    assert swapped.member == 1
    assert combiner.add(1, swapped.attest(b"x")).signature is None
    outcome = combiner.add(0, shares[0].sign(b"m"))
    assert [fault.culprit for fault in outcome.faults] == [1]
    evidence = bls.ShareFault.decode(suite, outcome.faults[0].evidence.encode())
    assert evidence.verify(key, lambda member, data, attestation: attestation == b"x") == 1
    with pytest.raises(q.NotEvidenceError):
        evidence.verify(key, lambda *asked: False)
    signature = combiner.add(3, shares[3].sign(b"m")).signature
    assert signature is not None and combiner.counts.combinations == 2
    key.public.verify(b"m", signature)
    assert len(bls.beacon(signature)) == 32
    with pytest.raises(q.WrongContextError):
        bls.deal("ed25519", COMMITTEE, TOLERANCE, "agreed")
