"""Vector operations of votes, certificates, timeouts, evidence and guards (spec/vectors/README.md), through the public
API.
"""

from __future__ import annotations

from typing import Any

import quorate
from quorate import (
    Certificate,
    Committee,
    Conflict,
    Equivocation,
    Guard,
    GuardRecord,
    Statement,
    Suspects,
    TimeoutCertificate,
    TimeoutCollector,
    TimeoutVote,
    Vote,
    VoteCollector,
)
from vector_inputs import Json, committee_of, same, secret_of, statement_of, suite_of, unhex


def shown(statement: Statement) -> Json:
    return {
        "kind": statement.kind,
        "epoch": str(statement.epoch),
        "view": str(statement.view),
        "digest": statement.digest.hex(),
    }


def statement_encode(given: Json) -> Json:
    committee, statement = committee_of(given), statement_of(given["statement"])
    assert Statement.decode(statement.encode()) == statement
    return {
        "bytes": statement.encode().hex(),
        "signed_bytes": statement.signed_bytes(committee.id).hex(),
        "identity": statement.identity(committee.id).hex(),
    }


def vote_sign(given: Json) -> Json:
    committee = committee_of(given)
    vote = Vote.sign_unguarded(secret_of(given), committee, statement_of(given["statement"]))
    return {"vote": vote.encode().hex(), "link": vote.encode_link().hex()}


def decoded_vote(kind: Any, given: Json) -> Any:
    suite = suite_of(given)
    if "link" in given:
        data = unhex(given["link"])
        vote = kind.decode_link(suite, data)
        assert vote.encode_link() == data
        return vote
    data = unhex(given["vote"])
    return same(kind.decode(suite, data), data)


def vote_verify(given: Json) -> Json:
    committee = committee_of(given)
    vote = decoded_vote(Vote, given).verify(committee)
    assert vote.committee == committee.id
    return {"statement": shown(vote.value.statement), "signer": vote.value.signer}


def certificate_collect(given: Json) -> Json:
    committee, suite = committee_of(given), suite_of(given)
    votes = [same(Vote.decode(suite, unhex(vote)), unhex(vote)) for vote in given["votes"]]
    first = votes[0].statement
    collector, made = VoteCollector(committee, first.kind, first.view), None
    for vote in votes:
        collected = collector.add(vote, Suspects())
        assert not collected.faults
        made = made or collected.certificate
    if made is None:
        raise quorate.BelowQuorumError("no certificate came of them")
    certificate = made.value
    return {
        "certificate": certificate.encode().hex(),
        "detached": certificate.encode_detached().hex(),
        "signers": list(certificate.signers),
    }


def certificate_decode(given: Json) -> Json:
    data = unhex(given["certificate"])
    certificate = same(Certificate.decode(data, committee_of(given)), data)
    return {"statement": shown(certificate.statement), "signers": list(certificate.signers)}


def certificate_verify(given: Json) -> Json:
    committee, data = committee_of(given), unhex(given["certificate"])
    certificate = same(Certificate.decode(data, committee), data)
    batched = Certificate.verify_batch_derived(committee, [certificate, certificate])
    try:
        value = certificate.verify(committee).value
    except quorate.QuorateError as error:
        assert [getattr(verdict, "code", None) for verdict in batched] == [error.code] * 2
        raise
    assert [verdict.value for verdict in batched] == [certificate] * 2
    return {"statement": shown(value.statement), "signers": list(value.signers)}


def certificate_verify_detached(given: Json) -> Json:
    committee, data = committee_of(given), unhex(given["detached"])
    certificate = Certificate.decode_detached(data, statement_of(given["statement"]), committee)
    assert certificate.encode_detached() == data
    return {"signers": list(certificate.verify(committee).value.signers)}


def timeout_vote_sign(given: Json) -> Json:
    committee = committee_of(given)
    vote = TimeoutVote.sign_unguarded(
        secret_of(given), committee, given["kind"], int(given["view"]), int(given["value"])
    )
    return {
        "vote": vote.encode().hex(),
        "link": vote.encode_link().hex(),
        "signed_bytes": vote.as_vote().statement.signed_bytes(committee.id).hex(),
    }


