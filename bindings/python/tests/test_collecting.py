"""Collecting votes in idiomatic Python, from several threads at once and from coroutines."""

from __future__ import annotations

import array
import asyncio
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import quorate as q
from conftest import Setup, code_of, together
from quorate import bls, faults


def test_faults_are_classes_that_match(setup: Setup) -> None:
    collector, suspects = q.VoteCollector(setup.committee, 1, 9), q.Suspects()
    assert collector.add(setup.vote(0).verify(setup.committee), suspects) == q.Collected(None, [])
    match collector.add(setup.vote(0, digest=8), suspects).faults:
        case [faults.Equivocation(0, evidence)]:
            assert evidence.value.culprits == [0]
        case others:
            raise AssertionError(others)
    assert collector.topic == (1, 9)


def test_many_threads_share_a_collector_and_get_one_certificate(setup: Setup) -> None:
    collector, suspects = q.VoteCollector(setup.committee, 1, 9), q.Suspects()
    votes = [setup.vote(member) for member in range(4)]

    def work(_: int) -> int:
        results = [collector.add(vote, suspects) for vote in votes]
        repr(collector), len(suspects), collector.is_done
        return sum(result.certificate is not None for result in results)

    assert sum(together(8, work)) == 1


def test_many_threads_share_a_set() -> None:
    signers = q.SignerSet(200)

    def work(_: int) -> int:
        inserted = 0
        for member in range(200):
            inserted += signers.insert(member)
            assert member in list(signers)
        return inserted

    assert sum(together(8, work)) == 200 and signers == q.SignerSet.full(200)


def test_a_guard_shared_by_threads_never_contradicts_itself(setup: Setup) -> None:
    guard = q.Guard(setup.secrets[0], setup.committee.chain)
    start = threading.Barrier(8)

    def work(digest: int) -> set[bytes]:
        start.wait()
        signed = set()
        for view in range(20):
            statement = setup.committee.statement(1, view, bytes([digest]) * 32)
            try:
                signed.add(guard.sign(setup.committee, statement)[0].statement.encode())
            except q.ContradictionError:
                pass
        return signed

    with ThreadPoolExecutor(8) as pool:
        signed = set().union(*pool.map(work, range(8)))
    statements = [q.Statement.decode(data) for data in signed]
    assert len({statement.view for statement in statements}) == len(statements) > 0


def test_closing_a_secret_while_threads_sign_raises_closed(setup: Setup) -> None:
    secret = setup.secrets[0]

    def work(number: int) -> None:
        if number == 0:
            secret.close()
        while number > 0:
            secret.sign(b"message")

    assert together(5, lambda number: code_of(lambda: work(number))) == ["ok"] + ["CLOSED"] * 4


def test_every_verification_can_be_awaited(setup: Setup) -> None:
    committee, certificate = setup.committee, setup.certificate()
    secret = setup.secrets[0]
    key = secret.public_key()

    async def all_of_it() -> None:
        message = bytearray(b"message")
        checking = key.verify_async(message, secret.sign(b"message"))
        message[:] = b"changed"  # the call has its own copy
        await checking
        await key.verify_possession_async(secret.prove_possession())
        with pytest.raises(q.BadPossessionError):
            await key.verify_possession_async(secret.sign(b"message"))
        assert (await q.UnverifiedKey.prove(secret).verify_async()).public == key
        verified, vote = await asyncio.gather(
            certificate.verify_async(committee), setup.vote(0).verify_async(committee)
        )
        assert verified.value == certificate and vote.value.signer == 0
        assert await q.Certificate.verify_batch_async(committee, [certificate]) == [verified]
        assert await q.Certificate.verify_batch_derived_async(committee, [certificate]) == [verified]
        evidence = q.Equivocation(setup.vote(0), setup.vote(0, digest=8))
        assert (await evidence.verify_async(committee)).value == evidence
        conflict = q.Conflict(certificate, setup.certificate(digest=8))
        assert list((await conflict.verify_async(committee)).value.culprits) == [0, 1, 2]
        signed = certificate.statement.signed_bytes(committee.id)
        assert await committee.verify_raw_async(signed, certificate.signers, certificate.proof()) == 3
        timeout = q.TimeoutVote.sign_unguarded(secret, committee, 1, 9, 4)
        assert (await timeout.verify_async(committee)).value == timeout
        with pytest.raises(q.BadSignatureError):
            await key.verify_async(b"other", secret.sign(b"message"))
        if setup.suite in (q.Suite.MIN_SIG, q.Suite.MIN_PK):
            keys = [q.VerifiedKey.from_secret(each) for each in setup.secrets]
            total = bls.aggregate([each.sign(b"x") for each in setup.secrets])
            message[:] = b"x"
            both = (
                bls.fast_aggregate_verify_async(keys, message, total),
                bls.aggregate_verify_async([(each, message) for each in keys], total),
            )
            message[:] = b"changed"  # these have their own copies too
            await asyncio.gather(*both)
            with pytest.raises(q.BadSignatureError):
                await bls.fast_aggregate_verify_async(keys, b"y", total)
            numbers = array.array("I", [1])  # a buffer, but not of bytes
            with pytest.raises(TypeError, match="message"):
                _ = bls.fast_aggregate_verify_async(keys, numbers, total)
            with pytest.raises(TypeError):
                _ = bls.aggregate_verify_async([(each, numbers) for each in keys], total)

    asyncio.run(all_of_it())


def test_verifying_releases_the_interpreter(setup: Setup) -> None:
    certificates, ticks, counted = [setup.certificate()] * 1000, 0, 0

    def verify() -> None:
        nonlocal counted
        # More calls than should be needed: a busy machine may run the other thread late.
        for _ in range(100):
            before = ticks
            q.Certificate.verify_batch_derived(setup.committee, certificates)
            counted += ticks - before
            if counted > 10:
                return

    thread, interval = threading.Thread(target=verify), sys.getswitchinterval()
    # The switch interval forces no switch: the other thread counts only while the one call has released the
    # interpreter.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        while thread.is_alive():
            ticks += 1
            time.sleep(0)
    finally:
        sys.setswitchinterval(interval)
    assert counted > 10
