"""Ed25519 with the one verification rule of `spec/ed25519.md`. Arithmetic after RFC 8032, section 5.1."""

import hashlib

from .ciphersuite import DEFAULT
from .errors import Refused
from .wire import POSSESSION_ED25519

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


# Points are extended coordinates (X, Y, Z, T).
NEUTRAL = (0, 1, 1, 0)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def mul(scalar, point):
    total = NEUTRAL
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def neg(p):
    return (-p[0] % P, p[1], p[2], -p[3] % P)


def equal(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def compress(p):
    z = pow(p[2], -1, P)
    x, y = p[0] * z % P, p[1] * z % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decompress(data):
    """The point, or None. Accepts non-canonical encodings too; the rule refuses them earlier."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, (y & (1 << 255) - 1) % P
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * SQRT_M1 % P
    if (x * x - xx) % P:
        return None
    if x & 1 != sign:
        x = -x % P
    return (x, y, 1, x * y % P)


def is_canonical(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    return y < P and not (sign and y in (1, P - 1))


BASE = decompress(bytes([0x58] + [0x66] * 31))
# A generator of the torsion subgroup, of order 8: ℓ times a point whose order is 8ℓ.
TORSION = next(
    t
    for y in range(2, 1000)
    for p in [decompress(y.to_bytes(32, "little"))]
    if p is not None
    for t in [mul(L, p)]
    if not equal(mul(4, t), NEUTRAL)
)
SMALL_ORDER = [mul(i, TORSION) for i in range(8)]


def challenge(r, key, message):
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L


def expand(seed):
    """The secret scalar and the nonce prefix of RFC 8032."""
    h = hashlib.sha512(seed).digest()
    return int.from_bytes(h[:32], "little") & (1 << 254) - 8 | 1 << 254, h[32:]


class Ed25519:
    """The operations of the suite, with the names that `bls.Variant` has too. Keys and signatures are bytes."""

    suite, name = 3, "ed25519"
    key_len, sig_len, link_len = 32, 64, 64
    has_ciphersuites = False

    def secret(self, data):
        if len(data) != 32:
            raise Refused("MALFORMED")
        return data

    def decode_key(self, data):
        if len(data) != 32:
            raise Refused("MALFORMED")
        if not is_canonical(data):
            raise Refused("NON_CANONICAL")
        point = decompress(data)
        if point is None:
            raise Refused("MALFORMED")
        if equal(mul(8, point), NEUTRAL):
            raise Refused("INFINITY")
        return data

    def encode_key(self, key):
        return key

    def decode_signature(self, data):
        if len(data) != 64:
            raise Refused("MALFORMED")
        if not is_canonical(data[:32]) or int.from_bytes(data[32:], "little") >= L:
            raise Refused("NON_CANONICAL")
        return data

    decode_link_signature = decode_signature

    def encode_signature(self, signature):
        return signature

    encode_link_signature = encode_signature

    def public_key(self, secret):
        return compress(mul(expand(secret)[0], BASE))

    def sign(self, secret, message):
        a, prefix = expand(secret)
        key = compress(mul(a, BASE))
        r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
        big_r = compress(mul(r, BASE))
        return big_r + ((r + challenge(big_r, key, message) * a) % L).to_bytes(32, "little")

    def verify(self, key, message, signature):
        r = decompress(signature[:32])
        if r is None:
            raise Refused("BAD_SIGNATURE")
        s, k = int.from_bytes(signature[32:], "little"), challenge(signature[:32], key, message)
        difference = add(mul(s, BASE), neg(add(r, mul(k, decompress(key)))))
        if not equal(mul(8, difference), NEUTRAL):
            raise Refused("BAD_SIGNATURE")

    def _possession(self, key):
        return POSSESSION_ED25519.encode() + key

    def prove_possession(self, secret):
        return self.sign(secret, self._possession(self.public_key(secret)))

    def verify_possession(self, key, possession):
        try:
            self.verify(key, self._possession(key), possession)
        except Refused:
            raise Refused("BAD_POSSESSION") from None

    # --- what certificates need -------------------------------------------------------------------------------

    def check_committee_keys(self, keys):
        pass

    def negated_key(self, key):
        return key[:31] + bytes([key[31] ^ 0x80])

    def encode_proof(self, signatures):
        return b"".join(signatures[i] for i in sorted(signatures))

    def read_proof(self, reader, signers):
        return {i: self.decode_signature(reader.raw(64)) for i in sorted(signers)}

    def verify_claims(self, claims, proof, ciphersuite=DEFAULT):
        """The definition: verifies every signature separately. A batch must have the same result."""
        assert ciphersuite == DEFAULT
        for message, keys in claims:
            for member, key in keys.items():
                self.verify(key, message, proof[member])


ED25519 = Ed25519()
