"""Threshold ECDSA from dealt presignatures (`spec/threshold.md`)."""

import hashlib
from dataclasses import dataclass

from . import ristretto, secp256k1, wire
from .errors import Refused
from .merkle import Tree
from .sharing import decode, evaluate, interpolate
from .wire import blob, u8, u16, u32, u64

MAX_PARTIES, MAX_COUNT, MAX_ATTESTATION, MAX_MESSAGE = 1024, 1 << 17, 8192, 1 << 24
OPENINGS = Tree("quorate-v1-threshold-opening", "quorate-v1-threshold-node")


def h(name, data, length=32):
    return wire.blake3.derive_key(f"quorate-v1-{name}", data, length)


class Ristretto:
    """The paper's group. Its ECDSA is not the standard's."""

    suite, length, math, endian = 1, 32, ristretto, "little"

    def decode(self, data):
        if data == bytes(32):
            raise Refused("INFINITY")
        try:
            return ristretto.decode(data)
        except Refused as refused:
            raise Refused("MALFORMED") from refused

    def r(self, slot, nonce):
        return int.from_bytes(h("ecdsa-nonce", slot.key + nonce, 64), "little") % self.math.ORDER

    def h(self, slot, nonce, message):
        data = h("ecdsa-message", slot.encode() + nonce + message, 64)
        return int.from_bytes(data, "little") % self.math.ORDER

    def signature(self, nonce, r, s):
        return nonce + scalar_bytes(self, s)

    def verify(self, key, slot, message, signature):
        nonce, s = signature[:32], scalar(self, signature[32:])
        if nonce == bytes(32):
            raise Refused("INFINITY")
        if s == 0:
            raise Refused("NON_CANONICAL")
        found = recovered(self, key, self.h(slot, nonce, message), self.r(slot, nonce), s)
        if ristretto.equal(found, ristretto.NEUTRAL) or ristretto.encode(found) != nonce:
            raise Refused("BAD_SIGNATURE")


class Secp256k1:
    """Standard ECDSA, with low s only."""

    suite, length, math, endian = 2, 33, secp256k1, "big"

    def decode(self, data):
        return secp256k1.decode(data)

    def r(self, slot, nonce):
        return int.from_bytes(nonce[1:], "big") % self.math.ORDER

    def h(self, slot, nonce, message):
        return int.from_bytes(hashlib.sha256(message).digest(), "big") % self.math.ORDER

    def signature(self, nonce, r, s):
        return scalar_bytes(self, r) + scalar_bytes(self, min(s, self.math.ORDER - s))

    def decode_signature(self, signature):
        r, s = scalar(self, signature[:32]), scalar(self, signature[32:])
        if r == 0 or s == 0 or s > self.math.ORDER // 2:
            raise Refused("NON_CANONICAL")
        return r, s

    def verify(self, key, slot, message, signature):
        r, s = self.decode_signature(signature)
        found = recovered(self, key, self.h(slot, None, message), r, s)
        if found is None or found[0] % self.math.ORDER != r:
            raise Refused("BAD_SIGNATURE")


GROUPS = {group.suite: group for group in (Ristretto(), Secp256k1())}


def recovered(group, key, hashed, r, s):
    """R again: (h/s)·G + (r/s)·Y."""
    math, inverse = group.math, pow(s, -1, group.math.ORDER)
    first = math.mul(hashed * inverse % math.ORDER, math.GENERATOR)
    return math.add(first, math.mul(r * inverse % math.ORDER, group.decode(key.element)))


def scalar(group, data):
    value = int.from_bytes(data, group.endian)
    if value >= group.math.ORDER:
        raise Refused("NON_CANONICAL")
    return value


def scalar_bytes(group, value):
    return value.to_bytes(32, group.endian)


def read_suite(r):
    suite = r.uint(1)
    if suite not in GROUPS:
        raise Refused("WRONG_CONTEXT")
    return GROUPS[suite]


def expect_suite(r, group):
    if r.uint(1) != group.suite:
        raise Refused("WRONG_CONTEXT")


@dataclass(frozen=True)
class Slot:
    key: bytes
    epoch: int
    index: int

    def encode(self):
        return self.key + u64(self.epoch) + u32(self.index)

    def digest(self, message):
        return h("threshold-signing", self.encode() + message)


