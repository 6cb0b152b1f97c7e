"""Signatures of other chains: under any ciphersuite, with a message per member, in batches; and the header of an
encoding.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import quorate as q
from conftest import Setup
from quorate import bls

CIPHERSUITES = [
    q.Ciphersuite.basic(),
    q.Ciphersuite.message_augmentation(),
    q.Ciphersuite.proof_of_possession(),
    q.Ciphersuite.custom(b"CHAIN_V1"),
]
BLS = [q.Suite.MIN_SIG, q.Suite.MIN_PK]
DEFAULT = q.Ciphersuite.proof_of_possession()


def proof(suite: q.Suite, signatures: list[q.Signature]) -> bytes:
    """The proof of `verify_raw`: an aggregate, or a list of signatures."""
    if suite == q.Suite.ED25519:
        return b"".join(signature.encode() for signature in signatures)
    return bls.aggregate(signatures).encode()


def signed(setup: Setup, ciphersuite: q.Ciphersuite, members: list[int], message: bytes) -> bytes:
    """The proof that these members signed one message."""
    return proof(setup.suite, [setup.secrets[member].sign_with(ciphersuite, message) for member in members])


@pytest.mark.parametrize("ciphersuite", CIPHERSUITES, ids=repr)
def test_a_signature_verifies_under_its_own_ciphersuite_only(setup: Setup, ciphersuite: q.Ciphersuite) -> None:
    if setup.suite not in BLS:
        return
    secret, key, signers = setup.secrets[0], setup.secrets[0].public_key(), q.SignerSet(4, [0, 2])
    signature = secret.sign_with(ciphersuite, b"m")
    data = signed(setup, ciphersuite, [0, 2], b"m")
    for other in CIPHERSUITES:
        committee = setup.committee.with_ciphersuite(other)
        if other == ciphersuite:
            key.verify_with(other, b"m", signature)
            asyncio.run(key.verify_with_async(other, b"m", signature))
            assert committee.verify_raw(b"m", signers, data) == 2
            continue
        with pytest.raises(q.BadSignatureError):
            key.verify_with(other, b"m", signature)
        with pytest.raises(q.BadSignatureError):
            committee.verify_raw(b"m", signers, data)
    assert (signature == secret.sign(b"m")) == (ciphersuite == DEFAULT)


def test_only_bls_has_ciphersuites(setup: Setup) -> None:
    secret, key = setup.secrets[0], setup.secrets[0].public_key()
    signature = secret.sign_with(DEFAULT, b"m")
    key.verify_with(DEFAULT, b"m", signature)
    setup.committee.with_ciphersuite(DEFAULT)
    calls: list[Callable[[], object]] = [
        lambda: secret.sign_with(q.Ciphersuite.basic(), b"m"),
        lambda: setup.committee.with_ciphersuite(q.Ciphersuite.basic()),
    ]
    if setup.suite in BLS:
        for call in calls:
            call()
        return
    for call in [*calls, lambda: key.verify_with(q.Ciphersuite.basic(), b"m", signature)]:
        with pytest.raises(q.WrongContextError):
            call()


def test_the_committee_stays_usable_and_statements_are_not_affected(setup: Setup) -> None:
    if setup.suite not in BLS:
        return
    basic = setup.committee.with_ciphersuite(q.Ciphersuite.basic())
    assert basic == setup.committee and basic is not setup.committee
    setup.vote(0).verify(basic)
    setup.certificate().verify(setup.committee)
    assert q.Certificate.decode(setup.certificate().encode(), basic).verify(basic).committee == setup.committee.id
    everyone = q.SignerSet.full(4)
    assert setup.committee.verify_raw(b"m", everyone, signed(setup, DEFAULT, [0, 1, 2, 3], b"m")) == 4
    # A signature of another chain is never a vote.
    digest = setup.statement().signed_bytes(setup.committee.id)
    forged = q.Vote(setup.statement(), 0, setup.secrets[0].sign_with(q.Ciphersuite.basic(), digest))
    with pytest.raises(q.BadSignatureError):
        forged.verify(basic)


def each_signed(setup: Setup, votes: list[tuple[int, bytes]]) -> bytes:
    return proof(setup.suite, [setup.secrets[member].sign(message) for member, message in votes])


PLAIN = [*BLS, q.Suite.ED25519]


def test_each_member_signs_its_own_message(setup: Setup) -> None:
    if setup.suite not in PLAIN:
        return
    committee = setup.committee
    votes = [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")]
    data = each_signed(setup, votes)
    assert committee.verify_raw_each(votes, data) == 3
    assert committee.verify_raw_each(dict(votes).items(), bytearray(data)) == 3
    buffers = [(member, bytearray(message)) for member, message in votes]
    check = committee.verify_raw_each_async(buffers, data)
    buffers[0][1][:] = b"changed"
    assert asyncio.run(check) == 3

    with pytest.raises(q.BadSignatureError) as caught:
        committee.verify_raw_each([votes[0], (2, b"vote 3"), (3, b"vote 2")], data)
    assert caught.value.culprits == ((2, 3) if setup.suite == q.Suite.ED25519 else ())
    for members, error in [
        ([0, 3, 2], q.DuplicateSignerError),
        ([0, 2, 2], q.DuplicateSignerError),
        ([0, 2, 4], q.UnknownSignerError),
    ]:
        with pytest.raises(error):
            committee.verify_raw_each([(member, b"m") for member in members], data)
    with pytest.raises(q.BelowQuorumError):
        committee.verify_raw_each([], b"" if setup.suite == q.Suite.ED25519 else data)


def test_lists_of_messages_are_read_only_up_to_their_limit(setup: Setup) -> None:
    def endless(item: Any) -> Any:
        while True:
            yield item

    with pytest.raises(q.DuplicateSignerError):
        setup.committee.verify_raw_each(endless((1, b"m")), b"")
    if setup.suite == q.Suite.ED25519:
        with pytest.raises(q.TooLargeError) as caught:
            setup.committee.verify_raw_batch(endless((b"m", q.SignerSet(4, [0]), b"")))
        assert caught.value.details == {"what": "list", "limit": 1 << 22}
    wrong: Any
    for wrong in ("text", 7, [b"m"], [(0, "text")], [("0", b"m")]):
        with pytest.raises(TypeError, match="signed"):
            setup.committee.verify_raw_each(wrong, b"")
    for wrong in ("text", 7, [(b"m", [0], b"")]):
        with pytest.raises(TypeError, match="items"):
            setup.committee.verify_raw_batch(wrong)


def test_a_batch_gives_each_item_its_own_verdict(setup: Setup) -> None:
    if setup.suite not in PLAIN:
        return
    committee, three, two = setup.committee, q.SignerSet(4, [0, 1, 2]), q.SignerSet(4, [1, 3])

    def made(members: list[int], message: bytes) -> bytes:
        return proof(setup.suite, [setup.secrets[member].sign(message) for member in members])

    items = [
        (b"a", three, made([0, 1, 2], b"a")),
        (b"x", three, made([0, 1, 2], b"c")),
        (b"a", q.SignerSet.full(3), made([0, 1, 2], b"a")),
        (b"a", q.SignerSet(4), b"" if setup.suite == q.Suite.ED25519 else made([0, 1, 2], b"a")),
        (b"a", three, b"garbage"),
        (b"b", two, made([1, 3], b"b")),
    ]
    check = committee.verify_raw_batch_async(items)
    two.insert(0)  # too late
    verdicts = asyncio.run(check)
    assert [verdict if isinstance(verdict, int) else verdict.code for verdict in verdicts] == [
        3, "BAD_SIGNATURE", "WRONG_CONTEXT", "BELOW_QUORUM", "MALFORMED", 2,
    ]  # fmt: skip
    bad = verdicts[1]
    assert isinstance(bad, q.BadSignatureError)
    assert bad.culprits == ((0, 1, 2) if setup.suite == q.Suite.ED25519 else ())
    assert isinstance(committee.verify_raw_batch(items)[-1], q.QuorateError)
    assert committee.verify_raw_batch([]) == []
    if setup.suite in BLS:
        basic = q.Ciphersuite.basic()
        raw = (b"m", three, signed(setup, basic, [0, 1, 2], b"m"))
        assert committee.with_ciphersuite(basic).verify_raw_batch([raw, raw]) == [3, 3]
        assert isinstance(committee.verify_raw_batch([raw])[0], q.BadSignatureError)


def test_ciphersuites_are_values() -> None:
    for ciphersuite in CIPHERSUITES:
        assert q.Ciphersuite.decode(ciphersuite.encode()) == ciphersuite
        assert pickle.loads(pickle.dumps(ciphersuite)) == ciphersuite
    assert len({ciphersuite.encode() for ciphersuite in CIPHERSUITES}) == len(CIPHERSUITES)
    assert repr(q.Ciphersuite.custom(b"CHAIN_V1")) == 'Ciphersuite(custom "CHAIN_V1")'
    with pytest.raises(q.MalformedError):
        q.Ciphersuite.custom(b"")
    with pytest.raises(q.TooLargeError):
        q.Ciphersuite.custom(bytes(256))
    with pytest.raises(q.NonCanonicalError):
        q.Ciphersuite.custom(b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_")  # the default, as a custom tag
    for data in (b"", b"\x04", b"\x00\x00", b"\x03\x00"):
        with pytest.raises(q.MalformedError):
            q.Ciphersuite.decode(data)


def test_the_header_says_which_committee_an_encoding_names(setup: Setup) -> None:
    timeout = q.TimeoutVote.sign_unguarded(setup.secrets[0], setup.committee, 2, 9, 4)
    evidence = q.Equivocation(setup.vote(0), setup.vote(0, digest=8))
    for kind, data in [
        (1, setup.vote(0).encode()),
        (1, setup.certificate().encode()),
        (1, evidence.encode()),
        (2, timeout.encode()),
    ]:
        header = q.UntrustedHeader.peek(data)
        assert (header.suite, header.kind, header.epoch, header.view) == (setup.suite, kind, 3, 9)
        assert header.encode() == data[:18] and q.UntrustedHeader.decode(data[:18]) == header
        assert pickle.loads(pickle.dumps(header)) == header
        with pytest.raises(q.MalformedError):
            q.UntrustedHeader.peek(data[:17])
        with pytest.raises(q.MalformedError):
            q.UntrustedHeader.decode(data[:19])
        with pytest.raises(q.WrongContextError):
            q.UntrustedHeader.peek(b"\xff" + data[1:])
