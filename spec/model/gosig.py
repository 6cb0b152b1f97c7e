"""Gosig's encodings, and the parts of its rules that are pure functions (`spec/gosig.md`)."""

from dataclasses import dataclass, field

from . import wire
from .aggregate import Aggregate
from .certificate import Certificate, Statement
from .ed25519 import ED25519
from .errors import Refused
from .guard import Record
from .merkle import TRANSACTIONS
from .sortition import Seed, SeedProof, Ticket

PREPARE, TENTATIVE, PROPOSAL, SEGMENT = 1, 2, 3, 4
MAX_TRANSACTION, MAX_TRANSACTIONS, MAX_PAYLOAD = 1 << 20, 1 << 18, 64 << 20
MAX_SEGMENTS, MAX_TOGETHER, MAX_PLACES = 256, 2 << 20, 16_384
MAX_AGGREGATES, MAX_BLOCKS = 8, 64
FOR_ALL = (6, 10, 11, 12, 14)


def ballot(height, block):
    return wire.derive("quorate-v1-gosig-vote", wire.u64(height) + block)


def short_identifier(block, transaction):
    return wire.derive("quorate-v1-gosig-short", block + transaction)[:6]


@dataclass
class Committees:
    """Voters and identities."""

    voters: object
    identities: object

    def genesis(self, state_root):
        return wire.derive("quorate-v1-gosig-genesis", self.voters.id + self.identities.id + state_root)

    def require_member(self, index):
        if index >= len(self.voters):
            raise Refused("UNKNOWN_SIGNER")

    def check_identity(self, kind, view, digest, signer, signature):
        """A proposer's signature."""
        c = self.identities
        self.require_member(signer)
        c.scheme.verify(c.keys[signer], Statement(kind, c.epoch, view, digest).signed_bytes(c.id), signature)


def read_signature(r, scheme):
    """The detached form: the signature alone."""
    return scheme.decode_signature(r.raw(scheme.sig_len))


# --- transactions ---------------------------------------------------------------------------------------------


def read_transactions(r, count, most):
    """Transactions, limited in number and in total bytes including their lengths."""
    listed = [r.blob(MAX_TRANSACTION) for _ in range(count)]
    if sum(4 + len(transaction) for transaction in listed) > most:
        raise Refused("TOO_LARGE")
    return listed


@dataclass(frozen=True)
class Summary:
    count: int
    length: int
    root: bytes

    @classmethod
    def from_transactions(cls, transactions):
        leaves = [TRANSACTIONS.leaf(transaction) for transaction in transactions]
        return cls(len(leaves), sum(4 + len(t) for t in transactions), TRANSACTIONS.root(leaves))

    def encode(self):
        return wire.u32(self.count) + wire.u32(self.length) + self.root

    @classmethod
    def read(cls, r):
        summary = cls(r.uint(4), r.uint(4), r.raw(32))
        too_large = summary.count > MAX_TRANSACTIONS or summary.length > MAX_PAYLOAD
        too_short = summary.length < 4 * summary.count
        if too_large or too_short or (summary.count == 0 and summary != cls.from_transactions([])):
            raise Refused("MALFORMED")
        return summary


# --- blocks and proposals -------------------------------------------------------------------------------------


@dataclass
class Block:
    epoch: int
    round: int
    height: int
    author: int
    parent: bytes
    seed: object  # the author's signature
    payload: Summary
    executed: tuple
    timestamp: int
    scheme: object

    def encode(self):
        data = wire.u64(self.epoch) + wire.u64(self.round) + wire.u64(self.height) + wire.u16(self.author) + self.parent
        data += self.scheme.encode_signature(self.seed) + self.payload.encode()
        return data + wire.u64(self.executed[0]) + self.executed[1] + wire.u64(self.timestamp)

    def digest(self):
        return wire.derive("quorate-v1-gosig-block", self.encode())

    def ballot(self):
        return ballot(self.height, self.digest())

    def seed_after(self, seed, voters):
        return seed.next(SeedProof(self.scheme, self.author, self.seed), voters)

    @classmethod
    def read(cls, r, c):
        epoch, round, height, author = r.uint(8), r.uint(8), r.uint(8), r.uint(2)
        if epoch != c.voters.epoch:
            raise Refused("WRONG_CONTEXT")
        c.require_member(author)
        scheme = c.voters.scheme
        rest = r.raw(32), read_signature(r, scheme), Summary.read(r), (r.uint(8), r.raw(32)), r.uint(8)
        block = cls(epoch, round, height, author, *rest, scheme)
        if round == 0 or height == 0 or block.executed[0] >= height:
            raise Refused("MALFORMED")
        return block


