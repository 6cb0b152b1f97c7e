"""The hooks of DSig: their answers take effect, their exceptions reject the call, and they may use the calling object.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import quorate as q
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


def test_a_new_answer_of_the_hook_wipes_the_keys() -> None:
    signer, hook = signer_of(), Hook(1)
    signer.detect_copies(hook)
    assert hook.asked and signer.ready == 4, "the first answer is no change"
    signer.sign(b"m", now=NOW)
    for hook.answer in (2, 0, (1 << 64) - 1):
        before = signer.announcements()
        with pytest.raises(q.ExhaustedError):
            signer.sign(b"m", now=NOW)
        assert signer.ready == 0 and signer.announcements() == []
        assert signer.prepare(NOW) not in [None, *before]
        signer.sign(b"m", now=NOW)
    # Every way to prepare detects the change, on any thread, and generates new keys although there were enough.
    ways: list[Callable[[], object]] = [
        lambda: signer.prepare(NOW),
        lambda: asyncio.run(signer.prepare_async(NOW)),
    ]
    for prepare in ways:
        assert prepare() is None
        hook.answer -= 1
        assert prepare() is not None and signer.ready == 4
    signer.detect_copies(lambda: 77)
    assert signer.ready == 4, "another hook is no copy"
    signer.sign(b"m", now=NOW)


def test_a_hook_with_ever_new_answers_never_lets_the_signer_sign() -> None:
    signer, answers = signer_of(), iter(range(1000))
    signer.detect_copies(lambda: next(answers))
    for _ in range(5):
        signer.prepare(NOW)
        with pytest.raises(q.ExhaustedError):
            signer.sign(b"m", now=NOW)


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


def test_a_signer_s_hook_may_use_the_signer() -> None:
    signer, hook = signer_of(), Hook(1)
    key = signer.public_key
    signer.detect_copies(hook)

    def uses() -> int:
        assert signer.ready == 4 and signer.public_key == key and not signer.closed
        assert len(signer.announcements()) == 1 and "wots-blake3" in repr(signer)
        hook.answer = 1
        dsig.verify(key, b"within", signer.sign(b"within", now=NOW))
        assert signer.prepare(NOW) is None
        return 1

    hook.answer = uses
    dsig.verify(key, b"m", signer.sign(b"m", now=NOW))
    assert signer.ready == 2
    # Endless recursion in a hook is reported.
    hook.answer = lambda: len(signer.sign(b"m", now=NOW))
    with pytest.raises(RecursionError):
        signer.sign(b"m", now=NOW)
    assert signer.ready == 2

    def wipes() -> int:
        hook.answer = 1
        signer.invalidate()
        return 1

    hook.answer = wipes
    with pytest.raises(q.ExhaustedError):
        signer.sign(b"m", now=NOW)

    def closes() -> int:
        signer.close()
        return 1

    hook.answer = closes
    with pytest.raises(q.ClosedError):
        signer.sign(b"m", now=NOW)
    hook.asked.clear()
    with pytest.raises(q.ClosedError):
        signer.sign(b"m", now=NOW)
    with pytest.raises(q.ClosedError):
        signer.detect_copies(lambda: 1)
    assert not hook.asked, "a closed signer must not call its hook"


def test_a_revoked_key_is_refused_as_soon_as_the_hook_says_so() -> None:
    signer, other = signer_of(), signer_of()
    key, verifier, hook = signer.public_key, verifier_of(signer, other), Hook(False)
    announcement = signer.announcements()[0].announcement
    signatures = [signer.sign(b"m", now=NOW) for _ in range(3)]
    verifier.check_revocation(hook)
    verifier.verify(key, b"m", signatures[0])
    verifier.announce(key, announcement, NOW)
    assert verifier.can_verify_fast(key, signatures[1])
    assert hook.asked == [key] * 3 and all(asked is key for asked in hook.asked)
    revoked = {key}
    verifier.check_revocation(lambda key: key in revoked)
    calls: list[Callable[[], object]] = [
        lambda: verifier.verify(key, b"m", signatures[1]),
        lambda: verifier.announce(key, announcement, NOW),
    ]
    for call in calls:
        with pytest.raises(q.WrongContextError) as caught:
            call()
        assert caught.value.details == {"what": "revoked signer"}
    assert not verifier.can_verify_fast(key, signatures[1])
    verifier.verify(other.public_key, b"m", other.sign(b"m", now=NOW))
    revoked.clear()
    verifier.verify(key, b"m", signatures[1])


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


def test_a_verifier_s_hook_may_use_the_verifier() -> None:
    signer = signer_of()
    key, verifier, hook = signer.public_key, verifier_of(signer), Hook(False)
    signature = signer.sign(b"m", now=NOW)
    verifier.check_revocation(hook)

    def uses() -> bool:
        hook.answer = False
        verifier.verify(key, b"m", signature)
        assert verifier.can_verify_fast(key, signature)
        verifier.check_revocation(lambda _: True)
        return False

    hook.answer = uses
    verifier.verify(key, b"m", signature)
    with pytest.raises(q.WrongContextError):
        verifier.verify(key, b"m", signature)
    verifier.check_revocation(hook)

    def forgets() -> bool:
        return not verifier.revoke(key)

    hook.answer = forgets
    with pytest.raises(q.WrongContextError) as caught:
        verifier.verify(key, b"m", signature)
    assert caught.value.details == {"what": "signer"}
    verifier.admit(key)
    hook.answer = lambda: verifier.can_verify_fast(key, signature)
    with pytest.raises(RecursionError):
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
    codes: list[str] = []

    def verify() -> None:
        try:
            verifier.verify(key, b"m", signature)
        except q.QuorateError as error:
            codes.append(error.code)

    thread = threading.Thread(target=verify)
    thread.start()
    assert inside.wait(60)
    # Each call gets the answer for its own signer, in any order.
    verifier.verify(other.public_key, b"m", fine)
    assert verifier.can_verify_fast(other.public_key, fine) and verifier.suite == "wots-blake3"
    go_on.set()
    thread.join()
    verifier.verify(other.public_key, b"m", fine)
    assert codes == ["WRONG_CONTEXT"]


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
