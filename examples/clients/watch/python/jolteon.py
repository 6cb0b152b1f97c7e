"""Decodes and verifies Jolteon's blocks and proofs as specified in `spec/jolteon.md`, with quorate's building blocks.

No report is trusted: every check leads back to the committees of the genesis file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quorate import (
    Certificate,
    Committee,
    QuorateError,
    Signature,
    Statement,
    Suite,
    TimeoutCertificate,
    Vote,
)
from quorate.merkle import Merkle, Path
from quorate.wire import Reader, Writer, hash

BLOCK, TIMEOUT, PROPOSAL, AVAILABLE = 1, 2, 3, 4
MAX_BATCHES = 1024
MAX_LINKS = 1024
MAX_TRANSACTIONS = 1 << 16
MAX_BATCH_BYTES = 2 << 20
MAX_SEQUENCE = (1 << 48) - 1
TRANSACTIONS = Merkle("quorate-v1-transaction", "quorate-v1-batch-node")
SIGNATURE_LENGTH = {Suite.MIN_SIG: 48, Suite.MIN_PK: 96, Suite.ED25519: 64}


class Refused(Exception):
    """A violation of the protocol, with a code of `spec/wire.md`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code


@dataclass(frozen=True)
class Committees:
    """The members of an epoch: one committee of voting keys and one of identity keys."""

    voters: Committee
    identities: Committee

    def genesis(self, state_root: bytes) -> bytes:
        """Digest of the genesis block (height 0)."""
        named = bytes(self.voters.id) + bytes(self.identities.id) + state_root
        return hash("quorate-v1-jolteon-genesis", named)


class Input:
    """A reader that tracks its position, so that parts can be passed to quorate's decoders."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reader = Reader(data)

    @property
    def at(self) -> int:
        return len(self.data) - self.reader.remaining

    def since(self, start: int) -> bytes:
        return self.data[start : self.at]

    def skip_members(self, size: int) -> int:
        """Skips an encoded set of members and returns its size."""
        form = self.reader.u8()
        if form == 0:
            return sum(byte.bit_count() for byte in self.reader.raw((size + 7) // 8))
        count = self.reader.varint()
        if form != 1 or count > size:
            raise Refused("MALFORMED", "set of members")
        for _ in range(count):
            self.reader.varint()
        return count

    def skip_proof(self, suite: Suite, signers: int) -> None:
        self.reader.raw(SIGNATURE_LENGTH[suite] * (signers if suite == Suite.ED25519 else 1))

    def certificate(self, committee: Committee) -> Certificate:
        def skip() -> None:
            self.reader.raw(50)
            self.skip_proof(committee.suite, len(committee) - self.skip_members(len(committee)))

        return Certificate.decode(self.part(skip), committee)

    def detached(self, statement: Statement, committee: Committee) -> Certificate:
        def skip() -> None:
            self.skip_proof(committee.suite, len(committee) - self.skip_members(len(committee)))

        return Certificate.decode_detached(self.part(skip), statement, committee)

    def timeout_certificate(self, committee: Committee) -> TimeoutCertificate:
        def skip() -> None:
            self.reader.raw(18)
            signers = 0
            for _ in range(self.reader.u16()):
                self.reader.u64()
                signers += self.skip_members(len(committee))
            self.skip_proof(committee.suite, signers)

        return TimeoutCertificate.decode(self.part(skip), committee)

    def part(self, skip: Callable[[], None]) -> bytes:
        """Returns the bytes that `skip` skips, or all remaining bytes if it fails: the decoder then reports the error."""
        start = self.at
        try:
            skip()
        except (QuorateError, Refused):
            return self.data[start:]
        return self.since(start)


@dataclass(frozen=True)
class BatchRef:
    """The reference of a batch in a block."""

    count: int
    root: bytes
    digest: bytes

    @classmethod
    def read(cls, data: Input, identities: Committee) -> BatchRef:
        start, r = data.at, data.reader
        author, sequence = read_slot(r)
        count, size, root = r.u32(), r.u32(), r.raw(32)
        if not (0 < count <= MAX_TRANSACTIONS and size <= MAX_BATCH_BYTES):
            raise Refused("MALFORMED", "size of a batch")
        if author >= len(identities):
            raise Refused("UNKNOWN_SIGNER", f"no member {author}")
        digest = hash("quorate-v1-batch-id", data.since(start))
        statement = identities.statement(AVAILABLE, (author << 48) + sequence, digest)
        data.detached(statement, identities)
        return cls(count, root, digest)


@dataclass(frozen=True)
class Block:
    """A block proposed by a leader."""

    view: int
    height: int
    author: int
    parent: bytes
    justify: Certificate | None
    payload: tuple[BatchRef, ...]
    signature: Signature
    digest: bytes

    @property
    def parent_view(self) -> int:
        return self.justify.statement.view if self.justify else 0

    @classmethod
    def read(cls, data: Input, committees: Committees) -> Block:
        start, r, voters = data.at, data.reader, committees.voters
        if r.u64() != voters.epoch:
            raise Refused("WRONG_CONTEXT", "epoch of the block")
        view, height, author, parent = r.u64(), r.u64(), r.u16(), r.raw(32)
        justify = data.certificate(voters) if r.option() else None
        tc = data.timeout_certificate(voters) if r.option() else None
        payload = tuple(BatchRef.read(data, committees.identities) for _ in range(r.count(MAX_BATCHES)))
        executed = r.u64()
        r.raw(32)  # the state's root
        r.u64()  # the time
        if author >= len(voters):
            raise Refused("UNKNOWN_SIGNER", f"no member {author}")
        check_shape(view, height, parent, justify, tc, executed)
        digest = hash("quorate-v1-jolteon-block", data.since(start))
        signature = Signature.decode(Suite.ED25519, r.raw(64))
        return cls(view, height, author, parent, justify, payload, signature, digest)

    def check_author(self, committees: Committees) -> None:
        """Verifies the author's signature."""
        statement = committees.identities.statement(PROPOSAL, self.view, self.digest)
        Vote(statement, self.author, self.signature).verify(committees.identities)

    def is_certified_by(self, certificate: Certificate) -> bool:
        """Returns true if a certificate names this block. Does not verify its signatures."""
        s = certificate.statement
        return (s.kind, s.view, s.digest) == (BLOCK, self.view, self.digest)


