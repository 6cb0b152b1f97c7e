"""The chain of the asynchronous protocols (`spec/abft.md`): blocks from decisions, and messages."""

from dataclasses import dataclass
from itertools import groupby

from . import abft, jolteon, wire
from .certificate import Certificate, Vote
from .errors import Refused
from .jolteon import MAX_BATCH_BYTES, MAX_TRANSACTIONS, Batch, Header
from .wire import u32, u64


@dataclass
class Block:
    epoch: int
    height: int
    parent: bytes
    state_height: int
    state_root: bytes
    headers: list

    def encode(self):
        head = u64(self.epoch) + u64(self.height) + self.parent + u64(self.state_height) + self.state_root
        return head + u32(len(self.headers)) + b"".join(header.encode() for header in self.headers)

    def digest(self):
        return wire.derive("quorate-v1-abft-block", self.encode())

    @classmethod
    def read(cls, r):
        epoch, height, parent, state_height, state_root = r.uint(8), r.uint(8), r.raw(32), r.uint(8), r.raw(32)
        headers = [Header.read(r) for _ in range(r.count(len(r.rest) // 50))]
        return cls(epoch, height, parent, state_height, state_root, headers)


def batches(decided, height, recent):
    """Those of a block, from pairs of proposer and transaction; `recent` are the transactions of the 256 blocks before."""
    made = []
    for proposer, listed in groupby(decided, key=lambda pair: pair[0]):
        length, transactions = 0, []
        for _, transaction in listed:
            longer = length + 4 + len(transaction)
            if transaction not in recent and longer <= MAX_BATCH_BYTES and len(transactions) < MAX_TRANSACTIONS:
                length = longer
                transactions.append(transaction)
        if transactions:
            made.append(Batch(proposer, height, transactions))
    return made


def read_message(r, s, voters):
    """The fields as they appear in the vectors."""
    tag = r.uint(1)
    if tag == 1:
        return {"tag": tag, "height": str(r.uint(8)), "message": abft.read_epoch(r, s)}
    if tag == 2:
        vote = Vote.read_link(r, voters.scheme)
        return {"tag": tag, "height": str(vote.statement.view), "signer": vote.signer}
    if tag == 3:
        block = Block.read(r)
        certificate = Certificate.read(r, voters)
        fields = {"height": str(block.height), "digest": block.digest().hex(), "signers": sorted(certificate.signers)}
        return {"tag": tag} | fields
    if tag == 4:
        return {"tag": tag, "height": str(r.uint(8))}
    if tag == 5:
        batch = jolteon.Batch.read(r)
        return {"tag": tag, "author": batch.author, "height": str(batch.sequence), "digest": batch.header().digest().hex()}
    if tag == 6:
        return {"tag": tag, "next": str(r.uint(8)), "tip": str(r.uint(8))}
    if tag == 7:
        return {"tag": tag, "oldest": str(r.uint(8)), "tip": str(r.uint(8))}
    raise Refused("MALFORMED")
