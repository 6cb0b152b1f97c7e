"""Proposer sortition (`spec/sortition.md`)."""

from dataclasses import dataclass

from .certificate import read_suite
from .dleq import h
from .errors import Refused
from .wire import u8, u16, u64


def member_of(secret, committee):
    """The first member with this key."""
    key = committee.scheme.public_key(secret)
    if key not in committee.keys:
        raise Refused("WRONG_CONTEXT")
    return committee.keys.index(key)


def check_unique(scheme, key, message, signature, accept):
    """The result of `accept` for the signature's bytes, if they are the unique signature of the key on the message."""
    if not scheme.sigs.in_subgroup(signature):
        raise Refused("NOT_IN_SUBGROUP")
    accepted = accept(scheme.encode_signature(signature))
    scheme.verify(key, message, signature)
    return accepted


def key_of(committee, member):
    if member >= len(committee):
        raise Refused("UNKNOWN_SIGNER")
    return committee.keys[member]


@dataclass(frozen=True)
class Seed:
    height: int
    value: bytes

    @classmethod
    def genesis(cls, chain, data):
        return cls(0, h("sortition-genesis", chain + data))

    def encode(self):
        return u64(self.height) + self.value

    @classmethod
    def read(cls, r):
        return cls(r.uint(8), r.raw(32))

    def signed_bytes(self, committee):
        return b"quorate-v1-sortition-proof" + committee.id + self.encode()

    def next(self, proof, committee):
        if self.height == 2**64 - 1:
            raise Refused("TOO_LARGE")
        key = key_of(committee, proof.signer)
        value = check_unique(
            committee.scheme,
            key,
            self.signed_bytes(committee),
            proof.signature,
            lambda data: h("sortition-seed", data),
        )
        return Seed(self.height + 1, value)


@dataclass
class SeedProof:
    scheme: object
    signer: int
    signature: object

    @classmethod
    def sign(cls, secret, committee, seed):
        signer = member_of(secret, committee)
        return cls(committee.scheme, signer, committee.scheme.sign(secret, seed.signed_bytes(committee)))

    def encode(self):
        return u8(self.scheme.suite) + u16(self.signer) + self.scheme.encode_signature(self.signature)

    @classmethod
    def read(cls, r, scheme):
        read_suite(r, scheme)
        signer = r.uint(2)
        return cls(scheme, signer, scheme.decode_signature(r.raw(scheme.sig_len)))


@dataclass
class Lottery:
    committee: object
    seed: Seed
    round: int
    expected: int

    def signed_bytes(self):
        c = self.committee
        return b"quorate-v1-sortition-ticket" + c.id + u64(c.epoch) + u64(self.round) + self.seed.encode()

    def wins(self, score):
        return int.from_bytes(score[:16], "big") * len(self.committee) < self.expected * 2**128

    def ticket(self, secret):
        """This member's ticket, winning or not."""
        c = self.committee
        return Ticket(c.scheme, self.round, member_of(secret, c), c.scheme.sign(secret, self.signed_bytes()))

    def score(self, ticket):
        """The score of a winning ticket."""
        c = self.committee
        if ticket.round != self.round:
            raise Refused("WRONG_CONTEXT")
        key = key_of(c, ticket.member)
        if c.keys.index(key) != ticket.member:
            raise Refused("WRONG_CONTEXT")

        def accept(data):
            score = h("sortition-score", data)
            if not self.wins(score):
                raise Refused("NOT_DRAWN")
            return score

        return check_unique(c.scheme, key, self.signed_bytes(), ticket.signature, accept)


@dataclass
class Ticket:
    scheme: object
    round: int
    member: int
    signature: object

    def encode(self):
        head = u8(self.scheme.suite) + u64(self.round) + u16(self.member)
        return head + self.scheme.encode_signature(self.signature)

    def score(self):
        return h("sortition-score", self.scheme.encode_signature(self.signature))

    @classmethod
    def read(cls, r, scheme):
        read_suite(r, scheme)
        round, member = r.uint(8), r.uint(2)
        return cls(scheme, round, member, scheme.decode_signature(r.raw(scheme.sig_len)))
