"""Statements, votes, certificates, timeout certificates and evidence (`spec/certificate.md`)."""

from dataclasses import dataclass

from . import signers as codec
from . import wire
from .errors import Refused


@dataclass(frozen=True)
class Statement:
    kind: int
    epoch: int
    view: int
    digest: bytes

    def encode(self):
        return wire.u8(self.kind) + wire.u64(self.epoch) + wire.u64(self.view) + self.digest

    @classmethod
    def read(cls, r):
        return cls(r.uint(1), r.uint(8), r.uint(8), r.raw(32))

    def signed_bytes(self, committee_id):
        return wire.VOTE.encode() + committee_id + self.encode()

    def identity(self, committee_id):
        return wire.derive(wire.STATEMENT, self.signed_bytes(committee_id))

    def check_epoch(self, committee):
        if self.epoch != committee.epoch:
            raise Refused("WRONG_CONTEXT")

    def contradicts(self, other):
        same = (self.kind, self.epoch, self.view) == (other.kind, other.epoch, other.view)
        return same and self.digest != other.digest


def peek_header(data):
    """The claimed suite, kind, epoch and view of an encoding; nothing of it is verified."""
    r = wire.Reader(data)
    return r.uint(1), r.uint(1), r.uint(8), r.uint(8)


def read_suite(r, scheme):
    if r.uint(1) != scheme.suite:
        raise Refused("WRONG_CONTEXT")


@dataclass
class Vote:
    scheme: object
    statement: Statement
    signer: int
    signature: object

    @classmethod
    def sign(cls, secret, committee, signer, statement):
        scheme = committee.scheme
        return cls(scheme, statement, signer, scheme.sign(secret, statement.signed_bytes(committee.id)))

    def _head(self):
        return wire.u8(self.scheme.suite) + self.statement.encode() + wire.u16(self.signer)

    def encode(self):
        return self._head() + self.scheme.encode_signature(self.signature)

    def encode_link(self):
        return self._head() + self.scheme.encode_link_signature(self.signature)

    @classmethod
    def read(cls, r, scheme):
        read_suite(r, scheme)
        statement, signer = Statement.read(r), r.uint(2)
        return cls(scheme, statement, signer, scheme.decode_signature(r.raw(scheme.sig_len)))

    @classmethod
    def read_link(cls, r, scheme):
        read_suite(r, scheme)
        statement, signer = Statement.read(r), r.uint(2)
        return cls(scheme, statement, signer, scheme.decode_link_signature(r.raw(scheme.link_len)))

    def verify(self, committee):
        self.statement.check_epoch(committee)
        if self.signer >= len(committee):
            raise Refused("UNKNOWN_SIGNER")
        self.scheme.verify(committee.keys[self.signer], self.statement.signed_bytes(committee.id), self.signature)


@dataclass
class Certificate:
    scheme: object
    statement: Statement
    signers: frozenset
    proof: object  # as `scheme.read_proof` returns it

    @classmethod
    def encode_parts(cls, committee, statement, signatures):
        """The bytes of a certificate; `signatures` is a dictionary from member to signature."""
        return wire.u8(committee.scheme.suite) + statement.encode() + cls.detached_parts(committee, signatures)

    @classmethod
    def detached_parts(cls, committee, signatures):
        absent = set(range(len(committee))) - set(signatures)
        return codec.encode(absent, len(committee)) + committee.scheme.encode_proof(signatures)

    @classmethod
    def read(cls, r, committee):
        read_suite(r, committee.scheme)
        return cls.read_detached(r, Statement.read(r), committee)

    @classmethod
    def read_detached(cls, r, statement, committee):
        statement.check_epoch(committee)
        signers = frozenset(range(len(committee))) - codec.read(r, len(committee))
        committee.require_quorum(signers)
        return cls(committee.scheme, statement, signers, committee.scheme.read_proof(r, signers))

    def verify(self, committee):
        message = self.statement.signed_bytes(committee.id)
        self.scheme.verify_claims([(message, {i: committee.keys[i] for i in self.signers})], self.proof)