@dataclass(frozen=True)
class Key:
    group: object
    committee: bytes
    parties: int
    faulty: int
    element: bytes

    @property
    def id(self):
        return h("threshold-key", self.encode())

    def encode(self):
        return u8(self.group.suite) + self.committee + u16(self.parties) + u16(self.faulty) + self.element

    @classmethod
    def read(cls, r, group):
        expect_suite(r, group)
        committee, parties, faulty = r.raw(32), r.uint(2), r.uint(2)
        if not 3 * faulty < parties <= MAX_PARTIES:
            raise Refused("BAD_COMMITTEE")
        element = r.raw(group.length)
        group.decode(element)
        return cls(group, committee, parties, faulty, element)

    def needed(self, agreed):
        return self.faulty + 1 if agreed else (self.parties + self.faulty) // 2 + 1


@dataclass(frozen=True)
class Plan:
    kind: int
    parties: int = 0
    rounds: int = 0
    numbered: int = 0

    def encode(self):
        return u8(self.kind) + (u16(self.parties) + u16(self.rounds) if self.kind == 1 else u32(self.numbered))

    @classmethod
    def read(cls, r):
        kind = r.uint(1)
        if kind == 1:
            return cls(1, r.uint(2), r.uint(2))
        if kind in (2, 3):
            return cls(kind, numbered=r.uint(4))
        raise Refused("MALFORMED")

    @property
    def count(self):
        return self.parties + self.rounds * (4 * self.parties + 1) if self.kind == 1 else self.numbered

    def check(self, parties):
        if self.kind == 1 and self.parties != parties:
            raise Refused("WRONG_CONTEXT")
        if self.count == 0:
            raise Refused("MALFORMED")
        if self.count > MAX_COUNT:
            raise Refused("TOO_LARGE")

    def uses(self):
        """The use of each index, in order, and whether its message is agreed."""
        if self.kind != 1:
            return [("numbered", self.kind == 2)] * self.numbered
        uses = [(("prbc", j), True) for j in range(self.parties)]
        for k in range(self.rounds):
            uses += [(("promotion", k, j, s), False) for j in range(self.parties) for s in (1, 2, 3, 4)]
            uses.append((("completion", k), True))
        return uses

    def agreed(self, index):
        if index >= self.count:
            raise Refused("EXHAUSTED")
        return self.uses()[index][1]


@dataclass(frozen=True)
class Deal:
    key: bytes
    epoch: int
    plan: Plan
    roots: tuple

    @property
    def id(self):
        return h("threshold-deal", self.encode())

    def encode(self):
        return self.key + u64(self.epoch) + self.plan.encode() + u32(len(self.roots)) + b"".join(self.roots)

    @classmethod
    def read(cls, r):
        key, epoch, plan, parties = r.raw(32), r.uint(8), Plan.read(r), r.count(MAX_PARTIES)
        plan.check(parties)
        return cls(key, epoch, plan, tuple(r.raw(32) for _ in range(parties)))

    def require(self, key):
        if self.key != key.id or len(self.roots) != key.parties:
            raise Refused("WRONG_CONTEXT")
        self.plan.check(key.parties)


@dataclass(frozen=True)
class Share:
    group: object
    member: int
    epoch: int
    index: int
    digest: bytes
    s: int
    attestation: bytes = b""

    def encode(self):
        head = u8(self.group.suite) + u16(self.member) + u64(self.epoch) + u32(self.index)
        return head + self.digest + scalar_bytes(self.group, self.s) + blob(self.attestation)

    @classmethod
    def read(cls, r, group):
        expect_suite(r, group)
        member, epoch, index, digest = r.uint(2), r.uint(8), r.uint(4), r.raw(32)
        return cls(group, member, epoch, index, digest, scalar(group, r.raw(32)), r.blob(MAX_ATTESTATION))

    def attested(self):
        return b"quorate-v1-threshold-share" + self.digest + u16(self.member) + scalar_bytes(self.group, self.s)


