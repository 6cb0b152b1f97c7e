"""Jolteon's encodings and the parts of the chain state that are pure functions (`spec/jolteon.md`)."""

from dataclasses import dataclass, field

from . import wire
from .certificate import Certificate, Statement, Vote
from .ed25519 import ED25519
from .errors import Refused
from .guard import Record
from .merkle import TRANSACTIONS
from .timeout import TimeoutCertificate, TimeoutVote

BLOCK, TIMEOUT, PROPOSAL, AVAILABLE = 1, 2, 3, 4
MAX_TRANSACTIONS, MAX_BATCH_BYTES = 1 << 16, 2 << 20
MAX_PAYLOAD, MAX_BLOCKS, MAX_DIGESTS, MAX_LINKS = 1024, 64, 16, 1024
WINDOW, PENALTY, MAX_STRIKES = 64, 64, 10


@dataclass
class Committees:
    """Voters and identities."""

    voters: object
    identities: object

    def genesis(self, state_root):
        return wire.derive("quorate-v1-jolteon-genesis", self.voters.id + self.identities.id + state_root)


# --- batches --------------------------------------------------------------------------------------------------


def read_slot(r):
    author, sequence = r.uint(2), r.uint(8)
    if not 0 < sequence < 1 << 48:
        raise Refused("MALFORMED")
    return author, sequence


@dataclass
class Header:
    author: int
    sequence: int
    count: int
    length: int
    root: bytes

    def encode(self):
        sizes = wire.u32(self.count) + wire.u32(self.length)
        return wire.u16(self.author) + wire.u64(self.sequence) + sizes + self.root

    def digest(self):
        return wire.derive("quorate-v1-batch-id", self.encode())

    def statement(self, epoch):
        return Statement(AVAILABLE, epoch, self.author << 48 | self.sequence, self.digest())

    @classmethod
    def read(cls, r):
        header = cls(*read_slot(r), r.uint(4), r.uint(4), r.raw(32))
        if not 0 < header.count <= MAX_TRANSACTIONS or header.length > MAX_BATCH_BYTES:
            raise Refused("MALFORMED")
        return header


@dataclass
class Batch:
    author: int
    sequence: int
    transactions: list

    def body(self):
        return b"".join(wire.blob(transaction) for transaction in self.transactions)

    def ids(self):
        return [TRANSACTIONS.leaf(transaction) for transaction in self.transactions]

    def header(self):
        return Header(
            self.author, self.sequence, len(self.transactions), len(self.body()), TRANSACTIONS.root(self.ids())
        )

    def encode(self):
        slot = wire.u16(self.author) + wire.u64(self.sequence)
        return slot + wire.u32(len(self.transactions)) + wire.blob(self.body())

    @classmethod
    def read(cls, r):
        slot, count, body = read_slot(r), r.count(MAX_TRANSACTIONS), r.blob(MAX_BATCH_BYTES)
        if count == 0:
            raise Refused("MALFORMED")
        transactions = wire.whole(body, lambda inner: [inner.blob(MAX_BATCH_BYTES) for _ in range(count)])
        return cls(*slot, transactions)


@dataclass
class BatchRef:
    header: Header
    detached: bytes  # the certificate, encoded
    certificate: object = None

    def encode(self):
        return self.header.encode() + self.detached

    @classmethod
    def read(cls, r, identities):
        header = Header.read(r)
        if header.author >= len(identities):
            raise Refused("UNKNOWN_SIGNER")
        statement = header.statement(identities.epoch)
        certificate, encoded = wire.read_taking(r, lambda r: Certificate.read_detached(r, statement, identities))
        return cls(header, encoded, certificate)


# --- blocks ---------------------------------------------------------------------------------------------------


