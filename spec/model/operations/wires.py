"""The encoding."""

from .. import wire
from .registry import operation, raw


@operation("wire.uint")
def wire_uint(i):
    return {"value": str(wire.whole(raw(i["bytes"]), lambda r: r.uint(i["width"])))}


@operation("wire.varint")
def wire_varint(i):
    return {"value": str(wire.whole(raw(i["bytes"]), lambda r: r.varint()))}


@operation("wire.bytes")
def wire_bytes(i):
    return {"value": wire.whole(raw(i["bytes"]), lambda r: r.blob(i["cap"])).hex()}


@operation("wire.list")
def wire_list(i):
    return {"value": wire.whole(raw(i["bytes"]), lambda r: [str(r.uint(8)) for _ in range(r.count(i["cap"]))])}


@operation("wire.option")
def wire_option(i):
    value = wire.whole(raw(i["bytes"]), lambda r: r.option(lambda r: r.uint(8)))
    return {"value": None if value is None else str(value)}


@operation("wire.hash")
def wire_hash(i):
    return {"hash": wire.derive(i["domain"], raw(i["bytes"])).hex()}
