"""Order-free aggregates (`spec/gossip.md`)."""

from dataclasses import dataclass

from . import signers as codec
from . import wire
from .certificate import Certificate, Statement, read_suite
from .errors import Refused


@dataclass
class Aggregate:
    scheme: object
    statement: Statement
    counts: dict  # of the signers
    signature: object

    @classmethod
    def from_vote(cls, vote):
        return cls(vote.scheme, vote.statement, {vote.signer: 1}, vote.signature)

    def encode(self, committee):
        data = wire.u8(self.scheme.suite) + self.statement.encode() + codec.encode(set(self.counts), len(committee))
        return data + self.scheme.encode_counted(self.counts, self.signature)

    @classmethod
    def read(cls, r, committee):
        read_suite(r, committee.scheme)
        statement = Statement.read(r)
        statement.check_epoch(committee)
        signers = codec.read(r, len(committee))
        if not signers:
            raise Refused("BELOW_QUORUM")
        return cls(committee.scheme, statement, *committee.scheme.read_proof(r, signers))

    def verify(self, committee):
        message = self.statement.signed_bytes(committee.id)
        keys = {i: committee.keys[i] for i in self.counts}
        self.scheme.verify_claims([(message, keys)], (self.counts, self.signature))

    def merge(self, other, limit):
        if self.statement != other.statement:
            raise Refused("WRONG_CONTEXT")
        all_members = sorted(set(self.counts) | set(other.counts))
        counts = {i: self.counts.get(i, 0) + other.counts.get(i, 0) for i in all_members}
        if max(counts.values()) > limit:
            raise Refused("TOO_LARGE")
        signature = self.scheme.sigs.add(self.signature, other.signature)
        if signature is None:
            raise Refused("INFINITY")
        return Aggregate(self.scheme, self.statement, counts, signature)

    def normalised(self, parts):
        """Subtracts each part in turn as often as possible while every signer keeps a count of at least 1."""
        group, counts, signature = self.scheme.sigs, dict(self.counts), self.signature
        for part in parts:
            if part.statement != self.statement or not set(part.counts) <= set(counts):
                continue
            times = min((counts[i] - 1) // count for i, count in part.counts.items())
            for i, count in part.counts.items():
                counts[i] -= times * count
            signature = group.add(signature, group.neg(group.mul(part.signature, times)))
        return self if signature is None else Aggregate(self.scheme, self.statement, counts, signature)

    def certificate(self, committee):
        """The bytes of the certificate, or None below the quorum."""
        if committee.weight_of(self.counts) < committee.quorum_weight:
            return None
        absent = set(range(len(committee))) - set(self.counts)
        data = wire.u8(self.scheme.suite) + self.statement.encode() + codec.encode(absent, len(committee))
        data += self.scheme.encode_counted(self.counts, self.signature)
        wire.whole(data, lambda r: Certificate.read(r, committee)).verify(committee)
        return data
