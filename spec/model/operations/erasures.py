"""Erasure coding."""

from .. import erasure, wire
from .registry import operation, raw


def _coding(i):
    suite = wire.whole(raw(i["suite"]), erasure.read_suite)
    return erasure.Coding(suite, i["data"], i["parity"], i["max_message"])


@operation("erasure.coding")
def erasure_coding(i):
    coding = _coding(i)
    return {"shard_len": coding.shard_len(coding.max_message), "max_encoded_len": coding.max_encoded_len()}


@operation("erasure.disperse")
def erasure_disperse(i):
    commitment, sent = erasure.disperse(_coding(i), raw(i["message"]))
    return {
        "commitment": commitment.encode().hex(),
        "identity": commitment.identity().hex(),
        "shards": [sent[index].hex() for index in i["indices"]],
    }


@operation("erasure.shard")
def erasure_shard(i):
    commitment, index, shard = erasure.read_shard(raw(i["shard"]), _coding(i))
    return {"identity": commitment.identity().hex(), "index": index, "bytes": shard.hex()}


@operation("erasure.decode")
def erasure_decode(i):
    coding = _coding(i)
    return {"message": erasure.decode(coding, [erasure.read_shard(raw(shard), coding) for shard in i["shards"]]).hex()}


def _row(row):
    data, parity, message, suite, cost = row
    suite = erasure.write_suite(suite).hex()
    return {"data": data, "parity": parity, "message": str(message), "suite": suite, "cost": str(cost)}


@operation("erasure.table")
def erasure_table(i):
    return {"rows": [_row(row) for row in erasure.read_table(raw(i["table"]))]}


@operation("erasure.lookup")
def erasure_lookup(i):
    rows = erasure.read_table(raw(i["table"]))
    row = erasure.best(rows, i["data"], i["parity"], int(i["message"]), i["suites"])
    return {"row": None if row is None else _row(row)}
