"""Signers and verifiers of the tests of DSig."""

from __future__ import annotations

from typing import Any

import quorate as q
from quorate import dsig

SECRET = bytes([9]) * 32
NOW = 1_000_000


def signer_of(suite: str = "wots-blake3", log2: int = 2, secret: bytes = SECRET, **config: Any) -> dsig.Signer:
    config = {"log2_batch": log2, "low_water": 1} | config
    return dsig.Signer(q.SecretKey.from_bytes("ed25519", secret), suite, **config)


def prepared(signer: dsig.Signer, now: int = NOW) -> dsig.Announced:
    announced = signer.prepare(now)
    assert announced is not None
    return announced


def verifier_of(signer: dsig.Signer, **config: Any) -> dsig.Verifier:
    verifier = dsig.Verifier(signer.suite, **config)
    verifier.admit(signer.public_key)
    return verifier
