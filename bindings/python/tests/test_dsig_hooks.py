"""The hooks of DSig in Python: exceptions, recursion, threads, coroutines and garbage collection."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import quorate as q
from conftest import code_of
from quorate import dsig

NOW = 1_000_000
WRONG: Any = object()


def signer_of() -> dsig.Signer:
    signer = dsig.Signer(q.SecretKey.generate("ed25519"), log2_batch=2, low_water=1)
    assert signer.prepare(NOW) is not None
    return signer


def verifier_of(*signers: dsig.Signer) -> dsig.Verifier:
    verifier = dsig.Verifier()
    for signer in signers:
        verifier.admit(signer.public_key)
    return verifier


class Broken(Exception):
    """Raised by a hook."""


class Hook:
    """Returns the given answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[object] = []

    def __call__(self, *asked: object) -> Any:
        self.asked.extend(asked or ["asked"])
        if callable(self.answer):
            return self.answer()
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def test_answers_have_64_bits_and_coroutines_ask_too() -> None:
    signer, hook = signer_of(), Hook((1 << 64) - 1)
    signer.detect_copies(hook)
    assert asyncio.run(signer.prepare_async(NOW)) is None
    hook.answer = 0
    assert asyncio.run(signer.prepare_async(NOW)) is not None
    signer.sign(b"m", now=NOW)
    signer.close()
    hook.asked.clear()
    with pytest.raises(q.ClosedError):
        signer.sign(b"m", now=NOW)
    assert not hook.asked, "a closed signer must not call its hook"


def test_an_exception_in_a_signer_s_hook_refuses_to_sign() -> None:
    signer, hook = signer_of(), Hook(Broken())
    with pytest.raises(Broken):
        signer.detect_copies(hook)
    signer.sign(b"m", now=NOW)
    hook.answer = 1
    signer.detect_copies(hook)
    calls: list[Callable[[], object]] = [
        lambda: signer.sign(b"m", now=NOW),
        lambda: signer.prepare(NOW),
        lambda: asyncio.run(signer.prepare_async(NOW)),
        lambda: signer.detect_copies(hook),
    ]
    answers: list[tuple[object, type[BaseException]]] = [
        (Broken(), Broken),
        (KeyboardInterrupt(), KeyboardInterrupt),
        ("1", TypeError),
        (1.0, TypeError),
        (None, TypeError),
        (-1, OverflowError),
        (1 << 64, OverflowError),
    ]
    for hook.answer, kind in answers:
        for call in calls:
            with pytest.raises(kind):
                call()
    assert signer.ready == 3, "nothing was signed, and nothing was wiped"
    hook.answer = 1
    signer.sign(b"m", now=NOW)


def test_endless_recursion_in_a_hook_is_reported() -> None:
    signer, hook = signer_of(), Hook(1)
    key, verifier, signature = signer.public_key, verifier_of(signer), signer.sign(b"m", now=NOW)
    signer.detect_copies(hook)
    hook.answer = lambda: len(signer.sign(b"m", now=NOW))
    with pytest.raises(RecursionError):
        signer.sign(b"m", now=NOW)
    assert signer.ready == 3
    verifier.check_revocation(lambda _: verifier.can_verify_fast(key, signature))
    with pytest.raises(RecursionError):
        verifier.verify(key, b"m", signature)


def test_a_hook_is_asked_about_the_same_key_and_its_refusal_says_so() -> None:
    signer, hook = signer_of(), Hook(True)
    key, verifier, signature = signer.public_key, verifier_of(signer), signer.sign(b"m", now=NOW)
    verifier.check_revocation(hook)
    for what in ("revoked signer", "signer"):
        with pytest.raises(q.WrongContextError) as caught:
            verifier.verify(key, b"m", signature)
        assert caught.value.details == {"what": what}
        hook.answer = lambda: not verifier.revoke(key)
    assert all(asked is key for asked in hook.asked) and len(hook.asked) == 2


