"""DSig (`spec/dsig.md`), step by step as specified, without optimizations."""

import hashlib
from functools import cache
from itertools import count

from . import ed25519, wire
from .ed25519 import ED25519
from .errors import Refused
from .haraka import haraka256, haraka512
from .wire import u8, u16, u32, u64


def h(name, data, length=32):
    return wire.blake3.derive_key(f"quorate-v1-dsig-{name}", data, length)


def digits(data, bits, count):
    """The lowest `count` digits of a little-endian integer."""
    value = int.from_bytes(data, "little")
    return [value >> bits * i & (1 << bits) - 1 for i in range(count)]


def split(data, length):
    return [data[i : i + length] for i in range(0, len(data), length)]


# --- chain hashes: C, F and K of the page ---------------------------------------------------------------------


def key_tree(hash, values, salt):
    """K of the page, over values of equal length."""
    length = len(values[0])
    for level in count(1):
        calls = [b"".join(children).ljust(54, b"\0") for children in split(values, 54 // length)]
        nodes = [
            hash(call + salt[:6] + place.to_bytes(3, "little") + u8(level)) for place, call in enumerate(calls)
        ]
        if len(nodes) == 1:
            return nodes[0]
        values = [node[:length] for node in nodes]


class Haraka512:
    @staticmethod
    def chain(x):
        return haraka512(x.ljust(64, b"\0"))

    forest = chain

    @staticmethod
    def key(values, salt):
        return key_tree(haraka512, values, salt)


class Haraka256:
    @staticmethod
    def chain(x):
        return haraka256(x) if len(x) == 32 else haraka512(x.ljust(64, b"\0"))

    forest = chain
    key = Haraka512.key


class Blake3:
    @staticmethod
    def chain(x):
        return h("chain", x)

    @staticmethod
    def forest(x):
        return h("forest", x)

    @staticmethod
    def key(values, salt):
        return key_tree(lambda call: h("key", call), values, salt)


class Sha256:
    @staticmethod
    def chain(x):
        return hashlib.sha256(x).digest()

    forest = chain

    @staticmethod
    def key(values, salt):
        return hashlib.sha256(salt + b"".join(values)).digest()


# --- one-time schemes -----------------------------------------------------------------------------------------


class Wots:
    def __init__(self, hash, n, digest_len, bits=2):
        self.hash, self.n, self.digest_len, self.bits = hash, n, digest_len, bits
        self.depth = 1 << bits
        self.message_digits = -(-8 * digest_len // bits)
        self.checksum_digits, largest = 0, self.message_digits * (self.depth - 1)
        while self.depth**self.checksum_digits <= largest:
            self.checksum_digits += 1
        self.chains = self.message_digits + self.checksum_digits
        self.signature_len = self.chains * n

    def digits(self, digest):
        message = digits(digest[: self.digest_len], self.bits, self.message_digits)
        checksum = sum(self.depth - 1 - digit for digit in message)
        return message + digits(u32(checksum), self.bits, self.checksum_digits)

    def walk(self, value, chain, start, end, salt):
        for step in range(start, end):
            value = self.hash.chain(value + salt + u8(chain) + u8(step))[: self.n]
        return value

    def generate(self, secrets, salt):
        starts = split(secrets(self.signature_len), self.n)
        ends = [self.walk(x, i, 0, self.depth - 1, salt) for i, x in enumerate(starts)]
        return starts, self.hash.key(ends, salt)

    def sign(self, starts, digest, salt):
        ends = [self.walk(x, i, 0, d, salt) for i, (x, d) in enumerate(zip(starts, self.digits(digest)))]
        return b"".join(ends)

    def recover(self, digest, salt, signature):
        shown = zip(split(signature, self.n), self.digits(digest))
        return self.hash.key([self.walk(x, i, d, self.depth - 1, salt) for i, (x, d) in enumerate(shown)], salt)


class Hors:
    def __init__(self, hash, k, t):
        self.hash, self.k, self.t, self.bits = hash, k, t, t.bit_length() - 1

    def indices(self, digest):
        return digits(digest, self.bits, self.k)

    def value(self, secret, index, salt):
        return self.hash.chain(secret + salt + u32(index))[:16]

    def values(self, secrets, salt):
        starts = split(secrets(16 * self.t), 16)
        return starts, [self.value(x, i, salt) for i, x in enumerate(starts)]


class Factorised(Hors):
    @property
    def signature_len(self):
        return 16 * self.t

    def generate(self, secrets, salt):
        starts, values = self.values(secrets, salt)
        return (starts, values), self.hash.key(values, salt)

    def sign(self, key, digest, salt):
        starts, values = key
        pointed = set(self.indices(digest))
        return b"".join(starts[i] if i in pointed else values[i] for i in range(self.t))

    def recover(self, digest, salt, signature):
        pointed = set(self.indices(digest))
        parts = enumerate(split(signature, 16))
        return self.hash.key([self.value(x, i, salt) if i in pointed else x for i, x in parts], salt)


class Merklified(Hors):
    @property
    def height(self):
        return (self.t // self.k).bit_length() - 1

    @property
    def signature_len(self):
        return self.k * (16 + 16 + 32 * (self.height - 1) + 32)

    def levels(self, nodes, height):
        """All levels of full trees of this height over the nodes."""
        levels = [nodes]
        for _ in range(height):
            levels.append([self.hash.forest(left + right) for left, right in split(levels[-1], 2)])
        return levels

    def key(self, roots, salt):
        return h("roots", salt + self.levels(roots, len(roots).bit_length() - 1)[-1][0])

    def generate(self, secrets, salt):
        starts, values = self.values(secrets, salt)
        levels = self.levels(values, self.height)
        return (starts, levels), self.key(levels[-1], salt)

    def sign(self, key, digest, salt):
        starts, levels = key
        out = b""
        for index in self.indices(digest):
            out += starts[index]
            for level in levels[:-1]:
                out += level[index ^ 1]
                index //= 2
        return out + b"".join(levels[-1])

    def recover(self, digest, salt, signature):
        entry = self.signature_len // self.k - 32
        roots = split(signature[self.k * entry :], 32)
        for index, path in zip(self.indices(digest), split(signature[: self.k * entry], entry)):
            node, siblings = self.value(path[:16], index, salt), [path[16:32]] + split(path[32:], 32)
            for level, sibling in enumerate(siblings):
                right = index >> level & 1
                node = self.hash.forest(sibling + node if right else node + sibling)
            if node != roots[index >> self.height]:
                return None
        return self.key(roots, salt)


SUITES = {
    1: Wots(Haraka512, 18, 16),
    2: Wots(Haraka256, 18, 16),
    3: Wots(Blake3, 18, 16),
    4: Wots(Blake3, 24, 32),
    5: Factorised(Blake3, 64, 256),
    6: Merklified(Blake3, 16, 4096),
    7: Factorised(Haraka256, 64, 256),
    8: Merklified(Haraka256, 16, 4096),
    9: Wots(Sha256, 18, 16),
    10: Factorised(Sha256, 64, 256),
    11: Merklified(Sha256, 16, 4096),
}


# --- batches --------------------------------------------------------------------------------------------------


def node(left, right):
    return h("node", left + right)


def tree(leaves):
    """All levels."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        levels.append([node(left, right) for left, right in split(levels[-1], 2)])
    return levels


def climb(at, index, siblings):
    for sibling in siblings:
        at = node(sibling, at) if index & 1 else node(at, sibling)
        index //= 2
    return at


def batch_bytes(suite, log2, signer, root):
    return b"quorate-v1-dsig-batch" + u8(suite) + u8(log2) + signer + root


def verify_strictly(key, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    point = ed25519.decompress(r)
    if s >= ed25519.L or not ed25519.is_canonical(r) or point is None:
        raise Refused("BAD_SIGNATURE")
    k = ed25519.challenge(r, key, message)
    expected = ed25519.add(ed25519.mul(s, ed25519.BASE), ed25519.neg(ed25519.mul(k, ed25519.decompress(key))))
    small = ed25519.equal(ed25519.mul(8, point), ed25519.NEUTRAL)
    if small or not ed25519.equal(expected, point):
        raise Refused("BAD_SIGNATURE")


def _header(r, suite):
    if r.uint(1) != suite:
        raise Refused("WRONG_CONTEXT")
    log2 = r.uint(1)
    if log2 > 7:
        raise Refused("MALFORMED")
    return log2


def _zero(r, length):
    if any(r.raw(length)):
        raise Refused("NON_CANONICAL")


class Signature:
    def __init__(self, suite, log2, index, root, salt, nonce, eddsa, siblings, one_time):
        self.suite, self.log2, self.index, self.root, self.salt = suite, log2, index, root, salt
        self.nonce, self.eddsa, self.siblings, self.one_time = nonce, eddsa, siblings, one_time

    @classmethod
    def read(cls, r, suite):
        log2, index = _header(r, suite), r.uint(2)
        if index >= 1 << log2:
            raise Refused("MALFORMED")
        _zero(r, 4)
        root, salt = r.raw(32), r.raw(12)
        _zero(r, 4)
        nonce, eddsa, siblings = r.raw(16), r.raw(64), []
        for level in range(7):
            sibling = r.raw(32)
            if level < log2:
                siblings.append(sibling)
            elif any(sibling):
                raise Refused("NON_CANONICAL")
        one_time = r.raw(SUITES[suite].signature_len)
        return cls(suite, log2, index, root, salt, nonce, eddsa, siblings, one_time)

    def encode(self):
        siblings = b"".join(self.siblings).ljust(7 * 32, b"\0")
        head = u8(self.suite) + u8(self.log2) + u16(self.index) + bytes(4) + self.root + self.salt + bytes(4)
        return head + self.nonce + self.eddsa + siblings + self.one_time

    def digest(self, message):
        return h("message", self.root + u16(self.index) + self.nonce + message, 64)

    def leaf(self, message):
        return SUITES[self.suite].recover(self.digest(message), self.salt, self.one_time)

    def verify_batch(self, signer):
        verify_strictly(signer, batch_bytes(self.suite, self.log2, signer, self.root), self.eddsa)

    def verify(self, signer, message):
        start = self.leaf(message)
        if start is None or climb(start, self.index, self.siblings) != self.root:
            raise Refused("BAD_SIGNATURE")
        self.verify_batch(signer)


class Announcement:
    def __init__(self, suite, log2, eddsa, leaves):
        self.suite, self.log2, self.eddsa, self.leaves = suite, log2, eddsa, leaves
        self.levels = tree(leaves)
        self.root = self.levels[-1][0]

    @classmethod
    def read(cls, r, suite):
        log2 = _header(r, suite)
        _zero(r, 2)
        return cls(suite, log2, r.raw(64), [r.raw(32) for _ in range(1 << log2)])

    def encode(self):
        return u8(self.suite) + u8(self.log2) + bytes(2) + self.eddsa + b"".join(self.leaves)

    def verify(self, signer):
        verify_strictly(signer, batch_bytes(self.suite, self.log2, signer, self.root), self.eddsa)


class Batch:
    """One batch of a signer: its keys in order, and its announcement."""

    def __init__(self, suite, secret, seed, fresh, time, log2):
        self.suite, self.signer, scheme = suite, ED25519.public_key(secret), SUITES[suite]
        batch_seed, self.keys, leaves = h("seed", seed + fresh, 64)[:32], [], []
        for index in range(1 << log2):
            taken, length = 0, 28 + 16 * 4096
            material = batch_seed + u64(time) + u8(suite) + u16(index)
            output = h("secrets", material, length if scheme.signature_len == 4608 else 28 + scheme.signature_len)

            def secrets(n):
                nonlocal taken
                taken += n
                return output[taken - n : taken]  # noqa: B023

            salt, nonce = secrets(12), secrets(16)
            key, public = scheme.generate(secrets, salt)
            self.keys.append((salt, nonce, key))
            leaves.append(public)
        levels = tree(leaves)
        eddsa = ED25519.sign(secret, batch_bytes(suite, log2, self.signer, levels[-1][0]))
        self.announcement = Announcement(suite, log2, eddsa, leaves)

    def sign(self, index, message):
        """With the key at this place, whether or not it has signed."""
        a, (salt, nonce, key) = self.announcement, self.keys[index]
        siblings = [level[(index >> i) ^ 1] for i, level in enumerate(a.levels[:-1])]
        signature = Signature(self.suite, a.log2, index, a.root, salt, nonce, a.eddsa, siblings, b"")
        signature.one_time = SUITES[self.suite].sign(key, signature.digest(message), salt)
        return signature


@cache
def batch(*arguments):
    """The batch, made once."""
    return Batch(*arguments)


# --- state of a verifier --------------------------------------------------------------------------------------


class Verifier:
    def __init__(self, suite, signers, announced, checked, burst, interval):
        self.suite, self.burst, self.interval = suite, burst, interval
        self.limits = {"announced": announced, "checked": checked}
        self.peers = {s: {"announced": [], "checked": [], "tokens": burst, "refilled": 0} for s in signers}

    def _peer(self, signer):
        if signer not in self.peers:
            raise Refused("WRONG_CONTEXT")
        return self.peers[signer]

    def _push(self, peer, queue, known):
        if len(peer[queue]) == self.limits[queue]:
            peer[queue].pop(0)
        peer[queue].append(known)

    def announce(self, signer, data, time):
        peer = self._peer(signer)
        peer["refilled"] = min(peer["refilled"], time)
        earned = (time - peer["refilled"]) // self.interval
        peer["tokens"] = min(self.burst, peer["tokens"] + earned)
        peer["refilled"] += earned * self.interval
        if peer["tokens"] == 0:
            raise Refused("RATE_LIMITED")
        peer["tokens"] -= 1
        a = wire.whole(data, lambda r: Announcement.read(r, self.suite))
        a.verify(signer)
        keys = a.root, a.log2
        if all(known["keys"] != keys for known in peer["announced"]):
            before = [known for known in peer["checked"] if known["keys"] == keys]
            peer["checked"] = [known for known in peer["checked"] if known["keys"] != keys]
            used = before[0]["used"] if before else {}
            self._push(peer, "announced", {"keys": keys, "eddsa": a.eddsa, "used": used})

    def _known(self, signer, s, exactly):
        for known in self.peers[signer]["announced"] + self.peers[signer]["checked"]:
            if known["keys"] == (s.root, s.log2) and (not exactly or known["eddsa"] == s.eddsa):
                return known
        return None

    def fast(self, signer, s):
        return signer in self.peers and self._known(signer, s, True) is not None

    def verify(self, signer, message, s):
        """Verifies without shortcuts: the known batches matter only for reuse."""
        peer = self._peer(signer)
        s.verify(signer, message)
        known = self._known(signer, s, False)
        if known is None:
            known = {"keys": (s.root, s.log2), "eddsa": s.eddsa, "used": {}}
            self._push(peer, "checked", known)
        if known["used"].setdefault(s.index, s.digest(message)) != s.digest(message):
            raise Refused("ONE_TIME_REUSE")


def read_reuse(r, suite):
    signer = ED25519.decode_key(r.raw(32))
    return signer, [(r.blob(1 << 24), Signature.read(r, suite)) for _ in range(2)]


def verify_reuse(signer, signed):
    (m, one), (n, other) = signed
    if one.digest(m) == other.digest(n) or one.leaf(m) != other.leaf(n):
        raise Refused("NOT_EVIDENCE")
    for message, signature in signed:
        signature.verify(signer, message)
