"""A chain's genesis file, which lists the validators. Its hash is the chain id, to which every signature is bound."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from jolteon import Committees
from quorate import ChainId, Committee, PublicKey, Signature, Suite, UnverifiedKey
from quorate.wire import Writer, hash

SCHEMES = {"bls": Suite.MIN_SIG, "ed25519": Suite.ED25519}
PARAMETERS = {
    "max_transaction_bytes": 128 << 10,
    "batch_bytes": 500_000,
    "batch_delay_ms": 100,
    "view_timeout_ms": 1_000,
    "max_view_timeout_ms": 30_000,
}
KEYS = ("identity_key", "identity_possession", "voting_key", "voting_possession")


def read(text: str) -> Committees:
    """The committees of a genesis file, with verified proofs of possession."""
    file = tomllib.loads(text)
    known(file, {"chain", "scheme", "epoch", "parameters", "member"}, "the file")
    known(table(file.get("parameters", {})), set(PARAMETERS), "[parameters]")
    if string(file, "scheme") not in SCHEMES:
        raise ValueError("unknown scheme: expected bls or ed25519")
    if not isinstance(file.get("member"), list):
        raise ValueError("expected at least one member")
    for member in file["member"]:
        known(table(member), {"name", "address", "weight", *KEYS}, "a [[member]]")
    chain, epoch = chain_id(file), number(file.get("epoch", 0), 64)
    identities = members(file, Suite.ED25519, "identity")
    voters = members(file, SCHEMES[file["scheme"]], "voting")
    return Committees(Committee(chain, epoch, voters), Committee(chain, epoch, identities))


def members(file: dict[str, Any], suite: Suite, kind: str) -> list[tuple[Any, int]]:
    found = []
    for member in file["member"]:
        key = PublicKey.decode(suite, unhex(member, f"{kind}_key"))
        possession = Signature.decode(suite, unhex(member, f"{kind}_possession"))
        found.append((UnverifiedKey(key, possession).verify(), number(member.get("weight"), 128)))
    return found


def chain_id(file: dict[str, Any]) -> ChainId:
    """The hash of the file's content in the encoding of `examples/node/src/genesis`."""
    w = Writer()
    w.u8(1)
    w.bytes(string(file, "chain").encode())
    w.bytes(string(file, "scheme").encode())
    w.u64(number(file.get("epoch", 0), 64))
    for name, default in PARAMETERS.items():
        w.u32(number(file.get("parameters", {}).get(name, default), 32))
    w.count(len(file["member"]))
    for member in file["member"]:
        w.bytes(string(member, "name").encode())
        w.bytes(string(member, "address").encode())
        w.u128(number(member.get("weight"), 128))
        for key in KEYS:
            w.bytes(unhex(member, key))
    return ChainId.from_bytes(hash("quorate-v1-genesis", w.into_bytes()))


def known(found: dict[str, Any], names: set[str], where: str) -> None:
    """Refuses unknown fields: they may change the meaning of the file, and so the chain id."""
    for name in found.keys() - names:
        raise ValueError(f"unknown field {name} in {where}")


def table(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ValueError("expected a table")
    return found


def string(found: dict[str, Any], name: str) -> str:
    text = found.get(name)
    if not isinstance(text, str):
        raise ValueError(f"missing string {name}")
    return text


def number(found: Any, bits: int) -> int:
    """An integer; numbers beyond TOML's range are strings."""
    if isinstance(found, str) and re.fullmatch("[0-9]{1,39}", found):
        found = int(found)
    if type(found) is not int or not 0 <= found < 1 << bits:
        raise ValueError(f"expected an integer of at most {bits} bits")
    return found


def unhex(found: dict[str, Any], name: str) -> bytes:
    digits = string(found, name)
    if not re.fullmatch("([0-9a-fA-F]{2})*", digits):
        raise ValueError(f"{name} is not hexadecimal")
    return bytes.fromhex(digits)
