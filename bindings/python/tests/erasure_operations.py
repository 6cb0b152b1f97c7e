"""Vector operations of erasure coding (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from typing import Any

from quorate import erasure
from vector_inputs import Json, same, unhex


def coding_of(given: Json) -> erasure.Coding:
    data = unhex(given["suite"])
    suite = same(erasure.Suite.decode(data), data)
    return erasure.Coding(erasure.Shape(given["data"], given["parity"]), given["max_message"], suite)


def coding(given: Json) -> Json:
    made = coding_of(given)
    return {
        "shard_len": made.shard_len(made.max_message),
        "max_encoded_len": erasure.CheckedShard.max_encoded_len(made),
    }


def disperse(given: Json) -> Json:
    made = coding_of(given)
    sent = erasure.Coder(made).disperse(unhex(given["message"]))
    commitment = sent.commitment
    assert sent.message == unhex(given["message"]) and sent.shards() == [
        sent.shard(index) for index in range(made.shape.shards)
    ]
    assert same(erasure.Commitment.decode(commitment.encode(), made), commitment.encode()) == commitment
    return {
        "commitment": commitment.encode().hex(),
        "identity": commitment.identity().hex(),
        "shards": [sent.shard(index).encode().hex() for index in given["indices"]],
    }


def shard(given: Json) -> Json:
    received = same(erasure.CheckedShard.decode(unhex(given["shard"]), coding_of(given)), unhex(given["shard"]))
    return {
        "identity": received.commitment.identity().hex(),
        "index": received.index,
        "bytes": received.bytes.hex(),
    }


def decode(given: Json) -> Json:
    made = coding_of(given)
    shards = [same(erasure.CheckedShard.decode(unhex(text), made), unhex(text)) for text in given["shards"]]
    return {"message": erasure.Coder(made).decode(shards).message.hex()}


def shown(row: erasure.Row) -> Json:
    return {
        "data": row.shape.data,
        "parity": row.shape.parity,
        "message": str(row.message),
        "suite": row.suite.encode().hex(),
        "cost": str(row.cost),
    }


def table_of(given: Json) -> erasure.Table:
    return same(erasure.Table.decode(unhex(given["table"])), unhex(given["table"]))


def table(given: Json) -> Json:
    return {"rows": [shown(row) for row in table_of(given).rows]}


def lookup(given: Json) -> Json:
    shape, allowed = erasure.Shape(given["data"], given["parity"]), given["suites"]
    row = table_of(given).best(shape, int(given["message"]), lambda suite: suite.number in allowed)
    return {"row": None if row is None else shown(row)}


OPERATIONS = {
    "erasure.coding": coding,
    "erasure.disperse": disperse,
    "erasure.shard": shard,
    "erasure.decode": decode,
    "erasure.table": table,
    "erasure.lookup": lookup,
}
