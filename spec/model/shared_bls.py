"""BLS threshold signatures (`spec/threshold.md`)."""

from dataclasses import dataclass

from . import wire
from .ecdsa import MAX_ATTESTATION, MAX_MESSAGE, MAX_PARTIES, h
from .errors import Refused
from .field import R
from .sharing import evaluate
from .wire import blob, u8, u16


@dataclass(frozen=True)
class Key:
    scheme: object
    committee: bytes
    parties: int
    faulty: int
    agreed: bool
    public: bytes
    members: tuple

    @property
    def id(self):
        return h("threshold-key", self.encode())

    @property
    def needed(self):
        return self.faulty + 1 if self.agreed else (self.parties + self.faulty) // 2 + 1

    def encode(self):
        head = u8(16 + self.scheme.suite) + self.committee + u16(self.parties) + u16(self.faulty)
        return head + u8(1 if self.agreed else 2) + self.public + b"".join(self.members)

    @classmethod
    def read(cls, r, scheme):
        if r.uint(1) != 16 + scheme.suite:
            raise Refused("WRONG_CONTEXT")
        committee, parties, faulty = r.raw(32), r.uint(2), r.uint(2)
        if not 3 * faulty < parties <= MAX_PARTIES:
            raise Refused("BAD_COMMITTEE")
        agreement = r.uint(1)
        if agreement not in (1, 2):
            raise Refused("MALFORMED")
        keys = []
        for _ in range(1 + parties):
            keys.append(r.raw(scheme.keys.compressed))
            scheme.decode_key(keys[-1])
        return cls(scheme, committee, parties, faulty, agreement == 1, keys[0], tuple(keys[1:]))

    def digest(self, message):
        return h("threshold-signing", self.id + message)


def deal(scheme, committee, parties, faulty, agreed, draw):
    """The key, and each party's file."""
    blank = Key(scheme, committee, parties, faulty, agreed, b"", ())
    coefficients = [draw() for _ in range(blank.needed)]
    secrets = [evaluate(coefficients, at, R) for at in range(parties + 1)]
    public, *members = [scheme.encode_key(scheme.public_key(secret)) for secret in secrets]
    key = Key(scheme, committee, parties, faulty, agreed, public, tuple(members))
    files = [key.encode() + u16(at) + secret.to_bytes(32, "big") for at, secret in enumerate(secrets[1:])]
    return key, files


def read_file(data, scheme):
    r = wire.Reader(data)
    key, member = Key.read(r, scheme), r.uint(2)
    secret = scheme.secret(r.raw(32))
    r.end()
    if member >= key.parties:
        raise Refused("UNKNOWN_SIGNER")
    if key.members[member] != scheme.encode_key(scheme.public_key(secret)):
        raise Refused("WRONG_CONTEXT")
    return key, member, secret


@dataclass(frozen=True)
class Share:
    scheme: object
    member: int
    digest: bytes
    signature: bytes
    attestation: bytes = b""

    def encode(self):
        head = u8(16 + self.scheme.suite) + u16(self.member) + self.digest
        return head + self.signature + blob(self.attestation)

    @classmethod
    def read(cls, r, scheme):
        if r.uint(1) != 16 + scheme.suite:
            raise Refused("WRONG_CONTEXT")
        member, digest, signature = r.uint(2), r.raw(32), r.raw(scheme.sig_len)
        scheme.decode_signature(signature)
        return cls(scheme, member, digest, signature, r.blob(MAX_ATTESTATION))


def sign(file, scheme, message):
    key, member, secret = read_file(file, scheme)
    return Share(scheme, member, key.digest(message), scheme.encode_signature(scheme.sign(secret, message)))


def combine(key, message, shares):
    """Combines exactly the needed number of shares."""
    scheme = key.scheme
    for share in shares:
        if share.digest != key.digest(message):
            raise Refused("WRONG_CONTEXT")
        if share.member >= key.parties:
            raise Refused("UNKNOWN_SIGNER")
    xs = [share.member + 1 for share in shares]
    if len(set(xs)) < len(xs):
        raise Refused("DUPLICATE_SIGNER")
    if len(xs) < key.needed:
        raise Refused("BELOW_QUORUM")
    total = None
    for x, share in zip(xs, shares):
        above = below = 1
        for other in xs:
            if other != x:
                above, below = above * other % R, below * (other - x) % R
        factor = above * pow(below, -1, R) % R
        total = scheme.sigs.add(total, scheme.sigs.mul(scheme.decode_signature(share.signature), factor))
    scheme.verify(scheme.decode_key(key.public), message, total)
    return scheme.encode_signature(total)


def verify_evidence(data, key):
    r = wire.Reader(data)
    message, share = r.blob(MAX_MESSAGE), Share.read(r, key.scheme)
    r.end()
    if share.digest != key.digest(message):
        raise Refused("WRONG_CONTEXT")
    if share.member >= key.parties:
        raise Refused("UNKNOWN_SIGNER")
    try:
        member = key.scheme.decode_key(key.members[share.member])
        key.scheme.verify(member, message, key.scheme.decode_signature(share.signature))
    except Refused:
        return share.member
    raise Refused("NOT_EVIDENCE")


def beacon(signature):
    return h("bls-beacon", signature)
