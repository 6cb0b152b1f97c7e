"""Values that several vector operations read from their inputs."""

from __future__ import annotations

from typing import Any

from quorate import ChainId, Committee, PublicKey, SecretKey, Signature, Statement, Suite, UnverifiedKey, VerifiedKey

Json = Any


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def same(value: Any, data: bytes) -> Any:
    """Returns the value, if it encodes to the bytes that it was decoded from."""
    assert value.encode() == data, "decoded, but encodes to something else"
    return value


def suite_of(given: Json) -> Suite:
    number = given["suite"] if "suite" in given else given["committee"]["suite"]
    return next(suite for suite in Suite if suite.number == number)


def secret_of(given: Json) -> SecretKey:
    return SecretKey.from_bytes(suite_of(given), unhex(given["secret"]))


def key_of(given: Json) -> PublicKey:
    data = unhex(given["public_key"])
    return same(PublicKey.decode(suite_of(given), data), data)


def signature_of(given: Json) -> Signature:
    data = unhex(given["signature"])
    return same(Signature.decode(suite_of(given), data), data)


def verified(suite: Suite, member: Json) -> VerifiedKey:
    data = unhex(member["public_key"]) + unhex(member["possession"])
    return same(UnverifiedKey.decode(suite, data), data).verify()


def committee_of(given: Json) -> Committee:
    definition = given["committee"]
    suite = suite_of(given)
    members = [
        (PublicKey.decode(suite, unhex(member["public_key"])), int(member["weight"]))
        for member in definition["members"]
        for _ in range(member.get("times", 1))
    ]
    chain, repeats = ChainId.from_bytes(unhex(definition["chain"])), bool(definition.get("repeats"))
    return Committee.from_attested(chain, int(definition["epoch"]), members, allow_repeats=repeats)


def statement_of(given: Json) -> Statement:
    return Statement(given["kind"], int(given["epoch"]), int(given["view"]), unhex(given["digest"]))