@dataclass
class Proposal:
    """The certificate is a pair (value, bytes), or None."""

    block: Block
    round: int
    proposer: int
    certificate: object
    ticket: object  # the proposer's signature
    signature: bytes = field(default=b"")

    def content(self):
        data = self.block.encode() + wire.u64(self.round) + wire.u16(self.proposer)
        data += wire.option(self.certificate and self.certificate[1])
        return data + self.block.scheme.encode_signature(self.ticket)

    def encode(self):
        return self.content() + self.signature

    def digest(self):
        return wire.derive("quorate-v1-gosig-proposal", self.content())

    def certified_round(self):
        """c.r"""
        if self.certificate is None:
            return 1
        s = self.certificate[0].statement
        return s.view if s.kind == PREPARE else s.view + 1

    def check(self, c):
        """The proposer's signature."""
        c.check_identity(PROPOSAL, self.round, self.digest(), self.proposer, self.signature)

    def verify(self, c, seed, lottery):
        """Verifies all signatures; returns the ticket's score and the seed after the block."""
        self.check(c)
        score = lottery.score(Ticket(self.block.scheme, self.round, self.proposer, self.ticket))
        after = self.block.seed_after(seed, c.voters)
        if self.certificate:
            self.certificate[0].verify(c.voters)
        return score, after

    @classmethod
    def read(cls, r, c):
        block, round, proposer = Block.read(r, c), r.uint(8), r.uint(2)
        certificate = r.option(lambda r: wire.read_taking(r, lambda r: Certificate.read(r, c.voters)))
        ticket, signature = read_signature(r, c.voters.scheme), read_signature(r, ED25519)
        c.require_member(proposer)
        proposal = cls(block, round, proposer, certificate, ticket, signature)
        if not proposal.fits():
            raise Refused("MALFORMED")
        return proposal

    def fits(self):
        """Checks that the parts are consistent."""
        b, is_new = self.block, (self.block.round, self.block.author) == (self.round, self.proposer)
        if self.certificate is None:
            return is_new
        s = self.certificate[0].statement
        if s.kind == TENTATIVE:
            return is_new and s.digest == ballot(b.height - 1, b.parent) and s.view < self.round
        return s.kind == PREPARE and s.digest == b.ballot() and b.round <= s.view < self.round


def read_commitment(r, c):
    """A certificate of kind 2."""
    certificate = Certificate.read(r, c.voters)
    if certificate.statement.kind != TENTATIVE:
        raise Refused("WRONG_CONTEXT")
    return certificate


def verify_commitment(certificate, block, c):
    """Checks that the block is final."""
    if certificate.statement.digest != block.ballot() or certificate.statement.view < block.round:
        raise Refused("WRONG_CONTEXT")
    certificate.verify(c.voters)


# --- segments -------------------------------------------------------------------------------------------------


@dataclass
class Segment:
    """Encoded entries, preceded by their form."""

    block: bytes
    round: int
    signer: int
    index: int
    segments: int
    first: int
    entries: bytes
    signature: bytes = field(default=b"")

    def content(self):
        numbers = wire.u16(self.signer) + wire.u16(self.index) + wire.u16(self.segments) + wire.u32(self.first)
        return self.block + wire.u64(self.round) + numbers + self.entries

    def encode(self):
        return self.content() + self.signature

    def digest(self):
        return wire.derive("quorate-v1-gosig-segment", self.content())

    def check(self, c):
        c.check_identity(SEGMENT, self.round, self.digest(), self.signer, self.signature)

    @classmethod
    def read(cls, r):
        head = r.raw(32), r.uint(8), r.uint(2), r.uint(2), r.uint(2), r.uint(4)
        length, entries = wire.read_taking(r, _read_entries)
        segment = cls(*head, entries)
        placed = segment.index < segment.segments <= MAX_SEGMENTS
        if not placed or length == 0 or segment.first + length > MAX_TRANSACTIONS:
            raise Refused("MALFORMED")
        segment.signature = read_signature(r, ED25519)
        return segment


