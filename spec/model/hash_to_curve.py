"""hash_to_curve of RFC 9380 for BLS12381G1_XMD:SHA-256_SSWU_RO_ and BLS12381G2_XMD:SHA-256_SSWU_RO_."""

import hashlib

from .curve import G1, G2
from .field import Fp, P
from .isogeny import G1_ISOGENY, G2_ISOGENY


class Suite:
    """One suite of RFC 9380, section 8.8: the isogenous curve y² = x³ + a·x + b, Z, the isogeny and h_eff."""

    def __init__(self, group, a, b, z, isogeny, h_eff):
        self.group, self.a, self.b, self.z, self.isogeny, self.h_eff = group, a, b, z, isogeny, h_eff


SUITES = {
    "G1": Suite(
        G1,
        0x144698A3B8E9433D693A02C96D4982B0EA985383EE66A8D8E8981AEFD881AC98936F8DA0E0F97F5CF428082D584C1D,
        0x12E2908D11688030018B12E8753EEE3B2016C1F0F24F4070A0B9C14FCEF35EF55A23215A316CEAA5D1CC48E98E172BE0,
        11,
        G1_ISOGENY,
        0xD201000000010001,
    ),
    "G2": Suite(
        G2,
        (0, 240),
        (1012, 1012),
        (P - 2, P - 1),
        G2_ISOGENY,
        0xBC69F08F2EE75B3584C6A0EA91B352888E2A8E9145AD7689986FF031508FFE1329C2F178731DB956D82BF015D1212B02EC0EC69D7477C1AE954CBC06689F6A359894C0ADEBBF6B4E8020005AAA95551,
    ),
}


def expand_message_xmd(message, dst, length):
    """RFC 9380, section 5.3.1, with SHA-256."""
    assert len(dst) <= 255 and length <= 255 * 32
    dst_prime = dst + bytes([len(dst)])
    b0 = hashlib.sha256(bytes(64) + message + length.to_bytes(2, "big") + b"\0" + dst_prime).digest()
    out = block = hashlib.sha256(b0 + b"\x01" + dst_prime).digest()
    for i in range(2, -(-length // 32) + 1):
        block = hashlib.sha256(bytes(x ^ y for x, y in zip(b0, block)) + bytes([i]) + dst_prime).digest()
        out += block
    return out[:length]


def hash_to_field(field, message, dst):
    """Two field elements; section 5.2 with L = 64."""
    degree = field.BYTES // 48
    data = expand_message_xmd(message, dst, 2 * degree * 64)
    numbers = [int.from_bytes(data[i : i + 64], "big") % P for i in range(0, len(data), 64)]
    return tuple(numbers) if field is Fp else tuple(zip(numbers[::2], numbers[1::2]))


def map_to_curve(suite, u):
    """Simplified SWU on the isogenous curve (section 6.6.2), then the isogeny (section 6.6.3)."""
    f, a, b, z = suite.group.field, suite.a, suite.b, suite.z
    zu2 = f.mul(z, f.mul(u, u))
    tv1 = f.inv(f.add(f.mul(zu2, zu2), zu2))
    ba = f.mul(f.neg(b), f.inv(a))
    x1 = f.mul(ba, f.add(f.ONE, tv1)) if tv1 != f.ZERO else f.mul(b, f.inv(f.mul(z, a)))
    for x in (x1, f.mul(zu2, x1)):
        y = f.sqrt(f.add(f.mul(f.add(f.mul(x, x), a), x), b))
        if y is not None:
            break
    if f.sgn0(u) != f.sgn0(y):
        y = f.neg(y)
    return _isogeny(f, suite.isogeny, x, y)


def _isogeny(f, maps, x, y):
    values = []
    for coefficients in maps:
        value = f.ZERO
        for c in reversed(coefficients):
            value = f.add(f.mul(value, x), c)
        values.append(value)
    x_num, x_den, y_num, y_den = values
    if x_den == f.ZERO or y_den == f.ZERO:
        return None
    return (f.mul(x_num, f.inv(x_den)), f.mul(y, f.mul(y_num, f.inv(y_den))))


_cache = {}


def hash_to_curve(name, message, dst):
    """A point of the subgroup. `name` is "G1" or "G2"."""
    key = (name, message, dst)
    if key not in _cache:
        suite = SUITES[name]
        q0, q1 = (map_to_curve(suite, u) for u in hash_to_field(suite.group.field, message, dst))
        assert suite.group.on_curve(q0) and suite.group.on_curve(q1)
        _cache[key] = suite.group.mul(suite.group.add(q0, q1), suite.h_eff)
    return _cache[key]
