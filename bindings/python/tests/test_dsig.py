"""DSig in idiomatic Python. What is not about Python is in `bindings/interface/operations/behaviour/dsig.rs`."""

from __future__ import annotations

import asyncio
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


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    wrong: Any
    for name, wrong in (("groups", object()), ("groups", ["12"])):
        with pytest.raises(TypeError, match=name):
            signer_of(**{name: wrong})
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
