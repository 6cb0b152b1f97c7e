"""Statements, votes, certificates."""

from .. import wire
from ..certificate import Certificate, Statement, Vote, peek_header
from .committees import committee
from .registry import operation, raw


def statement(i):
    return Statement(i["kind"], int(i["epoch"]), int(i["view"]), raw(i["digest"]))


def statement_json(s):
    return {"kind": s.kind, "epoch": str(s.epoch), "view": str(s.view), "digest": s.digest.hex()}


@operation("statement.encode")
def statement_encode(i):
    s, c = statement(i["statement"]), committee(i["committee"])
    return {
        "bytes": s.encode().hex(),
        "signed_bytes": s.signed_bytes(c.id).hex(),
        "identity": s.identity(c.id).hex(),
    }


@operation("header.peek")
def header_peek(i):
    suite, kind, epoch, view = peek_header(raw(i["bytes"]))
    return {"suite": suite, "kind": kind, "epoch": str(epoch), "view": str(view)}


@operation("vote.sign")
def vote_sign(i):
    c = committee(i["committee"])
    secret = c.scheme.secret(raw(i["secret"]))
    signer = c.keys.index(c.scheme.public_key(secret))
    vote = Vote.sign(secret, c, signer, statement(i["statement"]))
    return {"vote": vote.encode().hex(), "link": vote.encode_link().hex()}


@operation("vote.verify")
def vote_verify(i):
    c = committee(i["committee"])
    read = Vote.read_link if "link" in i else Vote.read
    vote = wire.whole(raw(i["link"] if "link" in i else i["vote"]), lambda r: read(r, c.scheme))
    vote.verify(c)
    return {"statement": statement_json(vote.statement), "signer": vote.signer}


def votes_of(i, c):
    return [wire.whole(raw(v), lambda r: Vote.read(r, c.scheme)) for v in i["votes"]]


@operation("certificate.collect")
def certificate_collect(i):
    """The certificate of a quorum of valid votes on one statement. (The handling of invalid votes is defined on the
    page and has no vectors.)"""
    c, votes = committee(i["committee"]), votes_of(i, committee(i["committee"]))
    for vote in votes:
        vote.verify(c)
        assert vote.statement == votes[0].statement
    signatures = {vote.signer: vote.signature for vote in votes}
    c.require_quorum(signatures)
    data = Certificate.encode_parts(c, votes[0].statement, signatures)
    return {
        "certificate": data.hex(),
        "detached": Certificate.detached_parts(c, signatures).hex(),
        "signers": sorted(signatures),
    }


def _certificate(i):
    c = committee(i["committee"])
    return c, wire.whole(raw(i["certificate"]), lambda r: Certificate.read(r, c))


@operation("certificate.decode")
def certificate_decode(i):
    _, certificate = _certificate(i)
    return {"statement": statement_json(certificate.statement), "signers": sorted(certificate.signers)}


@operation("certificate.verify")
def certificate_verify(i):
    c, certificate = _certificate(i)
    certificate.verify(c)
    return {"statement": statement_json(certificate.statement), "signers": sorted(certificate.signers)}


@operation("certificate.verify_detached")
def certificate_verify_detached(i):
    c, s = committee(i["committee"]), statement(i["statement"])
    certificate = wire.whole(raw(i["detached"]), lambda r: Certificate.read_detached(r, s, c))
    certificate.verify(c)
    return {"signers": sorted(certificate.signers)}
