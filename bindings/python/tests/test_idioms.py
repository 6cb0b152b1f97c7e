"""Python's idioms: signatures show their defaults, errors name Python's types, values pickle, representations are
Python's.
"""

from __future__ import annotations

import copy
import datetime
import inspect
import pickle
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import timedelta
from typing import Any

import pytest
import quorate as q
from conftest import Setup
from quorate import bls, dsig, gossip, sortition, wire
from quorate.threshold import Cache, ecdsa


def test_signatures_show_default_values() -> None:
    def defaults(call: Callable[..., object]) -> dict[str, Any]:
        parameters = inspect.signature(call).parameters.values()
        return {each.name: each.default for each in parameters if each.default is not each.empty}

    assert defaults(q.SignerSet) == {"members": ()}
    assert defaults(q.Committee.from_attested) == {"allow_repeats": False}
    assert defaults(Cache) == {"capacity": 16}
    assert defaults(ecdsa.Plan.for_agreement) == {"rounds": ecdsa.Plan.ROUNDS}
    assert defaults(sortition.Lottery) == {"expected": sortition.EXPECTED_WINNERS}
    assert defaults(gossip.VerifiedAggregate.merge) == {"limit": gossip.Parameters().limit}
    assert defaults(dsig.Auditor) == {"suite": None, "roots": 1024}
    assert defaults(dsig.Signer.sign) == {"hint": (), "now": None}
    assert defaults(dsig.Signer)["lifetime"] == timedelta(seconds=10)
    assert defaults(dsig.Verifier)["interval"] == timedelta(microseconds=200)
    chosen = defaults(gossip.Parameters)
    assert chosen.keys() == {"limit", "preferred", "batch", "fan_out", "back_off", "send_timeout"}
    assert gossip.Parameters(**chosen) == gossip.Parameters()


def native_classes() -> set[type]:
    modules = [q, q.bls, q.dsig, q.erasure, q.gossip, q.merkle, q.sortition, q.threshold, q.wire]
    modules += [getattr(q.threshold, name) for name in ("bls", "coin", "ecdsa", "seal", "tdh2")]
    classes = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    return {kind for kind in classes if kind.__module__.startswith("quorate")}


def test_no_signature_hides_a_default() -> None:
    checked = 0
    for kind in native_classes():
        for call in [kind, *vars(kind).values()]:
            if not callable(call) or getattr(call, "__text_signature__", None) is None:
                continue
            parameters = inspect.signature(call).parameters.values()
            assert all(each.default is not ... for each in parameters), (kind, call)
            checked += 1
    assert checked > 300


def test_what_functions_create_has_no_constructor() -> None:
    made = [kind for kind in native_classes() if kind.__text_signature__ is None and type(kind) is type]
    made = [kind for kind in made if not issubclass(kind, (Exception, tuple)) and not is_dataclass(kind)]
    assert len(made) > 30
    for kind in made:
        calls: list[Callable[[], object]] = [kind, lambda: object.__new__(kind), lambda: type("Sub", (kind,), {})]  # noqa: B023
        for call in calls:
            with pytest.raises(TypeError):
                call()
    assert all(kind in made for kind in native_classes() if kind.__name__.startswith("Verified"))


def test_a_type_error_says_what_was_expected(setup: Setup) -> None:
    wrong: Any = 5
    collector, suspects = q.VoteCollector(setup.committee, 1, 9), q.Suspects()
    calls: list[tuple[str, Callable[[], object]]] = [
        ("expected Vote or VerifiedVote, not int", lambda: collector.add(wrong, suspects)),
        ("expected bytes or another buffer, not int", lambda: q.Statement.decode(wrong)),
        ("expected a Suite or its name, not int", lambda: q.SecretKey.generate(wrong)),
        ("expected an iterable of items, not str", lambda: q.SignerSet(4, "12")),  # type: ignore[arg-type]
        ("kind must be an int, not str", lambda: q.Statement("1", 1, 1, bytes(32))),  # type: ignore[arg-type]
    ]
    for expected, call in calls:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == expected


