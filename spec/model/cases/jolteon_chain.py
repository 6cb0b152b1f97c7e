"""A short chain of Jolteon that its cases are made of."""

from .. import jolteon as j
from ..certificate import Certificate, Statement
from ..operations import committee
from ..timeout import TimeoutCertificate, TimeoutVote
from .common import NAMES, key_pair

EPOCH = 7
ROOT, OTHER_ROOT = b"\x11" * 32, b"\x22" * 32


class Chain:
    """A chain of genesis, a block in view 1, its child in view 2, and a block in view 4 after a timeout of view 3."""

    def __init__(self, b, suite):
        self.b, self.suite, self.name = b, suite, NAMES[suite]
        self.c = j.Committees(committee(b.committees[self.name]), committee(b.committees["identities"]))
        self.genesis = self.c.genesis(ROOT)
        self.batch = j.Batch(2, 5, [b"pay", b"me"])
        self.ref = self.reference(self.batch)
        self.first = self.block(view=1, height=1, author=1, parent=self.genesis, payload=[self.ref])
        self.qc1 = self.certify(self.first)
        self.second = self.block(view=2, height=2, author=2, parent=self.first.digest(), justify=self.qc1)
        self.qc2 = self.certify(self.second)
        self.tc3 = self.timeout_certificate(3, {0: 2, 1: 1, 3: 2})
        self.third = self.after_timeout()

    def voter(self, i):
        return key_pair(self.suite, 4 + i)[1]

    def reference(self, batch, numbers=(0, 2, 3)):
        header, c = batch.header(), self.c.identities
        signed = header.statement(EPOCH).signed_bytes(c.id)
        signatures = {i: c.scheme.sign(key_pair(3, i)[1], signed) for i in numbers}
        return j.BatchRef(header, Certificate.detached_parts(c, signatures))

    def block(self, *, signer=None, **fields):
        defaults = {"epoch": EPOCH, "justify": None, "tc": None, "payload": [], "executed": (0, ROOT), "timestamp": 99}
        block = j.Block(**{**defaults, **fields})
        author = block.author if signer is None else signer
        return block.sign(key_pair(3, author)[1], self.c.identities)

    def after_timeout(self, **changes):
        fields = {"view": 4, "height": 3, "author": 0, "parent": self.second.digest(), "justify": self.qc2}
        return self.block(**{**fields, "tc": self.tc3, "executed": (1, OTHER_ROOT), **changes})

    def certificate(self, statement, numbers=(0, 1, 3)):
        """Returns a certificate as value and bytes."""
        c = self.c.voters
        signed = statement.signed_bytes(c.id)
        data = Certificate.encode_parts(c, statement, {i: c.scheme.sign(self.voter(i), signed) for i in numbers})
        return j.wire.whole(data, lambda r: Certificate.read(r, c)), data

    def certify(self, block, **changes):
        fields = {"kind": j.BLOCK, "epoch": EPOCH, "view": block.view, "digest": block.digest(), **changes}
        return self.certificate(Statement(**fields))

    def timeout_vote(self, i, view, value, kind=j.TIMEOUT):
        return TimeoutVote.sign(self.voter(i), self.c.voters, i, kind, view, value)

    def timeout_certificate(self, view, values, kind=j.TIMEOUT):
        c = self.c.voters
        held = {i: (value, self.timeout_vote(i, view, value, kind).vote.signature) for i, value in values.items()}
        data = TimeoutCertificate.encode_parts(c, kind, view, held)
        return j.wire.whole(data, lambda r: TimeoutCertificate.read(r, c)), data

    def on_genesis(self, view, values, **changes):
        fields = {"view": view, "height": 1, "author": 1, "parent": self.genesis}
        return self.block(**{**fields, "tc": self.timeout_certificate(view - 1, values), **changes})

    def proof_length(self):
        return self.c.voters.scheme.sig_len * (3 if self.suite == 3 else 1)

    def case(self, operation, label, description, expect="ok", **inputs):
        hexed = {key: value.hex() for key, value in inputs.items()}
        self.b.add(
            f"{self.name}/{label}",
            description,
            f"jolteon.{operation}",
            expect,
            voters=self.name,
            identities="identities",
            **hexed,
        )
