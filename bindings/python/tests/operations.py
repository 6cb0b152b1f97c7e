"""The vector operations (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from typing import Any

import dleq_operations
import dsig_operations
import erasure_operations
import gossip_operations
import quorate
import threshold_operations
from quorate import (
    Certificate,
    ChainId,
    Committee,
    Conflict,
    Equivocation,
    Guard,
    GuardRecord,
    PublicKey,
    SecretKey,
    Signature,
    SignerSet,
    Statement,
    Suite,
    Suspects,
    TimeoutCertificate,
    TimeoutCollector,
    TimeoutVote,
    UnverifiedKey,
    VerifiedKey,
    Vote,
    VoteCollector,
    bls,
    merkle,
    wire,
)

Json = Any
TREE = merkle.Merkle("quorate-v1-transaction", "quorate-v1-batch-node")


def run(operation: str, given: Json) -> Json:
    """Returns the operation's output; None if it has none. Errors are raised."""
    return OPERATIONS[operation](given)


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def same(value: Any, data: bytes) -> Any:
    """Returns the value, if it encodes to the bytes that it was decoded from."""
    assert value.encode() == data, "decoded, but encodes to something else"
    return value


def suite_of(given: Json) -> Suite:
    number = given["suite"] if "suite" in given else given["committee"]["suite"]
    return next(suite for suite in Suite if suite.number == number)


# ------------------------------------------------------------------------------------------------------------ wire


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


# ------------------------------------------------------------------------------------------------------------ keys


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


def secret_key_decode(given: Json) -> Json:
    secret = secret_of(given)
    assert secret.to_bytes() == unhex(given["secret"])
    return {"public_key": secret.public_key().encode().hex()}


def signature_decode_link(given: Json) -> Json:
    data = unhex(given["link"])
    signature = Signature.decode_link(suite_of(given), data)
    assert signature.encode_link() == data
    return {"signature": signature.encode().hex()}


def verify(given: Json) -> None:
    key = key_of(given)
    key.verify(unhex(given["message"]), signature_of(given))


def possession_verify(given: Json) -> None:
    verified(suite_of(given), given)


def bls_aggregate(given: Json) -> Json:
    suite = suite_of(given)
    parts = [same(Signature.decode(suite, unhex(part)), unhex(part)) for part in given["signatures"]]
    return {"signature": bls.aggregate(parts).encode().hex()}


def bls_fast_aggregate_verify(given: Json) -> None:
    keys = [verified(suite_of(given), key) for key in given["keys"]]
    bls.fast_aggregate_verify(keys, unhex(given["message"]), signature_of(given))


def bls_aggregate_verify(given: Json) -> None:
    signed = [(verified(suite_of(given), key), unhex(key["message"])) for key in given["keys"]]
    bls.aggregate_verify(signed, signature_of(given))


# ---------------------------------------------------------------------------------------------------------- merkle


def leaves(given: Json) -> list[bytes]:
    return TREE.leaves([unhex(item) for item in given["items"]])


def merkle_verify(given: Json) -> Json:
    data = unhex(given["path"])
    path = same(merkle.Path.decode(data), data)
    TREE.verify(unhex(given["root"]), TREE.leaf(unhex(given["item"])), path)
    return {"index": path.index, "count": path.count}


# ------------------------------------------------------------------------------------------------------ committees


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


def figures(committee: Committee) -> Json:
    return {
        "id": str(committee.id),
        "total_weight": str(committee.total_weight),
        "quorum_weight": str(committee.quorum_weight),
        "honest_weight": str(committee.honest_weight),
    }


def committee_new(given: Json) -> Json:
    suite = suite_of(given)
    members = [(verified(suite, member), int(member["weight"])) for member in given["members"]]
    return figures(Committee(ChainId.from_bytes(unhex(given["chain"])), int(given["epoch"]), members))


def raw_signers(committee: Committee, given: Json) -> SignerSet:
    if "indices" in given:
        return committee.signer_set(indices=given["indices"])
    if "lsb_first" in given:
        return committee.signer_set(lsb_first=unhex(given["lsb_first"]))
    return committee.signer_set(msb_first=unhex(given["msb_first"]))


def committee_signers(given: Json) -> Json:
    committee = committee_of(given)
    signers = raw_signers(committee, given)
    return {"signers": list(signers), "weight": str(committee.weight_of(signers))}


def committee_verify_raw(given: Json) -> Json:
    committee = committee_of(given)
    signers = raw_signers(committee, given)
    weight = committee.verify_raw(unhex(given["message"]), signers, unhex(given["proof"]))
    return {"weight": str(weight)}


# ------------------------------------------------------------------------------------------------------------ votes


def statement_of(given: Json) -> Statement:
    return Statement(given["kind"], int(given["epoch"]), int(given["view"]), unhex(given["digest"]))


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


# --------------------------------------------------------------------------------------------------------- timeouts


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


# --------------------------------------------------------------------------------------------- evidence and guard


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


OTHERS = [dleq_operations, dsig_operations, erasure_operations, threshold_operations]
OPERATIONS: dict[str, Any] = {name: call for module in OTHERS for name, call in module.OPERATIONS.items()}
OPERATIONS |= gossip_operations.operations(committee_of)
OPERATIONS |= {
    "wire.uint": wire_uint,
    "wire.varint": wire_varint,
    "wire.bytes": wire_bytes,
    "wire.list": wire_list,
    "wire.option": wire_option,
    "wire.hash": wire_hash,
    "secret_key.decode": secret_key_decode,
    "public_key.decode": lambda given: {"public_key": key_of(given).encode().hex()},
    "signature.decode": lambda given: {"link": signature_of(given).encode_link().hex()},
    "signature.decode_link": signature_decode_link,
    "sign": lambda given: {"signature": secret_of(given).sign(unhex(given["message"])).encode().hex()},
    "verify": verify,
    "possession.prove": lambda given: {"possession": secret_of(given).prove_possession().encode().hex()},
    "possession.verify": possession_verify,
    "bls.aggregate": bls_aggregate,
    "bls.fast_aggregate_verify": bls_fast_aggregate_verify,
    "bls.aggregate_verify": bls_aggregate_verify,
    "merkle.root": lambda given: {"root": TREE.root(leaves(given)).hex()},
    "merkle.path": lambda given: {"path": TREE.path(leaves(given), given["index"]).encode().hex()},
    "merkle.verify": merkle_verify,
    "chain_id.from_name": lambda given: {"chain": str(ChainId.from_name(given["name"]))},
    "committee.new": committee_new,
    "committee.from_attested": lambda given: figures(committee_of(given)),
    "committee.signers": committee_signers,
    "committee.verify_raw": committee_verify_raw,
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
