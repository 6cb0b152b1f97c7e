"""What does not fit is refused in Python's own way, with our code; nothing ever ends the process or shows a secret."""

from __future__ import annotations

import array
import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import quorate as q
from conftest import Setup
from quorate import bls, wire
from quorate.merkle import Merkle, Path

SECRET = bytes([7]) * 32
VERIFIED = [
    q.VerifiedKey,
    q.VerifiedVote,
    q.VerifiedCertificate,
    q.VerifiedTimeoutVote,
    q.VerifiedTimeoutCertificate,
    q.VerifiedEquivocation,
    q.VerifiedConflict,
]


@pytest.mark.parametrize("wrong", [None, 5, "text", [1, 2], object(), 1.5])
def test_wrong_types_are_type_errors_that_name_the_argument(wrong: Any) -> None:
    for call in (
        lambda: q.ChainId.from_bytes(wrong),
        lambda: q.SecretKey.from_bytes(q.Suite.ED25519, wrong),
        lambda: wire.Reader(wrong),
        lambda: q.Statement.decode(wrong),
    ):
        with pytest.raises(TypeError, match="data"):
            call()
    with pytest.raises(TypeError, match="committee"):
        q.VoteCollector(wrong, 1, 1)
    with pytest.raises(TypeError, match="members"):
        q.Committee(q.ChainId.from_name("x"), 1, [(wrong, 1)])


@pytest.mark.parametrize("length", [0, 1, 31, 33, 95, 97, 100_000])
def test_wrong_lengths_are_malformed(setup: Setup, length: int) -> None:
    data = bytes(length)
    for call in (
        lambda: q.ChainId.from_bytes(data),
        lambda: q.CommitteeId.from_bytes(data),
        lambda: q.SecretKey.from_bytes(setup.suite, data),
        lambda: q.Statement.decode(data),
        lambda: q.Statement(1, 1, 1, data),
        lambda: setup.committee.statement(1, 1, data),
        lambda: q.GuardRecord.decode(data),
        lambda: Path.decode(data),
        lambda: Merkle("a", "b").root([data]),
    ):
        with pytest.raises(q.MalformedError) as caught:
            call()
        assert caught.value.code == "MALFORMED" and isinstance(caught.value, ValueError)
        assert caught.value.details["what"] and caught.value.culprits == ()
    for decode in (
        lambda: q.PublicKey.decode(setup.suite, data),
        lambda: q.Signature.decode(setup.suite, data),
        lambda: q.UnverifiedKey.decode(setup.suite, data),
    ):
        # What is wrong with the first bytes is said first.
        with pytest.raises((q.MalformedError, q.NonCanonicalError, q.InfinityError)):
            decode()


@pytest.mark.parametrize("number", [-1, 1 << 64, 1 << 200, -(1 << 200)])
def test_integers_out_of_range_are_overflow_errors_that_name_them(setup: Setup, number: int) -> None:
    vote = setup.vote(0)
    calls: dict[str, Callable[[], object]] = {
        "kind": lambda: q.Statement(number, 1, 1, bytes(32)),
        "epoch": lambda: q.Statement(1, number, 1, bytes(32)),
        "view": lambda: q.Statement(1, 1, number, bytes(32)),
        "value": lambda: q.TimeoutVote.statement_of(1, 1, 1, number),
        "index": lambda: setup.committee.weight(number),
        "committee": lambda: q.SignerSet(number),
        "cap": lambda: wire.Reader(b"").bytes(number),
        "bytes": lambda: wire.Reader(b"").raw(number),
        "u16": lambda: wire.Writer().u16(number),
        "failure_limit": lambda: q.VoteCollector(setup.committee, 1, 1, failure_limit=number),
        "signer|member": lambda: q.Vote(vote.statement, number, vote.signature),
    }
    for name, call in calls.items():
        with pytest.raises(OverflowError, match=name):
            call()
    if not 0 <= number < 1 << 128:
        with pytest.raises(OverflowError, match="weight"):
            q.Committee(setup.committee.chain, 1, [(q.VerifiedKey.of(setup.secrets[0]), number)])