def test_an_exception_in_a_verifier_s_hook_refuses_to_verify() -> None:
    signer = signer_of()
    key, verifier, hook = signer.public_key, verifier_of(signer), Hook(False)
    announcement, signature = signer.announcements()[0].announcement, signer.sign(b"m", now=NOW)
    verifier.check_revocation(hook)
    calls: list[Callable[[], object]] = [
        lambda: verifier.verify(key, b"m", signature),
        lambda: verifier.announce(key, announcement, NOW),
        lambda: verifier.can_verify_fast(key, signature),
    ]

    async def answer() -> bool:
        return False

    coroutine = answer()
    answers: list[tuple[object, type[BaseException]]] = [
        (Broken(), Broken),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (coroutine, TypeError),
        (None, TypeError),
        (0, TypeError),
        ("", TypeError),
    ]
    for hook.answer, kind in answers:
        for call in calls:
            with pytest.raises(kind):
                call()
    coroutine.close()
    hook.answer = False
    assert not verifier.can_verify_fast(key, signature), "nothing was taken in meanwhile"
    verifier.verify(key, b"m", signature)


def test_a_thread_does_not_wait_for_another_one_s_hook() -> None:
    signer, other = signer_of(), signer_of()
    verifier, key = verifier_of(signer, other), signer.public_key
    signature, fine = signer.sign(b"m", now=NOW), other.sign(b"m", now=NOW)
    inside, go_on = threading.Event(), threading.Event()

    def slow(asked: q.PublicKey) -> bool:
        if asked == key:
            inside.set()
            assert go_on.wait(60)
            return True
        return False

    verifier.check_revocation(slow)
    with ThreadPoolExecutor(1) as background:
        verifying = background.submit(code_of, lambda: verifier.verify(key, b"m", signature))
        assert inside.wait(60)
        # Each call gets the answer for its own signer, in any order.
        verifier.verify(other.public_key, b"m", fine)
        assert verifier.can_verify_fast(other.public_key, fine) and verifier.suite == "wots-blake3"
        go_on.set()
        assert verifying.result() == "WRONG_CONTEXT"
    verifier.verify(other.public_key, b"m", fine)


def test_hooks_are_garbage_collected_with_their_references() -> None:
    hooks = [Hook(1), Hook(False), Hook(1), Hook(1), Hook(False)]
    gone = [weakref.ref(hook) for hook in hooks]
    signer, verifier, closed = signer_of(), dsig.Verifier(), signer_of()
    # A cycle through each: a signer that is never collected is never wiped.
    signer.detect_copies(hooks[0])
    verifier.check_revocation(hooks[1])
    hooks[0].asked.append(signer)
    hooks[1].asked.append(verifier)
    # A replaced hook is released at once, and so is that of a closed signer.
    signer.detect_copies(hooks[2])
    signer.detect_copies(hooks[0])
    closed.detect_copies(hooks[3])
    closed.close()
    verifier.check_revocation(hooks[4])
    verifier.check_revocation(hooks[1])
    del hooks
    gc.collect()
    assert [at for at, hook in enumerate(gone) if hook() is None] == [2, 3, 4]
    del signer, verifier
    gc.collect()
    assert all(hook() is None for hook in gone)


def test_an_invalid_hook_is_refused_by_name() -> None:
    signer = signer_of()
    calls: list[Callable[[], object]] = [
        lambda: signer.detect_copies(WRONG),
        lambda: signer.detect_copies(None),  # type: ignore[arg-type]
        lambda: dsig.Verifier().check_revocation(WRONG),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="hook"):
            call()
    # With another number of arguments.
    takes_two: Any = lambda one, other: False  # noqa: E731
    verifier = verifier_of(signer)
    verifier.check_revocation(takes_two)
    with pytest.raises(TypeError):
        verifier.verify(signer.public_key, b"m", signer.sign(b"m", now=NOW))
