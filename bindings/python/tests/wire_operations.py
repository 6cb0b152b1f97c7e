"""Vector operations of the wire format (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from typing import Any

from quorate import wire
from vector_inputs import Json, unhex


def wire_uint(given: Json) -> Json:
    name = f"u{8 * given['width']}"
    return read(given, lambda r: getattr(r, name)(), lambda w, value: getattr(w, name)(value), str)


def wire_varint(given: Json) -> Json:
    return read(given, lambda r: r.varint(), lambda w, value: w.varint(value), str)


def wire_bytes(given: Json) -> Json:
    return read(given, lambda r: r.bytes(given["cap"]), lambda w, value: w.bytes(value), bytes.hex)


def wire_list(given: Json) -> Json:
    def write(w: wire.Writer, items: list[int]) -> None:
        w.count(len(items))
        for item in items:
            w.u64(item)

    def items(r: wire.Reader) -> list[int]:
        return [r.u64() for _ in range(r.count(given["cap"]))]

    return read(given, items, write, lambda items: [str(item) for item in items])


def wire_option(given: Json) -> Json:
    def write(w: wire.Writer, value: int | None) -> None:
        w.option(value is not None)
        if value is not None:
            w.u64(value)

    return read(
        given,
        lambda r: r.u64() if r.option() else None,
        write,
        lambda value: None if value is None else str(value),
    )


def read(given: Json, reads: Any, writes: Any, show: Any) -> Json:
    data = unhex(given["bytes"])
    reader = wire.Reader(data)
    value = reads(reader)
    reader.finish()
    writer = wire.Writer()
    writes(writer, value)
    assert writer.into_bytes() == data, "decoded, but encodes to something else"
    return {"value": show(value)}


def wire_hash(given: Json) -> Json:
    assert given["domain"] in wire.DOMAINS
    return {"hash": wire.hash(given["domain"], unhex(given["bytes"])).hex()}


OPERATIONS: dict[str, Any] = {
    "wire.uint": wire_uint,
    "wire.varint": wire_varint,
    "wire.bytes": wire_bytes,
    "wire.list": wire_list,
    "wire.option": wire_option,
    "wire.hash": wire_hash,
}