def _read_entries(r):
    """The number of entries."""
    form = r.uint(1)
    if form > 2:
        raise Refused("MALFORMED")
    count = r.count(MAX_TRANSACTIONS)
    if form == 2:
        read_transactions(r, count, MAX_TOGETHER)
    else:
        for _ in range(count):
            r.raw(32 if form else 6)
    if form == 0:
        last = -1
        for _ in range(r.count(count)):
            number, _ = r.uint(4), r.raw(32)
            if not last < number < count:
                raise Refused("NON_CANONICAL")
            last = number
    return count


# --- messages and records -------------------------------------------------------------------------------------


def places(listed):
    data, following = wire.u32(len(listed)), 0
    for place in listed:
        data += wire.varint(place - following)
        following = place + 1
    return data


def read_places(r, most, below=1 << 32):
    listed, following = [], 0
    for _ in range(r.count(most)):
        listed.append(following + r.varint())
        following = listed[-1] + 1
        if following > 1 << 32:
            raise Refused("MALFORMED")
    if any(place >= below for place in listed):
        raise Refused("MALFORMED")
    return listed


def _read_signatures(r, c):
    listed = [Aggregate.read(r, c.voters) for _ in range(r.count(MAX_AGGREGATES))]
    if not listed or any(one.statement.kind not in (PREPARE, TENTATIVE) for one in listed):
        raise Refused("MALFORMED")


def _read_some(r, c):
    if not read_transactions(r, r.count(MAX_TRANSACTIONS), MAX_TOGETHER):
        raise Refused("MALFORMED")


def _read_reply(r, c):
    r.raw(32)
    read_transactions(r, len(read_places(r, MAX_PLACES)), MAX_TOGETHER)


READERS = {
    1: Proposal.read,
    2: lambda r, c: Segment.read(r),
    3: _read_signatures,
    4: lambda r, c: None,
    5: _read_some,
    6: lambda r, c: (r.raw(32), r.uint(8), read_places(r, MAX_PLACES)),
    7: _read_reply,
    8: lambda r, c: (r.raw(32), r.uint(8), read_places(r, MAX_SEGMENTS, MAX_SEGMENTS)),
    9: lambda r, c: (r.uint(8), r.raw(32)),
    10: lambda r, c: r.uint(8),
    11: lambda r, c: r.uint(8),
    12: lambda r, c: r.uint(8),
    13: lambda r, c: [(Block.read(r, c), read_commitment(r, c)) for _ in range(r.count(MAX_BLOCKS))],
    14: lambda r, c: r.uint(8),
}


def read_message(data, c):
    """Epoch and tag of a well-formed message."""

    def read(r):
        epoch, tag = r.uint(8), r.uint(1)
        if epoch != c.voters.epoch and tag not in FOR_ALL:
            raise Refused("WRONG_CONTEXT")
        if tag not in READERS:
            raise Refused("MALFORMED")
        READERS[tag](r, c)
        return epoch, tag

    return wire.whole(data, read)


def _read_lock(r, c):
    block, height, certificate = r.raw(32), r.uint(8), Certificate.read(r, c.voters)
    if (certificate.statement.kind, certificate.statement.digest) != (PREPARE, ballot(height, block)):
        raise Refused("MALFORMED")


RECORDS = {
    1: lambda r, c: read_transactions(r, r.count(MAX_TRANSACTIONS), MAX_PAYLOAD),
    2: Block.read,
    3: lambda r, c: Record.read(r),
    4: lambda r, c: Record.read(r),
    5: lambda r, c: r.option(lambda r: _read_lock(r, c)),
    6: lambda r, c: (r.uint(8), r.raw(32), read_commitment(r, c), Seed.read(r), r.uint(8)),
}


def read_record(data, c):
    """The tag of a well-formed record."""

    def read(r):
        tag = r.uint(1)
        if tag not in RECORDS:
            raise Refused("MALFORMED")
        RECORDS[tag](r, c)
        return tag

    return wire.whole(data, read)


# --- DecideBlock ----------------------------------------------------------------------------------------------


def decide(lock, held):
    """The block to prepare among the valid proposals (score, block, c.r), or None; and the new lock (block, c.r), or
    None."""
    if not held:
        return None, lock
    _, block, certified = min(held)
    if lock is None:
        return block, None
    locked, since = lock
    if block != locked and certified > since:
        return block, None
    again = [certified for _, block, certified in held if block == locked and certified >= since]
    return (locked, (locked, max(again))) if again else (None, lock)
