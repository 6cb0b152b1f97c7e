"""conformance.json: hashes over many generated encodings (`spec/vectors/README.md` describes how they are generated).

The Rust tests generate the same values through the public API and hash what it encodes.
"""

import json

from . import blake3, wire
from .aggregate import Aggregate
from .cases.common import BLS_SUITES, COUNTED_SUITES, NAMES, SUITES, key_pair, secret
from .certificate import Certificate, Statement, Vote
from .ciphersuite import CUSTOM, Ciphersuite
from .committee import Committee
from .dleq import h
from .evidence import Equivocation
from .sortition import Lottery, Seed, SeedProof
from .timeout import TimeoutCertificate, TimeoutVote, statement_of

POOL = 12
ED25519 = 3


class Stream:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    def below(self, n):
        return self.next() % n

    def bytes32(self):
        return b"".join(wire.u64(self.next()) for _ in range(4))

    def statement(self, epoch=None):
        kind = self.below(256)
        epoch = self.next() if epoch is None else epoch
        return Statement(kind, epoch, self.next(), self.bytes32())


def varints(s):
    return wire.varint(s.next() >> 32 + s.below(32))


def statements(s):
    statement, committee_id = s.statement(), s.bytes32()
    return statement.encode() + statement.signed_bytes(committee_id) + statement.identity(committee_id)


def committee_ids(suite):
    def one(s):
        chain, epoch, n, start = s.bytes32(), s.next(), 1 + s.below(POOL), s.below(POOL)
        members = [(key_pair_of(suite, (start + i) % POOL)[1], 1 + s.next()) for i in range(n)]
        c = Committee(suite, chain, epoch, members)
        return c.id + wire.u128(c.total) + wire.u128(c.quorum_weight) + wire.u128(c.honest_weight)

    return one


_pairs = {}


def key_pair_of(suite, number):
    """The secret key in the scheme's form, the public key as bytes."""
    if (suite, number) not in _pairs:
        _pairs[suite, number] = key_pair(suite, number)[1:]
    return _pairs[suite, number]


def pool_committee(suite, epoch):
    return Committee(suite, bytes(32), epoch, [(key_pair_of(suite, i)[1], 1) for i in range(POOL)])


def votes(suite):
    c = pool_committee(suite, 5)

    def one(s):
        signer, statement = s.below(POOL), s.statement(5)
        vote = Vote.sign(key_pair_of(suite, signer)[0], c, signer, statement)
        timeout = TimeoutVote.sign(key_pair_of(suite, signer)[0], c, signer, statement.kind, statement.view, s.next())
        return vote.encode() + vote.encode_link() + timeout.encode() + timeout.encode_link()

    return one


def equivocations(suite):
    c = pool_committee(suite, 5)

    def one(s):
        signer, a = s.below(POOL), s.statement(5)
        b = Statement(a.kind, a.epoch, a.view, s.bytes32())
        value = key_pair_of(suite, signer)[0]
        return Equivocation.new(*(Vote.sign(value, c, signer, statement) for statement in (a, b))).encode()

    return one


def lopsided(suite, s, largest):
    """A committee that repeats one key, and its signers: a last member whose weight alone is a quorum, and a random
    choice of the other members."""
    n = 1 + s.below(largest)
    heavy, share = s.below(n), s.next()
    key = key_pair_of(suite, 0)[1]
    members = [(key, 3 * n if i == heavy else 1) for i in range(n)]
    c = Committee(suite, s.bytes32(), s.next(), members, allow_repeats=True)
    others = [i for i in range(n) if i != heavy and s.next() >= share]
    return c, others, heavy


def repeated(scheme, counts):
    """A proof with repeated signatures: for BLS by one multiplication instead of many additions."""
    total = scheme.sigs.sum(scheme.sigs.mul(signature, n) for signature, n in counts)
    return scheme.encode_signature(total)


