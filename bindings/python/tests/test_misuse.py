"""Bad input and misuse: the language's own error or ours with its code, and never the end of the process."""

from __future__ import annotations

import asyncio
import copy
import doctest
import json
import pickle
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import quorate
from quorate import (
    Certificate,
    ChainId,
    Committee,
    Guard,
    PublicKey,
    SecretKey,
    Signature,
    SignerSet,
    Suite,
    Suspects,
    UnverifiedKey,
    VerifiedCertificate,
    VerifiedKey,
    Vote,
    VoteCollector,
    merkle,
    wire,
)

HERE = Path(__file__).parent
SECRETS = [SecretKey.from_bytes(Suite.MIN_SIG, bytes([i] * 32)) for i in range(1, 5)]
CHAIN = ChainId.from_name("misuse")
COMMITTEE = Committee(CHAIN, 0, [(VerifiedKey.of(secret), 1) for secret in SECRETS])
STATEMENT = COMMITTEE.statement(1, 7, bytes(32))
VOTES = [Vote.sign_unguarded(secret, COMMITTEE, STATEMENT) for secret in SECRETS]


def certificate() -> Certificate:
    collector = VoteCollector(COMMITTEE, 1, 7)
    made = [collector.add(vote, Suspects()).certificate for vote in VOTES[:3]]
    assert made[2] is not None
    return made[2].value


NOT_BYTES: list[Any] = [None, 7, "text", 1.5, [1, 2], object()]


