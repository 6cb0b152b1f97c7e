"""A committee for each suite, signers of DSig, and the import path of the tests' own modules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import quorate as q
from quorate import dsig

sys.path.insert(0, str(Path(__file__).parent))

SECRET = bytes([9]) * 32
NOW = 1_000_000


def code_of(call: Callable[[], object]) -> str:
    """The code of the error that the call raises; otherwise `ok`."""
    try:
        call()
    except q.QuorateError as error:
        return error.code
    return "ok"


@dataclass
class Setup:
    suite: q.Suite
    secrets: list[q.SecretKey]
    committee: q.Committee

    def statement(self, digest: int = 7) -> q.Statement:
        return self.committee.statement(1, 9, bytes([digest]) * 32)

    def vote(self, member: int, digest: int = 7) -> q.Vote:
        return q.Vote.sign_unguarded(self.secrets[member], self.committee, self.statement(digest))

    def certificate(self, digest: int = 7) -> q.Certificate:
        collector, suspects = q.VoteCollector(self.committee, 1, 9), q.Suspects()
        for member in range(4):
            certificate = collector.add(self.vote(member, digest), suspects).certificate
            if certificate is not None:
                return certificate.value
        raise AssertionError("no certificate")


@pytest.fixture(params=list(q.Suite), ids=str)
def setup(request: pytest.FixtureRequest) -> Iterator[Setup]:
    suite = request.param
    secrets = [q.SecretKey.generate(suite) for _ in range(4)]
    members = [(q.UnverifiedKey.prove(secret).verify(), 1) for secret in secrets]
    yield Setup(suite, secrets, q.Committee(q.ChainId.from_name("tests"), 3, members))
    for secret in secrets:
        secret.close()


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