def certificates(suite):
    def one(s):
        c, others, heavy = lopsided(suite, s, 300)
        statement = s.statement(c.epoch)
        signature = c.scheme.sign(key_pair_of(suite, 0)[0], statement.signed_bytes(c.id))
        signatures = dict.fromkeys(sorted([*others, heavy]), signature)
        if suite == ED25519:
            whole = Certificate.encode_parts(c, statement, signatures)
        else:
            lone = Certificate.encode_parts(c, statement, dict.fromkeys(signatures, None))
            whole = lone[: -c.scheme.sig_len] + repeated(c.scheme, [(signature, len(signatures))])
        return whole + whole[50:]

    return one


def timeout_certificates(suite):
    def one(s):
        c, others, heavy = lopsided(suite, s, 60)
        kind, view, base = s.below(256), s.next(), s.next() >> 8
        values = {i: base + s.below(5) for i in [*others, heavy]}
        value = key_pair_of(suite, 0)[0]
        signatures = {
            v: c.scheme.sign(value, statement_of(kind, c.epoch, view, v).signed_bytes(c.id))
            for v in set(values.values())
        }
        held = {i: (v, signatures[v] if suite == ED25519 else None) for i, v in sorted(values.items())}
        whole = TimeoutCertificate.encode_parts(c, kind, view, held)
        if suite != ED25519:
            counts = [(signature, list(values.values()).count(v)) for v, signature in signatures.items()]
            whole = whole[: -c.scheme.sig_len] + repeated(c.scheme, counts)
        return whole

    return one


def aggregates(suite):
    def one(s):
        c, others, heavy = lopsided(suite, s, 40)
        statement = s.statement(c.epoch)
        signature = c.scheme.sign(key_pair_of(suite, 0)[0], statement.signed_bytes(c.id))
        counts = {i: 1 + s.below(4) for i in [*others, heavy]}
        total = c.scheme.sigs.mul(signature, sum(counts.values()))
        return Aggregate(c.scheme, statement, counts, total).encode(c)

    return one


def tickets(suite):
    """A ticket, a proof, and the next seed. The expected number of winners equals the number of members, so that every member wins."""
    c = pool_committee(suite, 5)

    def one(s):
        signer, seed = s.below(POOL), Seed(s.next() >> 1, s.bytes32())
        value = key_pair_of(suite, signer)[0]
        ticket, proof = Lottery(c, seed, s.next(), POOL).ticket(value), SeedProof.sign(value, c, seed)
        following = Seed(seed.height + 1, h("sortition-seed", c.scheme.encode_signature(proof.signature)))
        return ticket.encode() + ticket.score() + proof.encode() + following.encode()

    return one


def ciphersuites(s):
    number = s.below(4)
    tag = bytes(s.below(256) for _ in range(1 + s.below(255))) if number == CUSTOM else b""
    return Ciphersuite(number, tag).encode()


def entries():
    yield "varint", 2000, varints
    yield "statement", 300, statements
    for suite in SUITES + COUNTED_SUITES:
        yield f"committee/{NAMES[suite]}", 24, committee_ids(suite)
        yield f"vote/{NAMES[suite]}", 24, votes(suite)
        yield f"certificate/{NAMES[suite]}", 40, certificates(suite)
        yield f"timeout-certificate/{NAMES[suite]}", 16, timeout_certificates(suite)
        yield f"equivocation/{NAMES[suite]}", 12, equivocations(suite)
    for suite in COUNTED_SUITES:
        yield f"aggregate/{NAMES[suite]}", 16, aggregates(suite)
    for suite in BLS_SUITES + COUNTED_SUITES:
        yield f"ticket/{NAMES[suite]}", 12, tickets(suite)
    yield "ciphersuite", 300, ciphersuites


def text():
    """The file, and the number of encodings that it covers."""
    listed, total = [], 0
    for seed, (name, count, one) in enumerate(entries(), 1):
        stream = Stream(seed)
        hashed = blake3.hash(b"".join(wire.blob(one(stream)) for _ in range(count)))
        listed.append({"name": name, "seed": seed, "count": count, "hash": hashed.hex()})
        total += count
    description = "BLAKE3 over generated encodings, each preceded by its length as u32. See vectors/README.md."
    pools = {f"{NAMES[suite]}/pool": [secret(suite, i).hex() for i in range(POOL)] for suite in SUITES + COUNTED_SUITES}
    return json.dumps({"description": description, "pools": pools, "entries": listed}, indent=1) + "\n", total