@dataclass
class Block:
    """Certificates and references are pairs (value, bytes), or None."""

    epoch: int
    view: int
    height: int
    author: int
    parent: bytes
    justify: object
    tc: object
    payload: list
    executed: tuple
    timestamp: int
    signature: bytes = field(default=b"")

    def content(self):
        data = wire.u64(self.epoch) + wire.u64(self.view) + wire.u64(self.height) + wire.u16(self.author) + self.parent
        data += wire.option(self.justify and self.justify[1]) + wire.option(self.tc and self.tc[1])
        data += wire.u32(len(self.payload)) + b"".join(batch.encode() for batch in self.payload)
        return data + wire.u64(self.executed[0]) + self.executed[1] + wire.u64(self.timestamp)

    def digest(self):
        return wire.derive("quorate-v1-jolteon-block", self.content())

    def proposal(self):
        return Statement(PROPOSAL, self.epoch, self.view, self.digest())

    def sign(self, secret, identities):
        self.signature = ED25519.sign(secret, self.proposal().signed_bytes(identities.id))
        return self

    def encode(self):
        return self.content() + self.signature

    def parent_view(self):
        return self.justify[0].statement.view if self.justify else 0

    @classmethod
    def read(cls, r, committees):
        epoch = r.uint(8)
        if epoch != committees.voters.epoch:
            raise Refused("WRONG_CONTEXT")
        block = cls(
            epoch,
            r.uint(8),
            r.uint(8),
            r.uint(2),
            r.raw(32),
            r.option(lambda r: wire.read_taking(r, lambda r: Certificate.read(r, committees.voters))),
            r.option(lambda r: wire.read_taking(r, lambda r: TimeoutCertificate.read(r, committees.voters))),
            [BatchRef.read(r, committees.identities) for _ in range(r.count(MAX_PAYLOAD))],
            (r.uint(8), r.raw(32)),
            r.uint(8),
        )
        block.check_shape(committees)
        block.signature = ED25519.decode_signature(r.raw(64))
        return block

    def check_shape(self, committees):
        if self.author >= len(committees.voters):
            raise Refused("UNKNOWN_SIGNER")
        p = self.parent_view()
        if self.justify:
            s = self.justify[0].statement
            if s.kind != BLOCK or s.digest != self.parent or s.view == 0:
                raise Refused("MALFORMED")
        if self.tc:
            tc = self.tc[0]
            leads = tc.kind == TIMEOUT and tc.view + 1 == self.view and self.view > p + 1 and p >= tc.groups[-1][0]
        else:
            leads = self.view == p + 1
        heights = self.height > 0 and (self.height == 1) == (self.justify is None) and self.executed[0] < self.height
        if not leads or not heights:
            raise Refused("MALFORMED")


def verify_finality(data, block, committees):
    """Checks that an encoded commit proof commits the block."""

    def read(r):
        links = [Block.read(r, committees) for _ in range(r.count(MAX_LINKS))]
        if not links:
            raise Refused("MALFORMED")
        return links, Certificate.read(r, committees.voters)

    links, certificate = wire.whole(data, read)
    for parent, link in zip([block, *links], links):
        if link.parent != parent.digest() or link.parent_view() != parent.view:
            raise Refused("WRONG_CONTEXT")
    before_last = ([block, *links])[-2]
    s, last = certificate.statement, links[-1]
    if before_last.view + 1 != last.view or (s.kind, s.view, s.digest) != (BLOCK, last.view, last.digest()):
        raise Refused("WRONG_CONTEXT")
    certificate.verify(committees.voters)


# --- messages -------------------------------------------------------------------------------------------------


def _certificate(r, committees):
    return r.option(lambda r: Certificate.read(r, committees.voters))


def _timeout_certificate(r, committees):
    return r.option(lambda r: TimeoutCertificate.read(r, committees.voters))


def _check_kinds(high, tc):
    if high and (high.statement.kind != BLOCK or high.statement.view == 0) or tc and tc.kind != TIMEOUT:
        raise Refused("MALFORMED")


def _check_backed(high, tc):
    """A timeout certificate requires a certificate at least as high as the highest value in it."""
    if tc and tc.groups[-1][0] > (high.statement.view if high else 0):
        raise Refused("MALFORMED")


def _read_timeout(r, committees):
    scheme = committees.voters.scheme
    vote = TimeoutVote.read_link(r, scheme)
    high, tc = _certificate(r, committees), _timeout_certificate(r, committees)
    ballot = r.option(lambda r: Vote.read_link(r, scheme))
    certified = high.statement.view if high else 0
    if tc and tc.view <= certified:
        raise Refused("NON_CANONICAL")
    _check_kinds(high, tc)
    _check_backed(high, tc)
    s = vote.vote.statement
    entered_by = tc.view if tc else certified
    if s.kind != TIMEOUT or vote.value != certified or s.view != entered_by + 1:
        raise Refused("MALFORMED")
    if ballot:
        b = ballot.statement
        if ballot.signer != vote.vote.signer or b.kind != BLOCK or b.view != s.view:
            raise Refused("MALFORMED")


def _read_advance(r, committees):
    high, tc = _certificate(r, committees), _timeout_certificate(r, committees)
    _check_kinds(high, tc)
    _check_backed(high, tc)


