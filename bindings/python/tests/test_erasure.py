"""What only Python has of erasure coding: the interpreter's lock, endless lists."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest
import quorate as q
from quorate.erasure import Coder, Coding, Dispersal, Packets, Shape, Suite


def coder_of(suite: Suite = Suite.GF8, data: int = 3, parity: int = 4) -> Coder:
    return Coder(Coding(Shape(data, parity), 1 << 16, suite))


def test_a_code_that_is_not_in_this_build_says_so() -> None:
    jerasure = Suite.jerasure(Packets(7, 3))
    if not jerasure.is_available():
        with pytest.raises(q.BadShapeError, match="not in this build"):
            Coder(Coding(Shape(3, 4), 100, jerasure))


def test_long_calls_let_other_threads_run() -> None:
    coder = Coder(Coding(Shape.for_committee(100, 25), 25_000_000))
    message = bytes(25_000_000)

    def turns_during(work: Callable[[], Dispersal]) -> tuple[int, Dispersal]:
        results: list[Dispersal] = []
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += 1
        return turns, results[0]

    dispersing, sent = turns_during(lambda: coder.disperse(message))
    shards = sent.shards()[50:]
    decoding, again = turns_during(lambda: coder.decode(shards))
    assert min(dispersing, decoding) > 100 and again == sent and again.message == message


def test_endless_lists_are_refused() -> None:
    coder = coder_of()
    with pytest.raises(q.DuplicateSignerError):
        coder.decode(itertools.repeat(coder.disperse(b"m").shard(0)))
