"""Threshold encryption (`spec/threshold-encryption.md`)."""

from functools import cache

from . import chacha20poly1305, dleq, wire
from .dleq import challenge, element, h, times, wide
from .errors import Refused
from .ristretto import GENERATOR, ORDER, add, decode, encode, from_uniform, mul, neg, scalar
from .wire import blob, u16, u64

PURPOSE = 1
MAX_PLAINTEXT, OVERHEAD = 1 << 25, 48
NONCE = bytes(12)


@cache
def g_bar():
    return from_uniform(h("tdh2-generator", b"", 64))


def doubled(point):
    return encode(add(point, point))


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def payload_keys(wrapped):
    """The cipher's key and the commitment."""
    both = h("tdh2-wrapped", wrapped, 64)
    return both[:32], both[32:]


def seal(wrapped, plaintext):
    key, commitment = payload_keys(wrapped)
    return commitment + chacha20poly1305.encrypt(key, NONCE, b"", plaintext)


def open_payload(wrapped, payload):
    """The plaintext; or "other key" or "broken"."""
    key, commitment = payload_keys(wrapped)
    if payload[:32] != commitment:
        return "other key"
    plaintext = chacha20poly1305.decrypt(key, NONCE, b"", payload[32:])
    return "broken" if plaintext is None else plaintext


class Label:
    def __init__(self, committee, epoch, proposer, payload):
        self.committee, self.epoch, self.proposer, self.payload = committee, epoch, proposer, payload

    def encode(self):
        return self.committee + u64(self.epoch) + u16(self.proposer) + self.payload


class Ciphertext:
    def __init__(self, wrapped, u, u_bar, e, f, label, payload):
        self.wrapped, self.u, self.u_bar, self.e, self.f = wrapped, u, u_bar, e, f
        self.label, self.payload = label, payload

    def header(self):
        numbers = self.e.to_bytes(32, "little") + self.f.to_bytes(32, "little")
        return self.wrapped + self.u + self.u_bar + numbers + self.label.encode()

    def encode(self):
        return self.header() + blob(self.payload)

    @staticmethod
    def read(reader):
        wrapped, u, u_bar = reader.raw(32), element(reader), element(reader)
        e = int.from_bytes(reader.raw(16), "little")
        if any(reader.raw(16)):
            raise Refused("NON_CANONICAL")
        f = scalar(reader.raw(32))
        label = Label(reader.raw(32), reader.uint(8), reader.uint(2), reader.raw(32))
        payload = reader.blob(MAX_PLAINTEXT + OVERHEAD)
        if len(payload) < OVERHEAD:
            raise Refused("MALFORMED")
        return Ciphertext(wrapped, u, u_bar, e, f, label, payload)

    def challenge(self, key, w, w_bar):
        """w and w̄ are passed as encodings of their doubles."""
        data = key + self.wrapped + self.label.encode() + self.u + w + self.u_bar + w_bar
        return challenge(h("tdh2-validity", data))

    def prove(self, key, r, s):
        self.e = self.challenge(key, doubled(mul(s, GENERATOR)), doubled(mul(s, g_bar())))
        self.f = (s + self.e * r) % ORDER

    def check(self, keys, epoch, proposer):
        """The instance of which members make shares."""
        label = self.label
        if (label.committee, label.epoch, label.proposer) != (keys.committee, epoch, proposer):
            raise Refused("WRONG_CONTEXT")
        if label.payload != h("tdh2-payload", self.payload):
            raise Refused("BAD_CIPHERTEXT")
        w = add(mul(self.f, GENERATOR), neg(mul(self.e, decode(self.u))))
        w_bar = add(mul(self.f, g_bar()), neg(mul(self.e, decode(self.u_bar))))
        if self.challenge(keys.key, doubled(w), doubled(w_bar)) != self.e:
            raise Refused("BAD_CIPHERTEXT")
        return dleq.Instance(keys, self.u, h("tdh2-ciphertext", keys.key + self.header()))

    def unwrap(self, secret):
        return xor(self.wrapped, h("tdh2-pad", self.u + encode(secret)))

    def open(self, secret):
        """With r·H."""
        return open_payload(self.unwrap(secret), self.payload)

    def combine(self, keys, instance, shares):
        opened = self.open(dleq.combine(keys, instance, shares))
        if isinstance(opened, str):
            raise Refused("BAD_CIPHERTEXT")
        return opened


def encrypt(keys, epoch, proposer, plaintext, random, payload=None):
    """`random` is 160 bytes: the wrapped key, r and s. A dishonest author may choose the payload."""
    if len(plaintext) > MAX_PLAINTEXT:
        raise Refused("TOO_LARGE")
    key, r, s = random[:32], wide(random[32:96]), wide(random[96:])
    payload = seal(key, plaintext) if payload is None else payload
    label = Label(keys.committee, epoch, proposer, h("tdh2-payload", payload))
    u = encode(mul(r, GENERATOR))
    wrapped = xor(key, h("tdh2-pad", u + times(keys.key, r)))
    ciphertext = Ciphertext(wrapped, u, encode(mul(r, g_bar())), 0, 0, label, payload)
    ciphertext.prove(keys.key, r, s)
    return ciphertext


class Decryption:
    """Combines first, and verifies shares if that fails."""

    def __init__(self, keys, ciphertext, instance):
        self.ciphertext, self.pool, self.hopeful, self.done = ciphertext, dleq.Pool(keys, instance), True, False

    def add(self, share, faults):
        """The plaintext, or None."""
        if self.done:
            return None
        pool = self.pool
        pool.hold(share, faults)
        if not pool.is_enough():
            return None
        if self.hopeful:
            opened = self.ciphertext.open(dleq.interpolate(pool.keys, pool.held()))
            if opened != "other key":
                return self.finish(opened)
            self.hopeful = False
        pool.verify_pending(faults)
        if len(pool.verified) < pool.keys.needed:
            return None
        return self.finish(self.ciphertext.open(dleq.interpolate(pool.keys, pool.held())))

    def finish(self, opened):
        self.done = True
        if isinstance(opened, str):
            raise Refused("BAD_CIPHERTEXT")
        return opened


def read(data):
    return wire.whole(data, Ciphertext.read)
