"""DSig in idiomatic Python: one-time keys sign once, whatever happens to the objects, and no call crashes."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import quorate as q
from dsig_signers import NOW, SECRET, VECTORS, prepared, signer_of, verifier_of
from quorate import dsig


@pytest.mark.parametrize("suite", dsig.SUITES)
def test_every_suite_signs_and_verifies_fast_and_slowly(suite: str) -> None:
    signer = signer_of(suite, 1)
    key, told, untold = signer.public_key, verifier_of(signer), verifier_of(signer)
    announced = prepared(signer)
    assert announced.to is None and signer.announcements() == [announced] and signer.ready == 2
    told.announce(key, announced.announcement, NOW)
    signature = signer.sign(b"message", now=NOW)
    assert len(signature) == dsig.signature_len(suite) and signer.ready == 1
    assert told.can_verify_fast(key, signature) and not untold.can_verify_fast(key, signature)
    for verify in (told.verify, untold.verify, dsig.verify, dsig.Auditor(suite).check):
        verify(key, b"message", signature)
        with pytest.raises(q.BadSignatureError):
            verify(key, b"another", signature)
    assert untold.can_verify_fast(key, signature)
    signer.sign(b"message", now=NOW)
    with pytest.raises(q.ExhaustedError, match="prepare a batch") as caught:
        signer.sign(b"message", now=NOW)
    assert caught.value.code == "EXHAUSTED" and signer.announcements() == []


def test_the_system_s_clock_is_the_default() -> None:
    signer = signer_of()
    verifier, key = verifier_of(signer), signer.public_key
    while (announced := signer.prepare()) is not None:
        verifier.announce(key, announced.announcement)
    signature = signer.sign(b"m")
    assert verifier.can_verify_fast(key, signature)
    with pytest.raises(q.ExhaustedError):
        signer.sign(b"m", now=NOW)  # a clock that went back


def members_of(announced: dsig.Announced) -> frozenset[int] | None:
    return None if announced.to is None else frozenset(announced.to)


def test_the_hint_picks_the_smallest_group() -> None:
    signer = signer_of(groups=[{0, 1, 2}, range(2), iter([7])])
    groups = set()
    while (announced := signer.prepare(NOW)) is not None:
        groups.add(members_of(announced))
    assert groups == {frozenset({0, 1, 2}), frozenset({0, 1}), frozenset({7}), None} and signer.ready == 16
    told = {group: verifier_of(signer) for group in groups}
    for announced in signer.announcements():
        told[members_of(announced)].announce(signer.public_key, announced.announcement, NOW)
    for hint, members in (([1], {0, 1}), ((2, 0), {0, 1, 2}), ({7}, {7}), ([0, 7], None), ([], None)):
        signature = signer.sign(b"m", hint, NOW)
        fast = [who for who, verifier in told.items() if verifier.can_verify_fast(signer.public_key, signature)]
        assert fast == [None if members is None else frozenset(members)]


def test_keys_expire_and_are_wiped_on_demand() -> None:
    signer = signer_of(lifetime=timedelta(seconds=2))
    prepared(signer)
    assert signer.prepare(NOW) is None
    signer.sign(b"m", now=NOW + 1_999_999)
    with pytest.raises(q.ExhaustedError):
        signer.sign(b"m", now=NOW + 2_000_000)
    prepared(signer)
    signer.invalidate()
    assert signer.ready == 0
    with pytest.raises(q.ExhaustedError):
        signer.sign(b"m", now=NOW)


def test_a_signer_consumes_the_secret_and_closes() -> None:
    secret = q.SecretKey.from_bytes("ed25519", SECRET)
    key = secret.public_key()
    with dsig.Signer(secret) as signer:
        assert secret.closed and signer.public_key == key and not signer.closed
    signer.close()
    assert signer.closed
    for call in (
        signer.prepare,
        signer.announcements,
        signer.invalidate,
        lambda: signer.sign(b"m"),
        lambda: signer.sign(bytes(1 << 20)),
        lambda: signer.ready,
        lambda: signer.suite,
        lambda: signer.public_key,
        lambda: asyncio.run(signer.prepare_async()),
        lambda: dsig.Signer(secret),
    ):
        with pytest.raises(q.ClosedError):
            call()
    secret = q.SecretKey.generate("ed25519")
    with pytest.raises(q.WrongContextError):
        dsig.Signer(secret, "wots")
    assert not secret.closed, "an argument of no value"
    with pytest.raises(q.TooLargeError):
        dsig.Signer(secret, log2_batch=8)
    assert secret.closed, "taken over also then"
    with pytest.raises(q.WrongContextError):
        dsig.Signer(q.SecretKey.generate("bls-min-pk"))


def test_signers_are_never_printed_pickled_or_copied() -> None:
    signer = signer_of()
    prepared(signer)
    for text in (repr(signer), str(signer), f"{signer}"):
        assert SECRET.hex()[:12] not in text and text.startswith("Signer(wots-blake3, ")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(signer, protocol)
    for copied in (copy.copy, copy.deepcopy, json.dumps):
        with pytest.raises(TypeError):
            copied(signer)
    with pytest.raises(TypeError):
        type("Sub", (dsig.Signer,), {})
    assert not hasattr(signer, "__dict__") and "closed" not in repr(signer)
    signer.close()
    assert repr(signer) == "Signer(closed)"


def test_a_second_use_is_refused_and_is_evidence() -> None:
    # The evidence is from the vectors: no signer produces it.
    cases = json.loads(VECTORS.read_text())["cases"]
    evidence = next(bytes.fromhex(c["input"]["evidence"]) for c in cases if c["name"] == "reuse/two-messages")
    key = q.PublicKey.decode("ed25519", evidence[:32])
    half = len(evidence[32:]) // 2
    (m, one), (n, other) = ((part[4:-1584], part[-1584:]) for part in (evidence[32:][:half], evidence[32:][half:]))
    verifier, auditor = dsig.Verifier(), dsig.Auditor()
    verifier.admit(key)
    for check in (verifier.verify, auditor.check):
        check(key, m, one)
        with pytest.raises(q.OneTimeReuseError):
            check(key, n, other)
        check(key, m, one)
    outcomes = dsig.verify_all("wots-blake3", [(key, m, one), (key, n, other), (key, m, other[:-1])])
    assert [getattr(outcome, "code", None) for outcome in outcomes] == [None, "ONE_TIME_REUSE", "MALFORMED"]
    assert dsig.reuse(key, (m, one), (n, other)) == evidence
    assert dsig.verify_reuse("wots-blake3", evidence) == key
    with pytest.raises(q.NotEvidenceError):
        dsig.reuse(key, (m, one), (m, one))


def test_unknown_flooding_and_revoked_signers_are_refused() -> None:
    signer, stranger = signer_of(), signer_of(secret=bytes([8]) * 32)
    verifier = verifier_of(signer, burst=2, interval=timedelta(microseconds=100))
    key, announcement = signer.public_key, prepared(signer).announcement
    signature = signer.sign(b"m", now=NOW)
    with pytest.raises(q.WrongContextError):
        verifier.announce(stranger.public_key, announcement, NOW)
    verifier.announce(key, announcement, NOW)
    with pytest.raises(q.MalformedError):
        verifier.announce(key, announcement[:-1], NOW)
    with pytest.raises(q.RateLimitedError) as caught:
        verifier.announce(key, announcement, NOW)
    assert caught.value.code == "RATE_LIMITED"
    verifier.announce(key, announcement, NOW + 100)
    assert verifier.revoke(key) and not verifier.revoke(key)
    assert not verifier.can_verify_fast(key, signature)
    with pytest.raises(q.WrongContextError):
        verifier.verify(key, b"m", signature)


def test_truncations_and_changed_bytes_are_refused() -> None:
    signer = signer_of()
    key, verifier = signer.public_key, verifier_of(signer)
    announcement = prepared(signer).announcement
    verifier.announce(key, announcement, NOW)
    signature = signer.sign(b"message", now=NOW)
    for end in [*range(40), *range(40, len(signature), 29)]:
        for check in (verifier.verify, dsig.verify):
            with pytest.raises(q.MalformedError):
                check(key, b"message", signature[:end])
    # Every byte of the fields; the core's tests also change every byte of the hashes.
    for at in [*range(136), *range(136, len(signature), 29)]:
        changed = bytearray(signature)
        changed[at] ^= 1
        for check in (verifier.verify, dsig.verify):
            with pytest.raises(q.QuorateError):
                check(key, b"message", changed)
    for end in range(0, len(announcement), 7):
        with pytest.raises(q.QuorateError):
            verifier_of(signer).announce(key, announcement[:end], NOW)
    for data in (b"", bytes(1 << 20), signature + b"\0"):
        for call in (
            lambda: verifier.can_verify_fast(key, data),
            lambda: verifier.verify(key, b"message", data),
            lambda: dsig.verify(key, b"message", data),
            lambda: dsig.verify_reuse("wots-blake3", data),
            lambda: dsig.reuse(key, (b"1", data), (b"2", data)),
        ):
            with pytest.raises((ValueError, q.WrongContextError)):
                call()


def test_messages_of_any_length_and_kind_of_buffer_sign() -> None:
    signer = signer_of()
    prepared(signer)
    for message in (b"", bytearray(b"m"), memoryview(bytes(1 << 20))):
        dsig.verify(signer.public_key, bytes(message), signer.sign(message, now=NOW))


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    signer = signer_of()
    verifier, key, other = verifier_of(signer), signer.public_key, q.SecretKey.generate("bls-min-sig").public_key()
    wrong: Any = object()
    types: list[tuple[str, Callable[[], object]]] = [
        ("secret", lambda: dsig.Signer(wrong)),
        ("suite", lambda: dsig.Verifier(wrong)),
        ("groups", lambda: signer_of(groups=wrong)),
        ("groups", lambda: signer_of(groups=["12"])),
        ("lifetime", lambda: signer_of(lifetime=10)),
        ("interval", lambda: dsig.Verifier(interval=wrong)),
        ("message", lambda: signer.sign(wrong)),
        ("hint", lambda: signer.sign(b"", wrong)),
        ("now", lambda: signer.sign(b"", now=wrong)),
        ("signer", lambda: verifier.admit(wrong)),
        ("announcement", lambda: verifier.announce(key, wrong)),
        ("signature", lambda: dsig.verify(key, b"", wrong)),
        ("entries", lambda: dsig.verify_all("wots-blake3", [wrong])),
        ("first", lambda: dsig.reuse(key, wrong, (b"", b""))),
        ("evidence", lambda: dsig.verify_reuse("wots-blake3", wrong)),
    ]
    for name, call in types:
        with pytest.raises(TypeError, match=name):
            call()
    ranges: list[tuple[str, type[Exception], Callable[[], object]]] = [
        ("log2_batch", OverflowError, lambda: signer_of(log2=256)),
        ("low_water", OverflowError, lambda: signer_of(low_water=-1)),
        ("lifetime", ValueError, lambda: signer_of(lifetime=timedelta(microseconds=-1))),
        ("interval", ValueError, lambda: dsig.Verifier(interval=timedelta(days=-1))),
        ("groups", OverflowError, lambda: signer_of(groups=[[65_536]])),
        ("hint", OverflowError, lambda: signer.sign(b"", [-1])),
        ("now", OverflowError, lambda: signer.prepare(-1)),
        ("now", OverflowError, lambda: verifier.announce(key, b"", 1 << 64)),
        ("checked", OverflowError, lambda: dsig.Verifier(checked=-1)),
        ("burst", OverflowError, lambda: dsig.Verifier(burst=1 << 32)),
        ("roots", OverflowError, lambda: dsig.Auditor(roots=-1)),
    ]
    for name, kind, call in ranges:
        with pytest.raises(kind, match=name):
            call()
    suites: list[Callable[[], object]] = [
        lambda: dsig.Verifier("rsa"),
        lambda: dsig.Auditor("WOTS-BLAKE3"),
        lambda: dsig.verify_reuse("", b""),
        lambda: dsig.verify_all("3", []),
        lambda: verifier.admit(other),
        lambda: verifier.revoke(other),
        lambda: dsig.verify(other, b"", b""),
        lambda: dsig.verify_all("wots-blake3", [(other, b"", b"")]),
    ]
    for call in suites:
        with pytest.raises(q.WrongContextError) as caught:
            call()
        assert caught.value.details["what"] == "suite"


def test_sizes_cost_nothing() -> None:
    most = (1 << 64) - 1
    signer = signer_of(low_water=most, lifetime=timedelta.max)
    prepared(signer)
    verifier = verifier_of(signer, announced=most, checked=most, burst=(1 << 32) - 1, interval=timedelta.max)
    auditor, signature = dsig.Auditor(roots=most), signer.sign(b"m", now=NOW)
    verifier.verify(signer.public_key, b"m", signature)
    auditor.check(signer.public_key, b"m", signature)
