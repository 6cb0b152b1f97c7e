"""ristretto255 (RFC 9496, section 4): a group of prime order whose elements are sets of four points of edwards25519.

Points are those of `ed25519.py`; two of one element differ, and `equal` and `encode` do not tell them apart.
"""

from .ed25519 import BASE, D, L, NEUTRAL, P, SQRT_M1, add, mul, neg
from .errors import Refused

ORDER, GENERATOR = L, BASE
# The roots of section 4.1 are the even ones, where the RFC does not say otherwise.
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235


def is_negative(x):
    return x & 1


def absolute(x):
    return P - x if is_negative(x) else x


def sqrt_ratio(u, v):
    """Returns whether u/v is a square, and its even root, or that of i·u/v (section 4.2)."""
    r = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    check = v * r * r % P
    correct, flipped, flipped_i = check == u % P, check == -u % P, check == -u * SQRT_M1 % P
    if flipped or flipped_i:
        r = r * SQRT_M1 % P
    return correct or flipped, absolute(r)


def decode(data):
    """The element (section 4.3.1). Bytes of no element are `MALFORMED`, other encodings of an element `NON_CANONICAL`."""
    if len(data) != 32:
        raise Refused("MALFORMED")
    s = int.from_bytes(data, "little")
    if s >= P or is_negative(s):
        raise Refused("NON_CANONICAL")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    square, root = sqrt_ratio(1, v * u2 * u2 % P)
    x_den = root * u2 % P
    y_den = root * x_den * v % P
    x, y = absolute(2 * s * x_den % P), u1 * y_den % P
    t = x * y % P
    if not square or is_negative(t) or y == 0:
        raise Refused("MALFORMED")
    return (x, y, 1, t)


def encode(point):
    """32 bytes (section 4.3.2)."""
    x0, y0, z0, t0 = point
    u1, u2 = (z0 + y0) * (z0 - y0) % P, x0 * y0 % P
    _, root = sqrt_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = root * u1 % P, root * u2 % P
    z_inv = den1 * den2 * t0 % P
    rotate = is_negative(t0 * z_inv % P)
    if rotate:
        x, y, den_inv = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den_inv = x0, y0, den2
    if is_negative(x * z_inv % P):
        y = -y % P
    return absolute(den_inv * (z0 - y) % P).to_bytes(32, "little")


def equal(p, q):
    """Section 4.3.3."""
    return (p[0] * q[1] - p[1] * q[0]) % P == 0 or (p[1] * q[1] - p[0] * q[0]) % P == 0


def _map(t):
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D) % P
    v = (-1 - r * D) * (r + D) % P
    square, s = sqrt_ratio(u, v)
    c = P - 1
    if not square:
        s, c = -absolute(s * t % P) % P, r
    n = (c * (r - 1) * (D - 1) ** 2 - v) % P
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return (w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)


def from_uniform(data):
    """The element of 64 uniform bytes (section 4.3.4)."""
    halves = (int.from_bytes(data[i : i + 32], "little") % 2**255 % P for i in (0, 32))
    first, second = map(_map, halves)
    return add(first, second)


def scalar(data):
    """A canonical number below the group's order."""
    value = int.from_bytes(data, "little")
    if value >= ORDER:
        raise Refused("NON_CANONICAL")
    return value


def total(terms):
    """Σ scalar·element."""
    result = NEUTRAL
    for factor, point in terms:
        result = add(result, mul(factor % ORDER, point))
    return result


__all__ = ["GENERATOR", "NEUTRAL", "ORDER", "add", "decode", "encode", "equal", "from_uniform", "mul", "neg", "scalar", "total"]
