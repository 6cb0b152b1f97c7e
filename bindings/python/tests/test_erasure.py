"""What only Python has of erasure coding: the tuner's function, the interpreter's lock, coroutines, wrong arguments."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable

import pytest
import quorate as q
from quorate.erasure import Coder, Coding, Dispersal, Packets, Row, Shape, Suite, Table

MOST = (1 << 64) - 1


def coder_of(suite: Suite = Suite.GF8, data: int = 3, parity: int = 4) -> Coder:
    return Coder(Coding(Shape(data, parity), 1 << 16, suite))


def test_a_code_that_is_not_in_this_build_says_so() -> None:
    jerasure = Suite.jerasure(Packets(7, 3))
    if not jerasure.is_available():
        with pytest.raises(q.BadShapeError, match="not in this build"):
            Coder(Coding(Shape(3, 4), 100, jerasure))


def test_the_tuner_s_table_selects_a_suite() -> None:
    table, shape = Table(), Shape(50, 50)
    for suite, cost in ((Suite.LEOPARD, 7), (Suite.GF8, 5)):
        table.insert(Row(shape, 1_000, suite, cost))
    found = table.best(shape, 900)
    assert isinstance(found, Row) and found.suite == Suite.GF8
    asked: list[Suite] = []

    def refuse(suite: Suite) -> bool:
        asked.append(suite)
        return False

    assert table.best(shape, MOST, refuse) is None
    assert len(asked) == len(set(asked)) > 1
    with pytest.raises(ZeroDivisionError):
        table.best(shape, 1, lambda suite: 1 // 0)
    with pytest.raises(TypeError):
        table.best(shape, 1, 5)  # type: ignore[arg-type]


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


def test_coroutines_copy_their_arguments() -> None:
    coder = coder_of()

    async def run() -> None:
        message = bytearray(b"message")
        dispersing = coder.disperse_async(message)
        message[:] = b"changed"
        assert (await dispersing).message == b"message"

    asyncio.run(run())


def test_numbers_out_of_range_and_endless_lists_are_refused() -> None:
    coder = coder_of()
    ranges: list[tuple[str, Callable[[], object]]] = [
        ("max_message", lambda: Coding(Shape(1, 1), MOST + 1)),
        ("cost", lambda: Row(Shape(1, 1), 1, Suite.GF8, MOST + 1)),
    ]
    for name, call in ranges:
        with pytest.raises(OverflowError, match=name):
            call()
    with pytest.raises(q.DuplicateSignerError):
        coder.decode(itertools.repeat(coder.disperse(b"m").shard(0)))