def timeout_vote_verify(given: Json) -> Json:
    committee = committee_of(given)
    vote = decoded_vote(TimeoutVote, given).verify(committee).value
    return {"kind": vote.kind, "view": str(vote.view), "value": str(vote.value), "signer": vote.signer}


def timeout_certificate_collect(given: Json) -> Json:
    committee, suite = committee_of(given), suite_of(given)
    votes = [same(TimeoutVote.decode(suite, unhex(vote)), unhex(vote)) for vote in given["votes"]]
    collector, made = TimeoutCollector(committee, votes[0].kind, votes[0].view), None
    for vote in votes:
        collected = collector.add(vote, Suspects())
        assert not collected.faults
        made = made or collected.certificate
    if made is None:
        raise quorate.BelowQuorumError("no certificate came of them")
    return {"certificate": made.value.encode().hex()}


def timeout_certificate_decode(given: Json) -> Json:
    data = unhex(given["certificate"])
    return shown_timeout(same(TimeoutCertificate.decode(data, committee_of(given)), data))


def timeout_certificate_verify(given: Json) -> Json:
    committee, data = committee_of(given), unhex(given["certificate"])
    return shown_timeout(same(TimeoutCertificate.decode(data, committee), data).verify(committee).value)


def shown_timeout(certificate: TimeoutCertificate) -> Json:
    groups = [{"value": str(value), "signers": list(signers)} for value, signers in certificate.groups]
    return {"kind": certificate.kind, "view": str(certificate.view), "groups": groups}


def equivocation_new(given: Json) -> Json:
    committee, suite = committee_of(given), suite_of(given)
    first, second = (same(Vote.decode(suite, unhex(vote)), unhex(vote)) for vote in given["votes"])
    return {"evidence": Equivocation(first, second).verify(committee).value.encode().hex()}


def equivocation_verify(given: Json) -> Json:
    committee, data = committee_of(given), unhex(given["evidence"])
    evidence = same(Equivocation.decode(suite_of(given), data), data)
    return {"culprits": list(evidence.verify(committee).value.culprits)}


def conflict_verify(given: Json) -> Json:
    committee, data = committee_of(given), unhex(given["evidence"])
    evidence = same(Conflict.decode(data, committee), data)
    return {"culprits": list(evidence.verify(committee).value.culprits)}


def guard_of(given: Json, committee: Committee) -> Guard:
    secret = secret_of(given)
    records = [same(GuardRecord.decode(unhex(record)), unhex(record)) for record in given["records"]]
    return Guard.restore(secret, committee.chain, records)


def guard_restore(given: Json) -> Json:
    guard = guard_of(given, committee_of(given))
    return {"records": [record.encode().hex() for record in guard.records()]}


def guard_sign(given: Json) -> Json:
    committee = committee_of(given)
    vote, record = guard_of(given, committee).sign(committee, statement_of(given["statement"]))
    return {"vote": vote.encode().hex(), "record": record.encode().hex()}


OPERATIONS: dict[str, Any] = {
    "statement.encode": statement_encode,
    "vote.sign": vote_sign,
    "vote.verify": vote_verify,
    "certificate.collect": certificate_collect,
    "certificate.decode": certificate_decode,
    "certificate.verify": certificate_verify,
    "certificate.verify_detached": certificate_verify_detached,
    "timeout_vote.sign": timeout_vote_sign,
    "timeout_vote.verify": timeout_vote_verify,
    "timeout_certificate.collect": timeout_certificate_collect,
    "timeout_certificate.decode": timeout_certificate_decode,
    "timeout_certificate.verify": timeout_certificate_verify,
    "equivocation.new": equivocation_new,
    "equivocation.verify": equivocation_verify,
    "conflict.verify": conflict_verify,
    "guard.restore": guard_restore,
    "guard.sign": guard_sign,
}