def test_huge_sizes_cost_nothing() -> None:
    for claim in (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f" + bytes(8)):
        with pytest.raises(q.TooLargeError) as caught:
            wire.Reader(claim).bytes(1000)
        assert caught.value.details["limit"] == 1000
        with pytest.raises(q.MalformedError):
            wire.Reader(claim).bytes((1 << 64) - 1)
    with pytest.raises(q.MalformedError):
        wire.Reader(b"").raw((1 << 64) - 1)
    with pytest.raises(q.BadCommitteeError):
        q.Committee(q.ChainId.from_name("x"), 1, [])


def test_buffers_of_all_kinds_give_the_same_bytes() -> None:
    data = bytes(range(32))
    expected = q.ChainId.from_bytes(data)
    spread = bytearray(64)
    spread[::2] = data
    buffers: list[Any] = [
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(data)),
        memoryview(spread)[::2],
        memoryview(bytes(reversed(data)))[::-1],
        array.array("B", data),
    ]
    for buffer in buffers:
        assert q.ChainId.from_bytes(buffer) == expected
    with pytest.raises(TypeError):
        q.ChainId.from_bytes(array.array("I", range(8)))
    view = memoryview(data)
    view.release()
    with pytest.raises(ValueError):
        q.ChainId.from_bytes(view)


def test_a_buffer_that_changes_later_changes_nothing() -> None:
    data = bytearray(b"\x01\x02\x03\x04")
    reader = wire.Reader(data)
    data[:] = b"\xff" * 40  # and it can be resized
    assert reader.u32() == 0x04030201


def test_a_closed_secret_says_so(setup: Setup) -> None:
    secret = setup.secrets[0]
    with secret as same:
        assert same is secret and not secret.closed
    secret.close()
    assert secret.closed and "closed" in repr(secret)
    for call in (
        secret.public_key,
        secret.to_bytes,
        secret.prove_possession,
        lambda: secret.sign(b"message"),
        lambda: q.UnverifiedKey.prove(secret),
        lambda: q.VerifiedKey.of(secret),
        lambda: setup.vote(0),
        lambda: q.Guard(secret, setup.committee.chain),
    ):
        with pytest.raises(q.ClosedError) as caught:
            call()
        assert caught.value.code == "CLOSED"


def test_a_guard_takes_the_secret_over_and_refuses_contradictions(setup: Setup) -> None:
    data = setup.secrets[0].to_bytes()
    guard = q.Guard(setup.secrets[0], setup.committee.chain)
    assert setup.secrets[0].closed
    vote, record = guard.sign(setup.committee, setup.statement(1))
    assert vote.verify(setup.committee).value == vote
    with pytest.raises(q.ContradictionError) as caught:
        guard.sign(setup.committee, setup.statement(2))
    assert caught.value.details == {"kind": 1, "signed_view": 9}
    assert guard.last(1) == (3, 9) and guard.last(2) is None
    timeout, _ = guard.sign_timeout(setup.committee, 2, 9, 5)
    assert timeout.verify(setup.committee).value.value == 5
    secret = q.SecretKey.from_bytes(setup.suite, data)
    again = q.Guard.restore(secret, setup.committee.chain, [q.GuardRecord.decode(record.encode())])
    with pytest.raises(q.ContradictionError):
        again.sign(setup.committee, setup.statement(2))
    with again:
        pass
    with pytest.raises(q.ClosedError):
        again.sign(setup.committee, setup.statement(1))


def test_secrets_are_never_printed_pickled_or_copied() -> None:
    for suite in q.Suite:
        secret = q.SecretKey.from_bytes(suite, SECRET)
        guard = q.Guard(q.SecretKey.from_bytes(suite, SECRET), q.ChainId.from_name("x"))
        for thing in (secret, guard):
            for text in (repr(thing), str(thing), f"{thing}"):
                assert SECRET.hex() not in text and SECRET.hex()[:12] not in text
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with pytest.raises(TypeError, match="cannot be pickled"):
                    pickle.dumps(thing, protocol)
            with pytest.raises(TypeError):
                copy.copy(thing)
            with pytest.raises(TypeError):
                copy.deepcopy(thing)
            assert not hasattr(thing, "__dict__")


def test_what_is_verified_cannot_be_made_otherwise(setup: Setup) -> None:
    for kind in VERIFIED:
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            object.__new__(kind)
        with pytest.raises(TypeError):
            type("Sub", (kind,), {})
    verified = setup.vote(0).verify(setup.committee)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(verified, protocol)
    with pytest.raises(AttributeError):
        verified.value = setup.vote(1)  # type: ignore[misc]
    assert copy.deepcopy(verified) is verified