def test_committees_pickle(setup: Setup) -> None:
    committee = setup.committee
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(committee, protocol))
        assert type(again) is q.Committee and again == committee and again.id == committee.id
        assert again.keys() == committee.keys() and again.total_weight == committee.total_weight
    assert setup.vote(0).verify(again).committee == committee.id
    assert copy.copy(committee) is committee and copy.deepcopy(committee) is committee


def test_a_pickled_committee_keeps_repeats_weights_and_ciphersuite() -> None:
    secrets = [q.SecretKey.generate(q.Suite.MIN_PK) for _ in range(2)]
    one, two = (secret.public_key() for secret in secrets)
    members = [(one, 5), (two, 1 << 100), (one, 7)]
    committee = q.Committee.from_attested(q.ChainId.from_name("x"), 1, members, allow_repeats=True)
    basic = q.Ciphersuite.basic()
    again = pickle.loads(pickle.dumps(committee.with_ciphersuite(basic)))
    assert again == committee and [again.weight(index) for index in range(3)] == [5, 1 << 100, 7]
    proof = secrets[1].sign_with(basic, b"m").encode()
    assert again.verify_raw(b"m", q.SignerSet(3, [1]), proof) == 1 << 100
    with pytest.raises(q.BadSignatureError):
        committee.verify_raw(b"m", q.SignerSet(3, [1]), proof)


def test_what_needs_a_committee_to_decode_says_so(setup: Setup) -> None:
    certificate = setup.certificate()
    conflict = q.Conflict(certificate, setup.certificate(digest=8))
    for value in (certificate, conflict):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match=f"a {type(value).__name__} cannot be pickled: decoding needs the committee"):
                pickle.dumps(value, protocol)
        assert copy.copy(value) is value and copy.deepcopy(value) is value
    with pytest.raises(TypeError, match="a VerifiedCertificate cannot be pickled; send its bytes"):
        pickle.dumps(certificate.verify(setup.committee))


def test_representations_are_python_s(setup: Setup) -> None:
    suite, committee, vote, certificate = setup.suite, setup.committee, setup.vote(2), setup.certificate()
    digest = "07" * 32
    assert repr(committee) == f"Committee(members=4, epoch=3, suite={suite}, id={committee.id})"
    assert repr(vote) == f"Vote(kind=1, epoch=3, view=9, digest={digest}, signer=2, suite={suite})"
    assert repr(vote.verify(committee)) == repr(vote).replace("Vote", "VerifiedVote")
    assert repr(certificate) == f"Certificate(kind=1, epoch=3, view=9, digest={digest}, signers=3/4, suite={suite})"
    assert repr(certificate.verify(committee)) == repr(certificate).replace("Certificate", "VerifiedCertificate")
    timeout = q.TimeoutVote.sign_unguarded(setup.secrets[1], committee, 2, 9, 4)
    assert repr(timeout) == f"TimeoutVote(kind=2, epoch=3, view=9, value=4, signer=1, suite={suite})"
    evidence = q.Equivocation(setup.vote(0), setup.vote(0, digest=8))
    assert repr(evidence) == f"Equivocation(kind=1, epoch=3, view=9, signer=0, suite={suite})"
    conflict = q.Conflict(certificate, setup.certificate(digest=8))
    assert repr(conflict) == f"Conflict(kind=1, epoch=3, view=9, culprits=3/4, suite={suite})"
    statement = certificate.statement
    assert eval(repr(statement), {"Statement": q.Statement}) == statement
    names = {"Parameters": gossip.Parameters, "datetime": datetime}
    for parameters in (gossip.Parameters(), gossip.Parameters(batch=9, back_off=timedelta(milliseconds=1500))):
        assert eval(repr(parameters), names) == parameters
    assert repr(q.Ciphersuite.custom(b"CHAIN_V1")) == 'Ciphersuite(custom "CHAIN_V1")'
    seed = sortition.Seed.genesis(committee.chain, b"x")
    assert repr(seed) == f"Seed(height=0, value={seed.value.hex()})"
