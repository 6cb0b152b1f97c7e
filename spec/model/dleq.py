"""Shared keys, shares and proofs of threshold encryption and the coin (`spec/threshold-encryption.md`). Proofs are
verified one by one, keys by interpolation, as defined."""

from . import wire
from .errors import Refused
from .ristretto import GENERATOR, ORDER, add, decode, encode, equal, mul, neg, scalar, total
from .wire import u8, u16

MAX_PARTIES = 1024


def h(name, data, length=32):
    return wire.blake3.derive_key(f"quorate-v1-{name}", data, length)


def wide(data):
    """64 bytes as a scalar."""
    return int.from_bytes(data, "little") % ORDER


def challenge(hashed):
    """The first 128 bits of a hash."""
    return int.from_bytes(hashed[:16], "little")


def element(reader):
    """32 bytes of an element other than the neutral one; they stay bytes."""
    data = reader.raw(32)
    decode(data)
    if data == bytes(32):
        raise Refused("INFINITY")
    return data


def times(data, factor):
    """A multiple of an encoded element, encoded."""
    return encode(mul(factor % ORDER, decode(data)))


def base_times(factor):
    return encode(mul(factor % ORDER, GENERATOR))


def lagrange(indices, at=0):
    """The coefficients that lead from values at indices + 1 to the value at `at`."""
    result = []
    for i in indices:
        above = below = 1
        for j in indices:
            if j != i:
                above, below = above * (at - j - 1) % ORDER, below * (i - j) % ORDER
        result.append(above * pow(below, -1, ORDER) % ORDER)
    return result


def read_purpose(reader, purpose):
    if reader.uint(1) != purpose:
        raise Refused("WRONG_CONTEXT")


def member_index(reader):
    index = reader.uint(2)
    if index == 65535:
        raise Refused("UNKNOWN_SIGNER")
    return index


class Keys:
    """The public keys."""

    def __init__(self, purpose, committee, key, needed, members):
        self.purpose, self.committee, self.key, self.needed, self.members = purpose, committee, key, needed, members

    @staticmethod
    def from_polynomial(purpose, committee, coefficients, parties):
        """The keys of a polynomial, and the secrets."""
        secrets = [sum(c * x**k for k, c in enumerate(coefficients)) % ORDER for x in range(parties + 1)]
        key, *members = [base_times(secret) for secret in secrets]
        return Keys(purpose, committee, key, len(coefficients), members), secrets[1:]

    def encode(self):
        head = u8(self.purpose) + self.committee + self.key + u16(self.needed) + u16(len(self.members))
        return head + b"".join(self.members)

    @staticmethod
    def read(reader, purpose):
        read_purpose(reader, purpose)
        committee, key = reader.raw(32), element(reader)
        needed, parties = reader.uint(2), reader.uint(2)
        if parties > MAX_PARTIES or not 1 <= needed <= parties:
            raise Refused("BAD_COMMITTEE")
        inner = wire.Reader(reader.raw(32 * parties))
        keys = Keys(purpose, committee, key, needed, [element(inner) for _ in range(parties)])
        # All keys that the first `needed` keys determine.
        points = [decode(member) for member in keys.members]
        for at, expected in [(0, decode(key)), *((i + 1, points[i]) for i in range(needed, parties))]:
            if not equal(total(zip(lagrange(range(needed), at), points)), expected):
                raise Refused("BAD_COMMITTEE")
        return keys

    def verification_key(self, member):
        if member >= len(self.members):
            raise Refused("UNKNOWN_SIGNER")
        return self.members[member]


class KeyShare:
    """A member's secret."""

    def __init__(self, purpose, committee, key, member, secret):
        self.purpose, self.committee, self.key, self.member, self.secret = purpose, committee, key, member, secret

    @staticmethod
    def from_secret(keys, member, secret):
        return KeyShare(keys.purpose, keys.committee, keys.key, member, secret)

    def encode(self):
        return u8(self.purpose) + self.committee + self.key + u16(self.member) + self.secret.to_bytes(32, "little")

    @staticmethod
    def read(reader, purpose):
        read_purpose(reader, purpose)
        committee, key, member, secret = reader.raw(32), element(reader), member_index(reader), scalar(reader.raw(32))
        reader.end()
        if secret == 0:
            raise Refused("INFINITY")
        return KeyShare(purpose, committee, key, member, secret)

    def check(self, keys):
        if (self.committee, self.key) != (keys.committee, keys.key):
            raise Refused("WRONG_CONTEXT")
        if keys.verification_key(self.member) != base_times(self.secret):
            raise Refused("BAD_SHARE")

    def prove(self, instance, fresh, secret=None, k=None):
        """The share with its proof. It is invalid if `secret` is not the member's."""
        if (self.committee, self.key) != (instance.committee, instance.key):
            raise Refused("WRONG_CONTEXT")
        hidden = self.secret.to_bytes(32, "little") + fresh + u8(self.purpose) + instance.base + instance.context
        k = wide(h("dleq-nonce", hidden, 64)) if k is None else k
        point = times(instance.base, self.secret if secret is None else secret)
        share = Share(self.purpose, self.member, point, base_times(k), times(instance.base, k), 0)
        share.z = (k + share.challenge(instance, base_times(self.secret)) * self.secret) % ORDER
        return share