@dataclass(frozen=True)
class Opening:
    group: object
    member: int
    nonce: bytes
    elements: bytes
    path: bytes

    def encode(self):
        return u16(self.member) + self.nonce + self.elements + self.path

    @classmethod
    def read(cls, r, group):
        member, nonce = r.uint(2), r.raw(group.length)
        elements = b"".join(r.raw(group.length) for _ in range(3))
        for at in range(3):
            group.decode(elements[at * group.length :][: group.length])
        head = r.raw(8)
        index, count = int.from_bytes(head[:4], "little"), int.from_bytes(head[4:], "little")
        if index >= count:
            raise Refused("MALFORMED")
        return cls(group, member, nonce, elements, head + r.raw(32 * OPENINGS._depth(index, count)))

    @property
    def index(self):
        return int.from_bytes(self.path[:4], "little")

    def verify(self, deal):
        if self.member >= len(deal.roots):
            raise Refused("UNKNOWN_SIGNER")
        if int.from_bytes(self.path[4:8], "little") != deal.plan.count:
            raise Refused("WRONG_CONTEXT")
        OPENINGS.verify(deal.roots[self.member], OPENINGS.leaf(self.nonce + self.elements), self.path)

    def fits(self, hashed, r, s):
        math, decode = self.group.math, self.group.decode
        k, x, e = (decode(self.elements[at * self.group.length :][: self.group.length]) for at in range(3))
        right = math.add(math.add(math.mul(hashed, k), math.mul(r, x)), e)
        return math.equal(math.mul(s, decode(self.nonce)), right)


@dataclass(frozen=True)
class File:
    """One party's presignatures."""

    key: Key
    member: int
    deal: Deal
    nonces: tuple
    leaves: tuple
    secrets: tuple

    def encode(self):
        group, out = self.key.group, self.key.encode() + u16(self.member) + self.deal.encode()
        for nonce, leaf, secrets in zip(self.nonces, self.leaves, self.secrets):
            out += nonce + leaf + b"".join(scalar_bytes(group, secret) for secret in secrets)
        return out

    @classmethod
    def read(cls, data, group):
        r = wire.Reader(data)
        key, member, deal = Key.read(r, group), r.uint(2), Deal.read(r)
        deal.require(key)
        if len(r.rest) != deal.plan.count * (group.length + 128):
            raise Refused("MALFORMED")
        nonces, leaves, secrets = [], [], []
        for _ in range(deal.plan.count):
            nonces.append(r.raw(group.length))
            leaves.append(r.raw(32))
            secrets.append(tuple(scalar(group, r.raw(32)) for _ in range(3)))
        if member >= key.parties:
            raise Refused("UNKNOWN_SIGNER")
        if OPENINGS.root(leaves) != deal.roots[member]:
            raise Refused("WRONG_CONTEXT")
        return cls(key, member, deal, tuple(nonces), tuple(leaves), tuple(secrets))

    def slot(self, index):
        self.deal.plan.agreed(index)
        return Slot(self.key.id, self.deal.epoch, index)

    def sign(self, index, message):
        group, slot, nonce = self.key.group, self.slot(index), self.nonces[index]
        k, chi, e = self.secrets[index]
        s = (group.h(slot, nonce, message) * k + group.r(slot, nonce) * chi + e) % group.math.ORDER
        return Share(group, self.member, slot.epoch, index, slot.digest(message), s)

    def open(self, index):
        group, nonce = self.key.group, self.nonces[index]
        base = group.decode(nonce)
        elements = b"".join(group.math.encode(group.math.mul(secret, base)) for secret in self.secrets[index])
        if OPENINGS.leaf(nonce + elements) != self.leaves[index]:
            raise Refused("WRONG_CONTEXT")
        return Opening(group, self.member, nonce, elements, OPENINGS.path(list(self.leaves), index))


def deal(group, committee, parties, faulty, epoch, plan, draw):
    """The files of all parties. `draw` returns successive scalars; the first is the key."""
    math = group.math
    x = draw()
    key = Key(group, committee, parties, faulty, math.encode(math.mul(x, math.GENERATOR)))
    nonces, hands = [], [([], []) for _ in range(parties)]
    for index in range(plan.count):
        k = draw()
        inverse = pow(k, -1, math.ORDER)
        nonces.append(math.encode(math.mul(inverse, math.GENERATOR)))
        needed = key.needed(plan.agreed(index))
        sharings = [[first] + [draw() for _ in range(needed - 1)] for first in (k, k * x % math.ORDER, 0)]
        for member, (leaves, secrets) in enumerate(hands):
            mine = tuple(evaluate(sharing, member + 1, math.ORDER) for sharing in sharings)
            # Multiples of R = k⁻¹·G.
            elements = b"".join(math.encode(math.mul(secret * inverse % math.ORDER, math.GENERATOR)) for secret in mine)
            leaves.append(OPENINGS.leaf(nonces[-1] + elements))
            secrets.append(mine)
    roots = tuple(OPENINGS.root(leaves) for leaves, _ in hands)
    dealt = Deal(key.id, epoch, plan, roots)
    return [
        File(key, member, dealt, tuple(nonces), tuple(leaves), tuple(secrets))
        for member, (leaves, secrets) in enumerate(hands)
    ]