READERS = {
    1: Block.read,
    2: lambda r, c: Vote.read_link(r, c.voters.scheme),
    3: _read_timeout,
    4: _read_advance,
    5: lambda r, c: r.uint(8),
    6: lambda r, c: Batch.read(r),
    7: lambda r, c: Vote.read_link(r, ED25519),
    8: lambda r, c: BatchRef.read(r, c.identities),
    9: lambda r, c: (r.uint(8), r.raw(32)),
    10: lambda r, c: [Block.read(r, c) for _ in range(r.count(MAX_BLOCKS))],
    11: lambda r, c: [r.raw(32) for _ in range(r.count(MAX_DIGESTS))],
    12: lambda r, c: Batch.read(r),
    13: lambda r, c: r.uint(8),
    14: lambda r, c: (r.uint(8), _read_advance(r, c)),
    15: lambda r, c: r.uint(8),
}


def read_message(data, committees):
    """The tag of a well-formed message."""
    return _read_tagged(data, committees, READERS)


def _read_tagged(data, committees, readers):
    def read(r):
        tag = r.uint(1)
        if tag not in readers:
            raise Refused("MALFORMED")
        readers[tag](r, committees)
        return tag

    return wire.whole(data, read)


# --- records --------------------------------------------------------------------------------------------------


def _read_state(r):
    for _ in range(r.count(65_535)):
        _, seen = r.uint(8), r.uint(8)
        if seen & 1 == 0:
            raise Refused("NON_CANONICAL")
    r.uint(8)
    for _ in range(r.count(65_535)):
        strikes, _, _ = r.uint(1), r.uint(8), r.uint(8)
        if strikes > MAX_STRIKES:
            raise Refused("MALFORMED")
    r.raw(16)


def _read_committed(r, c):
    r.raw(80)
    Certificate.read(r, c.voters)
    _read_state(r)


RECORDS = {
    1: lambda r, c: Batch.read(r),
    2: Block.read,
    3: lambda r, c: Record.read(r),
    4: lambda r, c: Record.read(r),
    5: _read_timeout,
    6: _read_committed,
}


def read_record(data, committees):
    """The tag of a well-formed record."""
    return _read_tagged(data, committees, RECORDS)


# --- chain state ----------------------------------------------------------------------------------------------


class Sequences:
    """The sequences of one author in a chain, as a plain set from which the window is computed."""

    def __init__(self):
        self.top, self.there = 0, {0}

    def encode(self):
        """The window as bits: bit k is set if the chain has top − k. It has number 0."""
        seen = sum(1 << k for k in range(min(WINDOW, self.top + 1)) if self.top - k in self.there)
        return wire.u64(self.top) + wire.u64(seen)

    def record(self, sequence):
        """Returns true if the sequence was admitted."""
        if sequence <= self.top - WINDOW or sequence in self.there:
            return False
        self.there.add(sequence)
        self.top = max(self.top, sequence)
        return True


class LeaderReputation:
    def __init__(self, voters):
        self.voters, self.height = voters, 0
        self.members = [{"strikes": 0, "failed_at": 0, "seen_at": 0} for _ in voters.keys]

    def encode(self):
        listed = [wire.u8(m["strikes"]) + wire.u64(m["failed_at"]) + wire.u64(m["seen_at"]) for m in self.members]
        return wire.u64(self.height) + wire.u32(len(listed)) + b"".join(listed)

    def eligible(self, i):
        m = self.members[i]
        if m["strikes"] == 0:
            return True
        served = self.height >= m["failed_at"] + PENALTY * 2 ** (m["strikes"] - 1)
        return served and m["seen_at"] > m["failed_at"]

    def leader(self, view):
        all_members = range(len(self.voters))
        listed = [i for i in all_members if self.eligible(i)]
        if self.voters.weight_of(listed) < self.voters.quorum_weight:
            listed = all_members
        return listed[view % len(listed)]

    def append(self, height, view, author, parent_view, parent_author, signers):
        """Applies one block, as the page defines."""
        failed = set()
        if view - parent_view - 1 <= max(1, (len(self.voters) - 1) // 3):
            failed = {self.leader(v) for v in range(parent_view + 1, view)} - {author}
        for i in signers:
            self.members[i]["seen_at"] = max(self.members[i]["seen_at"], height - 1)
        if parent_author is not None:
            self.members[parent_author]["strikes"] = 0
        for i in failed:
            m = self.members[i]
            m["strikes"], m["failed_at"] = min(m["strikes"] + 1, MAX_STRIKES), height
        self.members[author]["seen_at"] = height
        self.height = height