def test_values_survive_pickling_and_copying(setup: Setup) -> None:
    vote = setup.vote(0)
    key = q.UnverifiedKey.prove(setup.secrets[0])
    evidence = q.Equivocation(vote, setup.vote(0, digest=8))
    timeout = q.TimeoutVote.sign_unguarded(setup.secrets[0], setup.committee, 1, 9, 4)
    signers = q.SignerSet(4, [1, 3])
    for value in (
        vote, vote.statement, vote.signature, key, key.public, evidence, timeout, signers,
        setup.committee.id, setup.committee.chain,
    ):  # fmt: skip
        for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert again == value and type(again) is type(value)
    error = q.BelowQuorumError("text", [1], {"signed": 2})
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), same.culprits, same.details) == (q.BelowQuorumError, "text", (1,), {"signed": 2})


def test_suites_are_not_mixed(setup: Setup) -> None:
    other = next(suite for suite in q.Suite if suite != setup.suite)
    foreign = q.SecretKey.generate(other)
    mine, theirs = setup.secrets[0], foreign.sign(b"x")
    for call in (
        lambda: mine.public_key().verify(b"x", theirs),
        lambda: q.UnverifiedKey(mine.public_key(), theirs),
        lambda: q.Vote.sign_unguarded(foreign, setup.committee, setup.statement()),
        lambda: q.Committee(
            setup.committee.chain, 1, [(q.VerifiedKey.of(mine), 1), (q.VerifiedKey.of(foreign), 1)]
        ),
        lambda: q.Vote.decode(other, setup.vote(0).encode()),
        lambda: q.SecretKey.generate("rsa"),
    ):
        with pytest.raises(q.WrongContextError):
            call()
    if setup.suite == q.Suite.ED25519:
        with pytest.raises(q.WrongContextError):
            bls.aggregate([mine.sign(b"x")])


def test_signer_sets_are_sets_of_one_committee() -> None:
    signers = q.SignerSet(5, [3, 1])
    assert list(signers) == [1, 3] and len(signers) == 2 and 3 in signers and 2 not in signers
    assert not signers.insert(3) and not signers.insert(5) and signers.insert(4)
    assert list(~signers) == [0, 2] and signers.is_disjoint(~signers)
    assert signers | ~signers == q.SignerSet.full(5) and len(signers & ~signers) == 0
    with pytest.raises(q.UnknownSignerError):
        q.SignerSet(5, [5])
    with pytest.raises(q.DuplicateSignerError):
        q.SignerSet(5, [1, 1])
    with pytest.raises(TypeError):
        hash(signers)
    with pytest.raises(OverflowError):
        q.SignerSet(65_536)


def test_equality_hash_and_order_follow_the_bytes() -> None:
    first, second = (q.ChainId.from_bytes(bytes([n]) * 32) for n in (1, 2))
    assert first < second and len({first, second, q.ChainId.from_bytes(b"\x01" * 32)}) == 2
    assert first != q.CommitteeId.from_bytes(b"\x01" * 32)
    assert bytes(first) == b"\x01" * 32 and str(first) == "01" * 32
    with pytest.raises(TypeError):
        assert first < q.CommitteeId.from_bytes(b"\x02" * 32)
    secret = q.SecretKey.from_bytes(q.Suite.MIN_PK, SECRET)
    assert hash(secret.sign(b"x")) == hash(secret.sign(b"x"))
    assert {secret.public_key(): 1}[secret.public_key()] == 1


def test_a_writer_hands_its_bytes_over_once() -> None:
    writer = wire.Writer()
    writer.u8(1)
    assert len(writer) == 1 and writer.into_bytes() == b"\x01"
    with pytest.raises(q.ClosedError):
        writer.u8(1)
    with pytest.raises(q.ClosedError):
        writer.into_bytes()


def test_the_codes_are_the_classes(setup: Setup) -> None:
    classes = q.QuorateError.__subclasses__()
    assert sorted(q.CODES) == sorted(each.code for each in classes)
    assert q.CODES[-1] == "CLOSED" and len(set(q.CODES)) == len(q.CODES) == 17
    for each in classes:
        words = each.__name__.removesuffix("Error")
        assert "".join("_" + c if c.isupper() else c.upper() for c in words).strip("_") == each.code
        assert getattr(q, each.__name__) is each
    gc.collect()