@dataclass(frozen=True)
class Finality:
    """A commit proof: a block's descendants up to two in consecutive views, and the last one's certificate."""

    links: tuple[Block, ...]
    certificate: Certificate

    @classmethod
    def read(cls, data: Input, committees: Committees) -> Finality:
        links = tuple(Block.read(data, committees) for _ in range(data.reader.count(MAX_LINKS)))
        if not links:
            raise Refused("MALFORMED", "commit proof without blocks")
        return cls(links, data.certificate(committees.voters))

    def verify(self, block: Block, committees: Committees) -> None:
        """Verifies that `block` is committed. Cost: one certificate."""
        parent, consecutive = block, False
        for link in self.links:
            if (link.parent, link.parent_view) != (parent.digest, parent.view):
                raise Refused("WRONG_CONTEXT", "parent of a block in the commit proof")
            consecutive, parent = parent.view + 1 == link.view, link
        if not consecutive:
            raise Refused("WRONG_CONTEXT", "last view of the commit proof")
        if not parent.is_certified_by(self.certificate):
            raise Refused("WRONG_CONTEXT", "certificate of the commit proof")
        self.certificate.verify(committees.voters)


@dataclass(frozen=True)
class TransactionProof:
    """A proof that a transaction is committed; see `examples/node/src/proof.rs`."""

    transaction: bytes
    path: Path
    batch: int
    block: Block
    finality: Finality

    @classmethod
    def decode(cls, encoded: bytes, committees: Committees) -> TransactionProof:
        data = Input(encoded)
        transaction = data.reader.bytes(MAX_BATCH_BYTES)
        path = read_path(data)
        batch = data.reader.u16()
        proof = cls(transaction, path, batch, Block.read(data, committees), Finality.read(data, committees))
        data.reader.finish()
        return proof

    def verify(self, committees: Committees) -> bytes:
        """Verifies the proof and returns the transaction's identifier."""
        if self.batch >= len(self.block.payload):
            raise Refused("WRONG_CONTEXT", "batch of the transaction")
        named = self.block.payload[self.batch]
        if self.path.count != named.count:
            raise Refused("WRONG_CONTEXT", "number of transactions in the batch")
        leaf = TRANSACTIONS.leaf(self.transaction)
        TRANSACTIONS.verify(named.root, leaf, self.path)
        self.finality.verify(self.block, committees)
        for block in (self.block, *self.finality.links):
            block.check_author(committees)
        return leaf


def decode_batch(encoded: bytes) -> tuple[bytes, bytes, list[bytes]]:
    """A batch's header, its digest, and its transactions' identifiers."""
    r = Reader(encoded)
    author, sequence = read_slot(r)
    count, body = r.count(MAX_TRANSACTIONS), r.bytes(MAX_BATCH_BYTES)
    r.finish()
    inner = Reader(body)
    transactions = [inner.bytes(MAX_BATCH_BYTES) for _ in range(count)]
    inner.finish()
    if not transactions:
        raise Refused("MALFORMED", "batch without transactions")
    leaves = TRANSACTIONS.leaves(transactions)
    w = Writer()
    w.u16(author)
    w.u64(sequence)
    w.u32(count)
    w.u32(len(body))
    w.raw(TRANSACTIONS.root(leaves))
    header = w.into_bytes()
    return header, hash("quorate-v1-batch-id", header), leaves


def read_slot(r: Reader) -> tuple[int, int]:
    author, sequence = r.u16(), r.u64()
    if not 0 < sequence <= MAX_SEQUENCE:
        raise Refused("MALFORMED", "sequence of a batch")
    return author, sequence


def read_path(data: Input) -> Path:
    """Index and count determine the number of siblings of a path, found by walking up the tree."""
    start = data.at
    index, count = data.reader.u32(), data.reader.u32()
    if index >= count:
        raise Refused("MALFORMED", "index of a path")
    siblings, place, width = 0, index, count
    while width > 1:
        siblings += place % 2 == 1 or place + 1 < width
        place, width = place // 2, (width + 1) // 2
    data.reader.raw(32 * siblings)
    return Path.decode(data.since(start))


def check_shape(
    view: int,
    height: int,
    parent: bytes,
    justify: Certificate | None,
    tc: TimeoutCertificate | None,
    executed: int,
) -> None:
    """Checks the rules of a block that do not depend on its parent."""
    parent_view = 0
    if justify is not None:
        statement = justify.statement
        parent_view = statement.view
        if (statement.kind, statement.digest) != (BLOCK, parent) or parent_view == 0:
            raise Refused("MALFORMED", "block whose certificate is not its parent's")
    if tc is None:
        follows = parent_view + 1 == view
    else:
        follows = (tc.kind, tc.view + 1) == (TIMEOUT, view) and parent_view + 1 < view
        follows = follows and parent_view >= tc.highest_value
    if not follows:
        raise Refused("MALFORMED", "block whose view does not follow from its certificates")
    if height == 0 or (height == 1) != (justify is None) or executed >= height:
        raise Refused("MALFORMED", "block at an impossible height")
