"""What only Python has of erasure coding: pickling, the tuner's function, threads, coroutines, wrong arguments."""

from __future__ import annotations

import asyncio
import copy
import itertools
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
import quorate as q
from conftest import together
from quorate.erasure import CheckedShard, Coder, Coding, Dispersal, Packets, Row, Shape, Suite, Table

MOST = (1 << 64) - 1


def coder_of(suite: Suite = Suite.GF8, data: int = 3, parity: int = 4) -> Coder:
    return Coder(Coding(Shape(data, parity), 1 << 16, suite))


def test_values_are_pickled_and_copied() -> None:
    shape, jerasure = Shape.for_committee(100, 25), Suite.jerasure(Packets(7, 3))
    for value in (shape, jerasure, Coding(shape, 5), Packets(7, 3)):
        assert pickle.loads(pickle.dumps(value)) == value and len({value, copy.copy(value)}) == 1
    if not jerasure.is_available():
        with pytest.raises(q.BadShapeError, match="not in this build"):
            Coder(Coding(Shape(3, 4), 100, jerasure))
    coder = coder_of()
    shard = coder.disperse(bytearray(b"m")).shard(0)
    assert coder.decode(iter(coder.disperse(b"m").shards())).message == b"m"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(shard)
    unmade: Any = CheckedShard
    with pytest.raises(TypeError):
        unmade()
    assert copy.deepcopy(shard) is shard


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
    assert pickle.loads(pickle.dumps(table)) == table
    assert pickle.loads(pickle.dumps(found)) == found


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


def test_threads_share_a_coder_and_coroutines_use_it() -> None:
    coder = coder_of()

    def work(number: int) -> None:
        for round_ in range(20):
            message = bytes([number, round_]) * 500
            assert coder.decode(coder.disperse(message).shards()[-3:]).message == message

    together(6, work)

    async def run() -> None:
        message = bytearray(b"message")
        dispersing = coder.disperse_async(message)
        message[:] = b"changed"
        sent = await dispersing
        assert (await coder.decode_async(sent.shards()[2:5])).message == b"message"

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