@pytest.mark.parametrize("bad", NOT_BYTES, ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: SecretKey.from_bytes(Suite.MIN_SIG, bad),
        lambda bad: PublicKey.decode(Suite.MIN_PK, bad),
        lambda bad: Signature.decode_link(Suite.ED25519, bad),
        lambda bad: Vote.decode(Suite.MIN_SIG, bad),
        lambda bad: Certificate.decode(bad, COMMITTEE),
        lambda bad: COMMITTEE.statement(1, 1, bad),
        lambda bad: ChainId.from_bytes(bad),
        lambda bad: wire.Reader(bad),
        lambda bad: merkle.Merkle("a", "b").leaf(bad),
        lambda bad: SECRETS[0].sign(bad),
    ],
)
def test_what_is_no_buffer_is_a_type_error(call: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(TypeError):
        call(bad)


@pytest.mark.parametrize("bad", [None, 3, b"x", "vote"], ids=repr)
def test_another_type_in_an_object_s_place_is_a_type_error(bad: Any) -> None:
    for call in (
        lambda: VOTES[0].verify(bad),
        lambda: Certificate.decode(b"", bad),
        lambda: Committee(bad, 0, []),
        lambda: Committee(CHAIN, 0, [(bad, 1)]),
        lambda: VoteCollector(COMMITTEE, 1, 7).add(bad, Suspects()),
        lambda: Guard(bad, CHAIN),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("length", [0, 1, 31, 33, 47, 49, 95, 97, 10_000, 1 << 20])
def test_wrong_lengths_are_refused(length: int) -> None:
    data = b"\x80" * length
    for call in (
        lambda: SecretKey.from_bytes(Suite.MIN_SIG, data),
        lambda: PublicKey.decode(Suite.MIN_SIG, data),
        lambda: Signature.decode(Suite.MIN_SIG, data),
        lambda: ChainId.from_bytes(data),
        lambda: COMMITTEE.statement(1, 1, data),
    ):
        with pytest.raises((quorate.MalformedError, quorate.NonCanonicalError)) as raised:
            call()
        assert raised.value.code in ("MALFORMED", "NON_CANONICAL") and isinstance(raised.value, ValueError)


def test_every_truncation_and_every_flipped_byte_of_a_certificate_is_refused() -> None:
    data = certificate().encode()
    for end in range(len(data)):
        with pytest.raises(quorate.QuorateError):
            Certificate.decode(data[:end], COMMITTEE)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(quorate.QuorateError):
            Certificate.decode(changed, COMMITTEE).verify(COMMITTEE)


def test_numbers_out_of_range_are_refused_before_anything_happens() -> None:
    for bad in (-1, 256, 1 << 64, 1 << 200):
        with pytest.raises((OverflowError, ValueError)):
            COMMITTEE.statement(bad, 1, bytes(32))
    for bad in (-1, 1 << 64):
        with pytest.raises((OverflowError, ValueError)):
            COMMITTEE.statement(1, bad, bytes(32))
    for bad in (-1, 1 << 16, 1 << 64):
        with pytest.raises((OverflowError, ValueError)):
            SignerSet(bad)
    with pytest.raises((OverflowError, ValueError)):
        Committee(CHAIN, 0, [(VerifiedKey.of(SECRETS[0]), -1)])
    with pytest.raises(quorate.BadCommitteeError):
        Committee(CHAIN, 0, [(VerifiedKey.of(SECRETS[0]), 0)])
    with pytest.raises(quorate.BadCommitteeError):
        Committee(CHAIN, 0, [])


def test_a_huge_length_allocates_nothing() -> None:
    with pytest.raises(quorate.TooLargeError):
        wire.Reader(b"\xff\xff\xff\xff").bytes(1000)
    with pytest.raises(quorate.MalformedError):
        wire.Reader(b"\xff\xff\xff\xff").bytes((1 << 32) - 1)


def test_buffers_of_all_kinds_are_read_alike() -> None:
    data = VOTES[0].encode()
    padded = b"xx" + data + b"yy"
    for view in (bytearray(data), memoryview(data), memoryview(padded)[2:-2], memoryview(bytearray(data))):
        assert Vote.decode(Suite.MIN_SIG, view) == VOTES[0]
    released = memoryview(data)
    released.release()
    with pytest.raises((ValueError, BufferError, TypeError)):
        Vote.decode(Suite.MIN_SIG, released)


def test_secrets_show_themselves_to_nobody() -> None:
    secret = SecretKey.from_bytes(Suite.ED25519, bytes(range(32)))
    hidden = bytes(range(32)).hex()
    guard = Guard(SecretKey.from_bytes(Suite.ED25519, bytes(range(32))), CHAIN)
    for value in (secret, guard):
        assert hidden not in f"{value} {value!r} {vars(type(value)).get('__dict__')}"
        for steal in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps):
            with pytest.raises(TypeError):
                steal(value)


def test_use_after_close_and_after_handing_over() -> None:
    with SecretKey.generate(Suite.MIN_SIG) as secret:
        secret.public_key()
    assert secret.closed
    with pytest.raises(quorate.ClosedError) as raised:
        secret.sign(b"")
    assert raised.value.code == "CLOSED"
    secret.close()

    mine = SecretKey.generate(Suite.MIN_SIG)
    guard = Guard(mine, CHAIN)
    for call in (mine.to_bytes, lambda: Guard(mine, CHAIN), lambda: UnverifiedKey.prove(mine)):
        with pytest.raises(quorate.ClosedError):
            call()
    guard.close()
    with pytest.raises(quorate.ClosedError):
        guard.sign(COMMITTEE, STATEMENT)


def test_what_was_verified_cannot_be_made_up() -> None:
    for kind in (VerifiedCertificate, VerifiedKey, quorate.VerifiedVote):
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            type("Forged", (kind,), {})
        with pytest.raises(TypeError):
            kind.__new__(kind)


def test_suites_do_not_mix() -> None:
    other = SecretKey.generate(Suite.ED25519)
    for call in (
        lambda: Vote.sign_unguarded(other, COMMITTEE, STATEMENT),
        lambda: SECRETS[0].public_key().verify(b"", other.sign(b"")),
        lambda: Vote.decode(Suite.MIN_PK, VOTES[0].encode()),
    ):
        with pytest.raises(quorate.WrongContextError) as raised:
            call()
        assert raised.value.details["what"] == "suite"
    with pytest.raises((ValueError, TypeError, quorate.QuorateError)):
        SecretKey.generate("no-such-suite")  # type: ignore[arg-type]


def test_an_error_says_who_and_what_and_survives_pickling() -> None:
    forged = Vote(STATEMENT, 1, VOTES[0].signature)
    with pytest.raises(quorate.BadSignatureError) as raised:
        forged.verify(COMMITTEE)
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.culprits == (1,) and again.code == "BAD_SIGNATURE" and str(again) == str(raised.value)


def test_many_threads_use_the_same_objects() -> None:
    """One guard, one collector, one set: no panic, no torn state, one certificate, no contradiction."""
    guard = Guard(SecretKey.from_bytes(Suite.MIN_SIG, bytes([1] * 32)), CHAIN)
    collector, suspects, everyone = VoteCollector(COMMITTEE, 1, 7), Suspects(), SignerSet(4)
    certificates, signed, errors = [], [], []

    def work(number: int) -> None:
        for view in range(20):
            try:
                digest = bytes([number] * 32)
                signed.append((view, guard.sign(COMMITTEE, COMMITTEE.statement(2, view, digest))[0]))
            except quorate.ContradictionError:
                pass
            except BaseException as error:
                errors.append(error)
            collected = collector.add(VOTES[view % 4], suspects)
            certificates.extend([collected.certificate] if collected.certificate else [])
            everyone.insert(view % 4)
            len(everyone), list(everyone), repr(collector)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(certificates) == 1 and len(everyone) == 4
    views = {}
    for view, vote in signed:
        assert views.setdefault(view, vote.statement) == vote.statement


def test_closing_while_others_use_it_is_an_error_for_them() -> None:
    secret = SecretKey.generate(Suite.MIN_SIG)
    outcomes: list[str] = []

    def sign() -> None:
        for _ in range(50):
            try:
                secret.sign(b"m")
                outcomes.append("ok")
            except quorate.ClosedError:
                outcomes.append("closed")

    threads = [threading.Thread(target=sign) for _ in range(4)]
    for thread in threads:
        thread.start()
    secret.close()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 200 and outcomes[-1] == "closed"


def test_asyncio_gives_the_same_verdicts() -> None:
    async def check() -> None:
        good = certificate()
        verified = await good.verify_async(COMMITTEE)
        assert verified.value == good and verified.committee == COMMITTEE.id
        with pytest.raises(quorate.BadSignatureError):
            await Vote(STATEMENT, 1, VOTES[0].signature).verify_async(COMMITTEE)
        verdicts = await Certificate.verify_batch_async(COMMITTEE, [good, good])
        assert all(isinstance(verdict, VerifiedCertificate) for verdict in verdicts)
        await asyncio.gather(*(vote.verify_async(COMMITTEE) for vote in VOTES))

    asyncio.run(check())


def test_values_are_equal_hashable_and_readable() -> None:
    again = Vote.decode(Suite.MIN_SIG, VOTES[0].encode())
    assert again == VOTES[0] and again != VOTES[1]
    keys = {secret.public_key() for secret in SECRETS} | {SECRETS[0].public_key()}
    assert len(keys) == 4
    assert str(CHAIN) == bytes(CHAIN).hex() and ChainId.from_bytes(bytes(CHAIN)) == CHAIN
    assert ChainId.from_bytes(bytes(COMMITTEE.id)) != COMMITTEE.id, "a chain is no committee"


def test_the_tour_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE.parent / "examples" / "tour.py"))
    assert capsys.readouterr().out == "forged: [1]; certificate of 100 bytes\nsigned by [0, 2, 3]\n"


def test_the_readme_s_examples_run() -> None:
    result = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 20


def test_the_matrix_reads_what_it_writes(tmp_path: Path) -> None:
    for command in ("write", "read"):
        run = subprocess.run(
            [sys.executable, str(HERE / "matrix.py"), command, str(tmp_path)], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
    assert "3 files read" in run.stdout
