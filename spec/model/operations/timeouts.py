"""Timeouts and evidence."""

from .. import wire
from ..evidence import Conflict, Equivocation
from ..timeout import TimeoutCertificate, TimeoutVote
from .certificates import votes_of
from .committees import committee
from .registry import operation, raw


@operation("timeout_vote.sign")
def timeout_vote_sign(i):
    c = committee(i["committee"])
    secret = c.scheme.secret(raw(i["secret"]))
    signer = c.keys.index(c.scheme.public_key(secret))
    vote = TimeoutVote.sign(secret, c, signer, i["kind"], int(i["view"]), int(i["value"]))
    return {
        "vote": vote.encode().hex(),
        "link": vote.encode_link().hex(),
        "signed_bytes": vote.vote.statement.signed_bytes(c.id).hex(),
    }


def _timeout_vote(c, data, link=False):
    read = TimeoutVote.read_link if link else TimeoutVote.read
    return wire.whole(data, lambda r: read(r, c.scheme))


@operation("timeout_vote.verify")
def timeout_vote_verify(i):
    c = committee(i["committee"])
    vote = _timeout_vote(c, raw(i["link"] if "link" in i else i["vote"]), "link" in i)
    vote.vote.verify(c)
    s = vote.vote.statement
    return {"kind": s.kind, "view": str(s.view), "value": str(vote.value), "signer": vote.vote.signer}


@operation("timeout_certificate.collect")
def timeout_certificate_collect(i):
    """The certificate of a quorum of valid timeout votes of one kind and view."""
    c = committee(i["committee"])
    votes = [_timeout_vote(c, raw(v)) for v in i["votes"]]
    for vote in votes:
        vote.vote.verify(c)
    s = votes[0].vote.statement
    held = {vote.vote.signer: (vote.value, vote.vote.signature) for vote in votes}
    c.require_quorum(held)
    return {"certificate": TimeoutCertificate.encode_parts(c, s.kind, s.view, held).hex()}


def _timeout_certificate(i):
    c = committee(i["committee"])
    certificate = wire.whole(raw(i["certificate"]), lambda r: TimeoutCertificate.read(r, c))
    groups = [{"value": str(value), "signers": sorted(signers)} for value, signers in certificate.groups]
    return c, certificate, {"kind": certificate.kind, "view": str(certificate.view), "groups": groups}


@operation("timeout_certificate.decode")
def timeout_certificate_decode(i):
    return _timeout_certificate(i)[2]


@operation("timeout_certificate.verify")
def timeout_certificate_verify(i):
    c, certificate, output = _timeout_certificate(i)
    certificate.verify(c)
    return output


@operation("equivocation.new")
def equivocation_new(i):
    c, votes = committee(i["committee"]), votes_of(i, committee(i["committee"]))
    evidence = Equivocation.new(*votes)
    evidence.verify(c)
    return {"evidence": evidence.encode().hex()}


@operation("equivocation.verify")
def equivocation_verify(i):
    c = committee(i["committee"])
    evidence = wire.whole(raw(i["evidence"]), lambda r: Equivocation.read(r, c.scheme))
    evidence.verify(c)
    return {"culprits": [evidence.first.signer]}


@operation("conflict.verify")
def conflict_verify(i):
    c = committee(i["committee"])
    evidence = wire.whole(raw(i["evidence"]), lambda r: Conflict.read(r, c))
    evidence.verify(c)
    return {"culprits": evidence.culprits()}
