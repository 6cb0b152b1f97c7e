"""Vector operations of DSig (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import quorate as q
from quorate import dsig, wire
from vector_support import Json, unhex


def suite_of(given: Json) -> str:
    return dsig.SUITES[given["suite"] - 1]


def key_of(given: Json) -> q.PublicKey:
    return q.PublicKey.decode("ed25519", unhex(given["public_key"]))


def verifier_of(suite: str, *admitted: q.PublicKey, **config: Any) -> dsig.Verifier:
    verifier = dsig.Verifier(suite, **config)
    for key in admitted:
        verifier.admit(key)
    return verifier


def fields(signature: bytes) -> Json:
    """The fields at fixed positions of a decoded signature."""
    return {"index": int.from_bytes(signature[2:4], "little"), "root": signature[8:40].hex()}


def outcome_of(call: Any) -> str:
    try:
        call()
    except q.QuorateError as error:
        return error.code
    return "ok"


def decode(given: Json) -> Json:
    signature = unhex(given["signature"])
    unknown = q.SecretKey.generate("ed25519").public_key()
    assert not dsig.Verifier(suite_of(given)).can_verify_fast(unknown, signature)
    return fields(signature)


def verify(given: Json) -> Json:
    suite, key = suite_of(given), key_of(given)
    message, signature = unhex(given["message"]), unhex(given["signature"])
    verifier = verifier_of(suite, key)
    verdict = outcome_of(lambda: verifier.verify(key, message, signature))
    assert outcome_of(lambda: verifier.verify(key, message, signature)) == verdict, "when its root may be known"
    [together] = dsig.verify_all(suite, [(key, message, signature)])
    assert ("ok" if together is None else together.code) == verdict
    assert outcome_of(lambda: dsig.Auditor(suite).check(key, message, signature)) == verdict
    # Without a verifier the bytes select the suite.
    if signature[:1] == bytes([given["suite"]]):
        assert outcome_of(lambda: dsig.verify(key, message, signature)) == verdict
    verifier.verify(key, message, signature)
    assert verifier.can_verify_fast(key, signature)
    return fields(signature)


def announcement(given: Json) -> Json:
    key, data = key_of(given), unhex(given["announcement"])
    verifier_of(suite_of(given), key).announce(key, data, 0)
    leaves = [data[at : at + 32] for at in range(68, len(data), 32)]
    level = leaves
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2])
        level = [wire.hash("quorate-v1-dsig-node", left + right) for left, right in pairs]
    return {"root": level[0].hex(), "keys": len(leaves)}


def sign(given: Json) -> Json:
    """A signer's randomness cannot be chosen. So this verifies the model's signature, and signs the same message."""
    suite, now, made = suite_of(given), int(given["time"]), given["made"]
    secret = q.SecretKey.from_bytes("ed25519", unhex(given["secret"]))
    config: Any = {"log2_batch": given["log2"], "low_water": 1}
    signer = dsig.Signer(secret, suite, **config)
    own = signer.prepare(now)
    assert own is not None and len(own.announcement) == len(unhex(made["announcement"]))
    key = signer.public_key
    theirs, ours = verifier_of(suite, key), verifier_of(suite, key)
    theirs.announce(key, unhex(made["announcement"]), now)
    ours.announce(key, own.announcement, now)
    for message, signature in zip(map(unhex, given["messages"]), map(unhex, made["signatures"]), strict=True):
        again = signer.sign(message, now=now)
        assert len(again) == len(signature) == dsig.signature_len(suite)
        assert theirs.can_verify_fast(key, signature) and ours.can_verify_fast(key, again)
        theirs.verify(key, message, signature)
        ours.verify(key, message, again)
        assert fields(again)["index"] == fields(signature)["index"]
    return made


def reuse(given: Json) -> Json:
    suite, evidence = suite_of(given), unhex(given["evidence"])
    culprit = dsig.verify_reuse(suite, evidence)
    reader = wire.Reader(evidence)
    key = q.PublicKey.decode("ed25519", reader.raw(32))
    first, second = ((reader.bytes(1 << 24), reader.raw(dsig.signature_len(suite))) for _ in range(2))
    reader.finish()
    assert key == culprit and dsig.reuse(key, first, second) == evidence
    return {"culprit": culprit.encode().hex()}


def session(given: Json) -> Json:
    signers = [q.PublicKey.decode("ed25519", unhex(signer)) for signer in given["signers"]]
    config = {name: given[name] for name in ("announced", "checked", "burst")}
    interval = timedelta(microseconds=given["interval"])
    verifier = verifier_of(suite_of(given), *signers[: given["admitted"]], interval=interval, **config)
    outcomes = []
    for step in given["steps"]:
        signer, data = signers[step["signer"]], unhex(given["bytes"][step["bytes"]])
        if step["do"] == "announce":
            outcomes.append(outcome_of(lambda: verifier.announce(signer, data, int(step["time"]))))
        elif step["do"] == "fast":
            outcomes.append("yes" if verifier.can_verify_fast(signer, data) else "no")
        else:
            message = unhex(given["messages"][step["message"]])
            outcomes.append(outcome_of(lambda: verifier.verify(signer, message, data)))
    return {"outcomes": outcomes}


OPERATIONS = {
    "dsig.decode": decode,
    "dsig.verify": verify,
    "dsig.announcement": announcement,
    "dsig.sign": sign,
    "dsig.reuse": reuse,
    "dsig.session": session,
}
