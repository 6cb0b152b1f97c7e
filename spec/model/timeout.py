"""Timeout votes and timeout certificates (`spec/certificate.md`)."""

from dataclasses import dataclass

from . import signers as codec
from . import wire
from .certificate import Statement, Vote, read_suite
from .errors import Refused

MAX_GROUPS = 1024


def statement_of(kind, epoch, view, value):
    return Statement(kind, epoch, view, wire.u64(value) + bytes(24))


@dataclass
class TimeoutVote:
    value: int
    vote: Vote

    @classmethod
    def sign(cls, secret, committee, signer, kind, view, value):
        return cls(value, Vote.sign(secret, committee, signer, statement_of(kind, committee.epoch, view, value)))

    def _head(self):
        v = self.vote
        numbers = wire.u64(v.statement.epoch) + wire.u64(v.statement.view) + wire.u64(self.value)
        return wire.u8(v.scheme.suite) + wire.u8(v.statement.kind) + numbers + wire.u16(v.signer)

    def encode(self):
        return self._head() + self.vote.scheme.encode_signature(self.vote.signature)

    def encode_link(self):
        return self._head() + self.vote.scheme.encode_link_signature(self.vote.signature)

    @classmethod
    def _read(cls, r, scheme, read_signature):
        read_suite(r, scheme)
        kind, epoch, view, value, signer = r.uint(1), r.uint(8), r.uint(8), r.uint(8), r.uint(2)
        statement = statement_of(kind, epoch, view, value)
        return cls(value, Vote(scheme, statement, signer, read_signature(r)))

    @classmethod
    def read(cls, r, scheme):
        return cls._read(r, scheme, lambda r: scheme.decode_signature(r.raw(scheme.sig_len)))

    @classmethod
    def read_link(cls, r, scheme):
        return cls._read(r, scheme, lambda r: scheme.decode_link_signature(r.raw(scheme.link_len)))


@dataclass
class TimeoutCertificate:
    scheme: object
    kind: int
    epoch: int
    view: int
    groups: list  # of (value, signers), ascending by value
    proof: object

    @staticmethod
    def encode_parts(committee, kind, view, votes):
        """The bytes of a certificate; `votes` is a dictionary from member to (value, signature)."""
        data = wire.u8(committee.scheme.suite) + wire.u8(kind) + wire.u64(committee.epoch) + wire.u64(view)
        values = sorted({value for value, _ in votes.values()})
        data += wire.u16(len(values))
        for value in values:
            signers = {i for i, (named, _) in votes.items() if named == value}
            data += wire.u64(value) + codec.encode(signers, len(committee))
        return data + committee.scheme.encode_proof({i: signature for i, (_, signature) in votes.items()})

    @classmethod
    def read(cls, r, committee):
        read_suite(r, committee.scheme)
        kind, epoch, view = r.uint(1), r.uint(8), r.uint(8)
        if epoch != committee.epoch:
            raise Refused("WRONG_CONTEXT")
        groups, all_members = cls._read_groups(r, len(committee))
        committee.require_quorum(all_members)
        return cls(committee.scheme, kind, epoch, view, groups, committee.scheme.read_proof(r, all_members))

    @staticmethod
    def _read_groups(r, n):
        count = r.uint(2)
        if count > min(MAX_GROUPS, n):
            raise Refused("TOO_LARGE")
        groups, all_members = [], set()
        for _ in range(count):
            value, signers = r.uint(8), codec.read(r, n)
            if not signers or groups and groups[-1][0] >= value:
                raise Refused("NON_CANONICAL")
            if signers & all_members:
                raise Refused("DUPLICATE_SIGNER")
            all_members |= signers
            groups.append((value, signers))
        return groups, all_members

    def verify(self, committee):
        claims = []
        for value, signers in self.groups:
            message = statement_of(self.kind, self.epoch, self.view, value).signed_bytes(committee.id)
            claims.append((message, {i: committee.keys[i] for i in signers}))
        self.scheme.verify_claims(claims, self.proof)
