"""Erasure coding in idiomatic Python: any k of n shards restore a message, invalid shards and wrong arguments give
error codes, and no call crashes.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import quorate as q
from quorate.erasure import CheckedShard, Coder, Coding, Commitment, Dispersal, Packets, Row, Shape, Suite, Table

VECTORS = json.loads((Path(__file__).parents[3] / "spec" / "vectors" / "erasure.json").read_text())["cases"]
SUITES = [Suite.LEOPARD, Suite.GF8]
MOST = (1 << 64) - 1


def coder_of(suite: Suite = Suite.GF8, data: int = 3, parity: int = 4) -> Coder:
    return Coder(Coding(Shape(data, parity), 1 << 16, suite))


@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_any_k_of_n_shards_restore_the_message(suite: Suite) -> None:
    coder, message = coder_of(suite), bytes(range(256)) * 11
    sent = coder.disperse(message)
    received = [CheckedShard.decode(shard.encode(), coder.coding) for shard in sent.shards()]
    assert received == sent.shards() and [shard.index for shard in received] == list(range(7))
    for chosen in itertools.combinations(received, 3):
        assert coder.decode(chosen) == sent and coder.decode(iter(chosen)).message == message
    assert sent.commitment.message_len == len(message) and sent.commitment.suite == suite
    assert Commitment.decode(sent.commitment.encode(), coder.coding) == sent.commitment
    assert len(received[0].encode()) <= CheckedShard.max_encoded_len(coder.coding)
    assert len(received[0].bytes) == coder.coding.shard_len(len(message))
    assert coder.disperse(b"").message == b"" and coder.disperse(bytearray(b"x")).message == b"x"


def test_errors_have_codes() -> None:
    coder = coder_of()
    one, two = coder.disperse(b"one").shards(), coder.disperse(b"two").shards()
    calls: list[tuple[type[q.QuorateError], Callable[[], object]]] = [
        (q.BelowQuorumError, lambda: coder.decode([])),
        (q.BelowQuorumError, lambda: coder.decode(one[:2])),
        (q.DuplicateSignerError, lambda: coder.decode([one[0], one[1], one[0]])),
        (q.WrongContextError, lambda: coder.decode([one[0], one[1], two[2]])),
        (q.WrongContextError, lambda: coder_of(Suite.LEOPARD).decode(one[:3])),
        (q.MalformedError, lambda: coder.disperse(b"m").shard(7)),
        (q.MalformedError, lambda: coder.disperse(b"m").shard(MOST)),
        (q.TooLargeError, lambda: coder.disperse(bytes((1 << 16) + 1))),
        (q.TooLargeError, lambda: Coding(Shape(3, 4), MOST)),
        (q.TooLargeError, lambda: Coding(Shape(1, 32_767), 1 << 20)),
        (q.BadShapeError, lambda: Shape(0, 4)),
        (q.BadShapeError, lambda: Shape(65_535, 65_535)),
        (q.BadShapeError, lambda: Shape.for_committee(3, 1)),
        (q.BadShapeError, lambda: Coding(Shape(200, 57), 10, Suite.GF8)),
        (q.BadShapeError, lambda: Packets(17, 0)),
    ]
    for kind, call in calls:
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.code == kind.code
    # Another length gives another commitment that the same shard fits.
    for at in [*range(7), *range(11, len(one[0].encode()))]:
        changed = bytearray(one[0].encode())
        changed[at] ^= 1
        with pytest.raises(q.QuorateError):
            CheckedShard.decode(changed, coder.coding)


def test_shards_that_encode_no_message_are_detected() -> None:
    case = next(c for c in VECTORS if c["operation"] == "erasure.decode" and c["expect"] == "BAD_ENCODING")
    given = case["input"]
    suite = Suite.decode(bytes.fromhex(given["suite"]))
    coding = Coding(Shape(given["data"], given["parity"]), given["max_message"], suite)
    shards = [CheckedShard.decode(bytes.fromhex(shard), coding) for shard in given["shards"]]
    with pytest.raises(q.BadEncodingError) as caught:
        Coder(coding).decode(shards)
    assert caught.value.code == "BAD_ENCODING" and caught.value.culprits == ()


def test_suites_shapes_and_codings_are_values() -> None:
    shape = Shape.for_committee(100, 25)
    assert (shape.data, shape.parity, shape.shards) == (50, 50, 100)
    assert Suite.recommended(shape) == Suite.GF8 != Suite.recommended(Shape(200, 200)) == Suite.LEOPARD
    assert Coding(shape, 5).suite == Suite.GF8 and Coding(shape, 5) == Coding(shape, 5, Suite.GF8)
    jerasure = Suite.jerasure(Packets(7, 3))
    assert (jerasure.number, jerasure.name, jerasure.unit) == (3, "jerasure", 56)
    assert jerasure.packets == Packets(7, 3) and jerasure.packets.packet == 8 and Suite.GF8.packets is None
    assert [suite.is_available() for suite in SUITES] == [True, True]
    if not jerasure.is_available():
        with pytest.raises(q.BadShapeError, match="not in this build"):
            Coder(Coding(Shape(3, 4), 100, jerasure))
    for value in (shape, jerasure, Coding(shape, 5), Packets(7, 3)):
        assert pickle.loads(pickle.dumps(value)) == value and len({value, copy.copy(value)}) == 1
    shard = coder_of().disperse(b"m").shard(0)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(shard)
    unmade: Any = CheckedShard
    with pytest.raises(TypeError):
        unmade()
    assert copy.deepcopy(shard) is shard


def test_the_tuner_s_table_selects_a_suite() -> None:
    given = next(c for c in VECTORS if c["name"] == "lookup/exact")["input"]
    table, shape = Table.decode(bytes.fromhex(given["table"])), Shape(50, 50)
    assert Table.decode(table.encode()) == table and len(table.rows) > 3
    found = table.best(shape, 25_000)
    assert isinstance(found, Row) and found.shape == shape and found.suite.is_available()
    asked: list[Suite] = []

    def refuse(suite: Suite) -> bool:
        asked.append(suite)
        return False

    assert table.best(shape, MOST, refuse) is None
    assert len(asked) == len(set(asked)) > 1
    assert table.best(Shape(7, 7), 1) is None
    with pytest.raises(ZeroDivisionError):
        table.best(shape, 1, lambda suite: 1 // 0)
    with pytest.raises(TypeError):
        table.best(shape, 1, 5)  # type: ignore[arg-type]
    made = Table()
    made.insert(Row(Shape(7, 7), 1_000, Suite.GF8, 9))
    made.merge(made)
    assert [row.cost for row in made.rows] == [9] and made.suites(Shape(7, 7)) == [Suite.GF8] and made != table
    made.merge(table)
    assert len(made.rows) == len(table.rows) + 1 and pickle.loads(pickle.dumps(made)) == made
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
    coder, failures = coder_of(), []

    def work(number: int) -> None:
        try:
            for round_ in range(20):
                message = bytes([number, round_]) * 500
                assert coder.decode(coder.disperse(message).shards()[-3:]).message == message
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures

    async def run() -> None:
        message = bytearray(b"message")
        dispersing = coder.disperse_async(message)
        message[:] = b"changed"
        sent = await dispersing
        assert (await coder.decode_async(sent.shards()[2:5])).message == b"message"

    asyncio.run(run())


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    wrong: Any = object()
    coder = coder_of()
    types: list[tuple[str, Callable[[], object]]] = [
        ("message", lambda: coder.disperse(wrong)),
        ("shards", lambda: coder.decode([wrong])),
        ("shards", lambda: coder.decode("text")),  # type: ignore[arg-type]
        ("coding", lambda: Coder(wrong)),
        ("coding", lambda: CheckedShard.decode(b"", wrong)),
        ("shape", lambda: Coding(wrong, 5)),
        ("suite", lambda: Coding(Shape(1, 1), 5, wrong)),
        ("data", lambda: Table.decode(wrong)),
    ]
    for name, call in types:
        with pytest.raises(TypeError, match=name):
            call()
    ranges: list[tuple[str, Callable[[], object]]] = [
        ("data", lambda: Shape(65_536, 0)),
        ("parity", lambda: Shape(1, -1)),
        ("max_message", lambda: Coding(Shape(1, 1), -1)),
        ("log2_packet", lambda: Packets(8, 256)),
        ("index", lambda: coder.disperse(b"").shard(-1)),
    ]
    for name, call in ranges:
        with pytest.raises(OverflowError, match=name):
            call()
    with pytest.raises(q.DuplicateSignerError):
        coder.decode(itertools.repeat(coder.disperse(b"m").shard(0)))
