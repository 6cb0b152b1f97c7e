"""The short chain of Gosig's cases: a first block in round 2, prepared in rounds 2 and 3 and committed
in round 3, and a second one in round 5."""

from dataclasses import replace
from functools import cache

from .. import gosig as g
from .. import signers as codec
from ..certificate import Certificate, Statement
from ..committee import SCHEMES
from ..field import R
from ..operations import committee
from ..sortition import Lottery, Seed
from ..wire import u8, whole
from .common import CHAIN, NAMES, key_pair, members

EPOCH = 7
ROOT, OTHER_ROOT = b"\x11" * 32, b"\x22" * 32
SEED = Seed.genesis(CHAIN, b"gosig")
PAYLOAD = [b"pay", b"me", b""]
IDENTITIES = "identities"
EXPECTED = 7


def committees(b, suites, prefix="", weights=None):
    b.committee(prefix + IDENTITIES, 3, CHAIN, EPOCH, members(3, 4, weights))
    for suite in suites:
        b.committee(prefix + NAMES[suite], suite, CHAIN, EPOCH, members(suite, 4, weights))


@cache
def signed(suite, secret, message):
    """Signs with a cache: signatures take most of the time of a case."""
    return SCHEMES[suite].sign(secret, message)


def infinity(length):
    """Returns the encoding of infinity, which is neither a key nor a signature."""
    return b"\xc0" + bytes(length - 1)


class Chain:
    """Adds the committees, with `prefix` before their names."""

    def __init__(self, b, suite, prefix=""):
        self.b, self.suite, self.name, self.identities = b, suite, prefix + NAMES[suite], prefix + IDENTITIES
        self.c = g.Committees(committee(b.committees[self.name]), committee(b.committees[self.identities]))
        self.scheme = self.c.voters.scheme
        self.genesis = self.c.genesis(ROOT)
        self.first = self.block(2, 1, 2, self.genesis, payload=PAYLOAD)
        self.after_first = self.first.seed_after(SEED, self.c.voters)
        self.second = self.block(5, 2, 0, self.first.digest(), seed=self.after_first, executed=(1, OTHER_ROOT))

    def case(self, operation, label, description, expect="ok", **inputs):
        return self.b.add(
            f"{self.name}/{label}",
            description,
            f"gosig.{operation}",
            expect,
            voters=self.name,
            identities=self.identities,
            **{key: value.hex() if isinstance(value, bytes) else value for key, value in inputs.items()},
        )

    def secret(self, i):
        return key_pair(self.suite, i)[1]

    # --- blocks and proposals ---------------------------------------------------------------------------------

    def block(self, round, height, author, parent, *, seed=SEED, payload=(), executed=(0, ROOT), **changes):
        proof = signed(self.suite, self.secret(author % 4), seed.signed_bytes(self.c.voters))
        summary = g.Summary.from_transactions(payload)
        block = g.Block(EPOCH, round, height, author, parent, proof, summary, executed, 1234, self.scheme)
        return replace(block, **changes)

    def ticket(self, seed, round, member):
        lottery = Lottery(self.c.voters, seed, round, EXPECTED)
        return signed(self.suite, self.secret(member % 4), lottery.signed_bytes())

    def proposal(self, block, round, proposer, certificate=None, *, seed=SEED, signer=None, ticket=None):
        ticket = self.ticket(seed, round, proposer) if ticket is None else ticket
        proposal = g.Proposal(block, round, proposer, certificate, ticket)
        statement = Statement(g.PROPOSAL, EPOCH, round, proposal.digest())
        proposal.signature = self.identity_signs(statement, proposer if signer is None else signer)
        return proposal

    def identity_signs(self, statement, signer):
        return signed(3, key_pair(3, signer % 4)[1], statement.signed_bytes(self.c.identities.id))

    def segment(self, entries, *, index=0, segments=1, first=0, signer=2, by=None, round=2):
        segment = g.Segment(self.first.digest(), round, signer, index, segments, first, entries)
        statement = Statement(g.SEGMENT, EPOCH, round, segment.digest())
        segment.signature = self.identity_signs(statement, signer if by is None else by)
        return segment

    # --- certificates -----------------------------------------------------------------------------------------

    def sum(self, statement, counts):
        """Returns the count of each signer, and the sum of signatures: one signature by the sum of the secrets."""
        secret = sum(self.secret(i) * count for i, count in counts.items()) % R
        return self.scheme.encode_counted(
            counts, signed(self.suite, secret, statement.signed_bytes(self.c.voters.id))
        )

    def encode_certificate(self, statement, counts):
        absent = set(range(4)) - set(counts)
        return u8(self.suite) + statement.encode() + codec.encode(absent, 4) + self.sum(statement, counts)

    def certify(self, kind, round, block, *, counts=None, **changes):
        """Returns a certificate as value and bytes."""
        fields = {"kind": kind, "epoch": EPOCH, "view": round, "digest": block.ballot(), **changes}
        data = self.encode_certificate(Statement(**fields), counts or {0: 1, 1: 1, 3: 1})
        return whole(data, lambda r: Certificate.read(r, self.c.voters)), data

    def aggregate(self, statement, counts):
        return u8(self.suite) + statement.encode() + codec.encode(set(counts), 4) + self.sum(statement, counts)

    def proposals(self):
        """Returns the three kinds: a block on the genesis, one on a committed block, one proposed again."""
        committed, prepared = self.certify(g.TENTATIVE, 3, self.first), self.certify(g.PREPARE, 3, self.first)
        return {
            "first": self.proposal(self.first, 2, 2),
            "next": self.proposal(self.second, 5, 0, committed, seed=self.after_first),
            "again": self.proposal(self.first, 5, 3, prepared),
        }
