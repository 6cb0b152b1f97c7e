"""What only Python has of DSig's hooks: wrong answers, threads, coroutines and garbage collection."""

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
from conftest import NOW, code_of, prepared, signer_of, verifier_of
from quorate import dsig

WRONG: Any = object()


class Hook:
    """Returns the given answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.holder: object = None

    def __call__(self, *asked: object) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def prepared_signer(secret: bytes = bytes([9]) * 32) -> dsig.Signer:
    signer = signer_of(secret=secret)
    prepared(signer)
    return signer


def test_coroutines_ask_the_hook() -> None:
    signer, hook = prepared_signer(), Hook(1)
    signer.detect_copies(hook)
    assert asyncio.run(signer.prepare_async(NOW)) is None
    hook.answer = 0
    assert asyncio.run(signer.prepare_async(NOW)) is not None
    signer.close()
    hook.answer = AssertionError("a closed signer calls no hook")
    with pytest.raises(q.ClosedError):
        signer.sign(b"m", now=NOW)


Answers = list[tuple[object, type[BaseException]]]


def refuse(hook: Hook, calls: list[Callable[[], object]], answers: Answers) -> None:
    others: Answers = [(KeyboardInterrupt(), KeyboardInterrupt), (None, TypeError)]
    for hook.answer, kind in answers + others:
        for call in calls:
            with pytest.raises(kind):
                call()


def test_a_wrong_answer_refuses_to_sign() -> None:
    signer, hook = prepared_signer(), Hook(1)
    signer.detect_copies(hook)
    calls: list[Callable[[], object]] = [
        lambda: signer.sign(b"m", now=NOW),
        lambda: signer.prepare(NOW),
        lambda: asyncio.run(signer.prepare_async(NOW)),
        lambda: signer.detect_copies(hook),
    ]
    refuse(hook, calls, [("1", TypeError), (1.0, TypeError), (-1, OverflowError), (1 << 64, OverflowError)])
    assert signer.ready == 4, "nothing was signed, and nothing was wiped"


def test_a_wrong_answer_refuses_to_verify() -> None:
    signer, hook = prepared_signer(), Hook(False)
    key, verifier = signer.public_key, verifier_of(signer)
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
    refuse(hook, calls, [(coroutine, TypeError), (0, TypeError), ("", TypeError)])
    coroutine.close()
    hook.answer = False
    assert not verifier.can_verify_fast(key, signature), "nothing was taken in meanwhile"


def test_a_thread_does_not_wait_for_another_one_s_hook() -> None:
    signer, other = prepared_signer(), prepared_signer(bytes([8]) * 32)
    verifier, key = verifier_of(signer), signer.public_key
    verifier.admit(other.public_key)
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
    signer, verifier, closed = prepared_signer(), dsig.Verifier(), prepared_signer()
    # A cycle through each: a signer that is never collected is never wiped.
    signer.detect_copies(hooks[0])
    verifier.check_revocation(hooks[1])
    hooks[0].holder, hooks[1].holder = signer, verifier
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
    signer = prepared_signer()
    for wrong in (WRONG, None):
        for call in (signer.detect_copies, dsig.Verifier().check_revocation):
            with pytest.raises(TypeError, match="hook"):
                call(wrong)  # type: ignore[arg-type, unused-ignore]
    # With another number of arguments.
    takes_two: Any = lambda one, other: False  # noqa: E731
    verifier = verifier_of(signer)
    verifier.check_revocation(takes_two)
    with pytest.raises(TypeError):
        verifier.verify(signer.public_key, b"m", signer.sign(b"m", now=NOW))
