"""DSig in idiomatic Python. What is not about Python is in `bindings/interface/operations/behaviour/dsig.rs`."""

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
from dsig_signers import NOW, SECRET, prepared, signer_of, verifier_of
from quorate import dsig


def test_groups_and_hints_are_any_iterables() -> None:
    signer = signer_of(groups=[{0, 1, 2}, range(2), iter([7])])
    groups = []
    while (announced := signer.prepare(NOW)) is not None:
        groups.append(announced.to)
    assert sorted(map(str, groups)) == ["None", "[0, 1, 2]", "[0, 1]", "[7]"]
    for hint in ([1], (2, 0), {7}, range(2)):
        signer.sign(b"m", hint, NOW)


def test_a_signer_closes_with_its_block() -> None:
    secret = q.SecretKey.from_bytes("ed25519", SECRET)
    with dsig.Signer(secret) as signer:
        assert secret.closed and not signer.closed
    assert signer.closed
    with pytest.raises(q.ClosedError):
        asyncio.run(signer.prepare_async())
    secret = q.SecretKey.generate("ed25519")
    with pytest.raises(q.WrongContextError):
        dsig.Signer(secret, "wots")
    assert not secret.closed, "an argument of no value"


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


def test_messages_of_any_length_and_kind_of_buffer_sign() -> None:
    signer = signer_of()
    prepared(signer)
    for message in (b"", bytearray(b"m"), memoryview(bytes(1 << 20))):
        dsig.verify(signer.public_key, bytes(message), signer.sign(message, now=NOW))


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    signer = signer_of()
    verifier, key = verifier_of(signer), signer.public_key
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
        ("lifetime", ValueError, lambda: signer_of(lifetime=timedelta(microseconds=-1))),
        ("interval", ValueError, lambda: dsig.Verifier(interval=timedelta(days=-1))),
        ("now", OverflowError, lambda: signer.prepare(-1)),
        ("now", OverflowError, lambda: verifier.announce(key, b"", 1 << 64)),
        ("burst", OverflowError, lambda: dsig.Verifier(burst=1 << 32)),
    ]
    for name, kind, call in ranges:
        with pytest.raises(kind, match=name):
            call()
    suites: list[Callable[[], object]] = [
        lambda: dsig.Verifier("rsa"),
        lambda: dsig.Auditor("WOTS-BLAKE3"),
        lambda: dsig.verify_reuse("", b""),
        lambda: dsig.verify_all("3", []),
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