@dataclass(frozen=True)
class Signing:
    """A message under a presignature."""

    key: Key
    deal: Deal
    nonce: bytes
    index: int
    message: bytes

    def __post_init__(self):
        self.deal.require(self.key)
        self.deal.plan.agreed(self.index)

    @property
    def slot(self):
        return Slot(self.key.id, self.deal.epoch, self.index)

    @property
    def needed(self):
        return self.key.needed(self.deal.plan.agreed(self.index))

    def accept(self, share):
        wanted = (self.deal.epoch, self.index, self.slot.digest(self.message))
        if (share.epoch, share.index, share.digest) != wanted:
            raise Refused("WRONG_CONTEXT")
        if share.member >= self.key.parties:
            raise Refused("UNKNOWN_SIGNER")

    def combine(self, shares):
        """Combines exactly the needed number of shares."""
        for share in shares:
            self.accept(share)
        members = [share.member for share in shares]
        if len(set(members)) < len(members):
            raise Refused("DUPLICATE_SIGNER")
        if len(shares) < self.needed:
            raise Refused("BELOW_QUORUM")
        group = self.key.group
        points = [(share.member + 1, share.s) for share in shares]
        s = interpolate(points, group.math.ORDER)
        signature = group.signature(self.nonce, group.r(self.slot, self.nonce), s)
        group.verify(self.key, self.slot, self.message, signature)
        return signature

    def check(self, share, opening):
        self.accept(share)
        if (opening.member, opening.index, opening.nonce) != (share.member, share.index, self.nonce):
            raise Refused("WRONG_CONTEXT")
        opening.verify(self.deal)
        group = self.key.group
        r, hashed = group.r(self.slot, self.nonce), group.h(self.slot, self.nonce, self.message)
        return opening.fits(hashed, r, share.s)


def verify_evidence(data, key, deal):
    """The culprit. Attestations are not verified here."""
    r, group = wire.Reader(data), key.group
    kind = r.uint(1)
    if kind == 1:
        message, share = r.blob(MAX_MESSAGE), Share.read(r, group)
        opening = Opening.read(r, group)
    elif kind == 2:
        share = Share.read(r, group)
        others = [Share.read(r, group) for _ in range(r.count(MAX_PARTIES))]
    else:
        raise Refused("MALFORMED")
    r.end()
    deal.require(key)
    if share.epoch != deal.epoch or share.index >= deal.plan.count:
        raise Refused("WRONG_CONTEXT")
    if kind == 1:
        slot = Slot(key.id, share.epoch, share.index)
        if share.digest != slot.digest(message):
            raise Refused("WRONG_CONTEXT")
        if (opening.member, opening.index) != (share.member, share.index):
            raise Refused("NOT_EVIDENCE")
        opening.verify(deal)
        if opening.fits(group.h(slot, opening.nonce, message), group.r(slot, opening.nonce), share.s):
            raise Refused("NOT_EVIDENCE")
        return share.member
    same = all((o.epoch, o.index, o.digest) == (share.epoch, share.index, share.digest) for o in others)
    needed = key.faulty + 1
    if not deal.plan.agreed(share.index) or len(others) < needed + key.faulty or not same:
        raise Refused("NOT_EVIDENCE")
    if any(o.member >= key.parties for o in [*others, share]):
        raise Refused("UNKNOWN_SIGNER")
    points = [(o.member + 1, o.s) for o in [*others, share]]
    try:
        _, off = decode(needed, points, group.math.ORDER)
    except Refused as refused:
        raise Refused("DUPLICATE_SIGNER" if refused.code == "DUPLICATE_SIGNER" else "NOT_EVIDENCE") from refused
    if off != [share.member + 1]:
        raise Refused("NOT_EVIDENCE")
    return share.member
