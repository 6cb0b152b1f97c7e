"""Evidence: two contradicting votes of a member, or two contradicting certificates (`spec/certificate.md`)."""

from dataclasses import dataclass

from . import wire
from .certificate import Certificate, Statement, Vote, read_suite
from .errors import Refused


@dataclass
class Equivocation:
    first: Vote
    second: Vote

    @classmethod
    def new(cls, a, b):
        if a.signer != b.signer or not a.statement.contradicts(b.statement):
            raise Refused("NOT_EVIDENCE")
        return cls(*sorted((a, b), key=lambda vote: vote.statement.digest))

    def encode(self):
        scheme, s = self.first.scheme, self.first.statement
        data = (
            wire.u8(scheme.suite) + wire.u8(s.kind) + wire.u64(s.epoch) + wire.u64(s.view) + wire.u16(self.first.signer)
        )
        for vote in (self.first, self.second):
            data += vote.statement.digest + scheme.encode_signature(vote.signature)
        return data

    @classmethod
    def read(cls, r, scheme):
        read_suite(r, scheme)
        kind, epoch, view, signer = r.uint(1), r.uint(8), r.uint(8), r.uint(2)
        votes = []
        for _ in range(2):
            statement = Statement(kind, epoch, view, r.raw(32))
            votes.append(Vote(scheme, statement, signer, scheme.decode_signature(r.raw(scheme.sig_len))))
        if votes[0].statement.digest >= votes[1].statement.digest:
            raise Refused("NON_CANONICAL")
        return cls(*votes)

    def verify(self, committee):
        self.first.verify(committee)
        self.second.verify(committee)


@dataclass
class Conflict:
    first: Certificate
    second: Certificate

    @classmethod
    def read(cls, r, committee):
        first, second = Certificate.read(r, committee), Certificate.read(r, committee)
        if first.statement.digest > second.statement.digest:
            raise Refused("NON_CANONICAL")
        if not first.statement.contradicts(second.statement):
            raise Refused("NOT_EVIDENCE")
        return cls(first, second)

    def culprits(self):
        return sorted(self.first.signers & self.second.signers)

    def verify(self, committee):
        self.first.verify(committee)
        self.second.verify(committee)