class Instance:
    """The base and the context of an instance's shares."""

    def __init__(self, keys, base, context):
        self.committee, self.key, self.base, self.context = keys.committee, keys.key, base, context

    def require(self, keys):
        if (self.committee, self.key) != (keys.committee, keys.key):
            raise Refused("WRONG_CONTEXT")


class Share:
    """A share with its proof."""

    def __init__(self, purpose, member, point, a1, a2, z):
        self.purpose, self.member, self.point, self.a1, self.a2, self.z = purpose, member, point, a1, a2, z

    def encode(self):
        return u16(self.member) + self.point + self.a1 + self.a2 + self.z.to_bytes(32, "little")

    @staticmethod
    def read(reader, purpose):
        member = member_index(reader)
        point, a1, a2 = element(reader), element(reader), element(reader)
        return Share(purpose, member, point, a1, a2, scalar(reader.raw(32)))

    def challenge(self, instance, key):
        data = u8(self.purpose) + u16(self.member) + key + instance.base + self.point + self.a1 + self.a2
        return challenge(h("dleq-challenge", data + instance.context))

    def equations(self, instance, key):
        """Returns whether the first and whether the second equation holds."""
        c = self.challenge(instance, key)
        first = add(mul(self.z, GENERATOR), neg(mul(c, decode(key))))
        second = add(mul(self.z, decode(instance.base)), neg(mul(c, decode(self.point))))
        return equal(first, decode(self.a1)), equal(second, decode(self.a2))


def verify_shares(keys, instance, shares):
    """Returns the valid shares, and the faults: the member, and the evidence if the member signed the share."""
    instance.require(keys)
    named = [(share, keys.verification_key(share.member)) for share in shares]
    verified, faults = [], []
    for share, key in named:
        first, second = share.equations(instance, key)
        if first and second:
            verified.append(share)
        else:
            evidence = instance.base + instance.context + share.encode() if first else None
            faults.append({"member": share.member, "evidence": evidence and evidence.hex()})
    return verified, faults


def verify_wrong_share(data, keys):
    """The member whose fault the evidence proves."""
    reader = wire.Reader(data)
    instance = Instance(keys, element(reader), reader.raw(32))
    share = Share.read(reader, keys.purpose)
    reader.end()
    if share.equations(instance, keys.verification_key(share.member)) != (True, False):
        raise Refused("NOT_EVIDENCE")
    return share.member


def combine(keys, instance, shares):
    """x·B of verified shares, as a point."""
    instance.require(keys)
    members = sorted(share.member for share in shares)
    if len(set(members)) < len(members):
        raise Refused("DUPLICATE_SIGNER")
    return interpolate(keys, shares)


def interpolate(keys, shares):
    if len(shares) < keys.needed:
        raise Refused("BELOW_QUORUM")
    chosen = sorted(shares, key=lambda share: share.member)[: keys.needed]
    coefficients = lagrange([share.member for share in chosen])
    return total(zip(coefficients, (decode(share.point) for share in chosen)))


class Pool:
    """The shares that a collector holds: one of each member, checked or not."""

    def __init__(self, keys, instance):
        instance.require(keys)
        self.keys, self.instance, self.pending, self.verified = keys, instance, {}, {}

    def hold(self, share, faults):
        self.keys.verification_key(share.member)
        if share.member in self.verified:
            return
        first = self.pending.get(share.member)
        if first is not None and first.encode() != share.encode():
            good, bad = verify_shares(self.keys, self.instance, [first])
            del self.pending[share.member]
            faults += [fault["member"] for fault in bad]
            if good:
                self.verified[share.member] = first
                return
        self.pending[share.member] = share

    def is_enough(self):
        return len(self.pending) + len(self.verified) >= self.keys.needed

    def verify_pending(self, faults):
        held = [self.pending[member] for member in sorted(self.pending)]
        good, bad = verify_shares(self.keys, self.instance, held)
        self.pending = {}
        self.verified.update((share.member, share) for share in good)
        faults += [fault["member"] for fault in bad]

    def held(self):
        return [*self.verified.values(), *self.pending.values()]
