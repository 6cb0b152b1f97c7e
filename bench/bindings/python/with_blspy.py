"""blspy: C++ over blst, as a wheel."""

from importlib.metadata import version

from blspy import G1Element, G2Element, PopSchemeMPL
from loop import require, serve, world

given = world()["sync"]
encoded = [bytes.fromhex(given["keys"][i]) for i in given["signers"]]
message, proof, forged = (bytes.fromhex(given[field]) for field in ("message", "signature", "forged"))
keys = [G1Element.from_bytes(key) for key in encoded]
signature = G2Element.from_bytes(proof)


def of_keys() -> None:
    require(PopSchemeMPL.fast_aggregate_verify(keys, message, signature), "keys")


def of_bytes() -> None:
    fresh = [G1Element.from_bytes(key) for key in encoded]
    require(PopSchemeMPL.fast_aggregate_verify(fresh, message, G2Element.from_bytes(proof)), "bytes")


of_keys()
of_bytes()
refused = G2Element.from_bytes(forged)
require(not PopSchemeMPL.fast_aggregate_verify(keys, message, refused), "keys, forged")
require(not PopSchemeMPL.fast_aggregate_verify(keys[1:], message, signature), "keys, one missing")
serve(f"blspy {version('blspy')}", {"sync-keys": of_keys, "sync-bytes": of_bytes})
