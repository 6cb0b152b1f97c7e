"""secp256k1 (SEC 2, section 2.4.1), in affine coordinates. The neutral element is None."""

from functools import cache

from .errors import Refused

P = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
NEUTRAL = None


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0]:
        if (p[1] + q[1]) % P == 0:
            return None
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, P) % P
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P) % P
    x = (slope * slope - p[0] - q[0]) % P
    return (x, (slope * (p[0] - x) - p[1]) % P)


@cache
def _multiples():
    """Of the generator: 1 to 255 times each power of 256."""
    point, rows = GENERATOR, []
    for _ in range(32):
        row = [None, point]
        while len(row) < 256:
            row.append(add(row[-1], point))
        rows.append(row)
        point = add(row[-1], point)
    return rows


def mul(scalar, point):
    total, scalar = None, scalar % ORDER
    if point == GENERATOR:
        for row, digit in zip(_multiples(), scalar.to_bytes(32, "little")):
            total = add(total, row[digit])
        return total
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def equal(p, q):
    return p == q


def encode(point):
    """33 bytes (SEC 1, section 2.3.3, compressed)."""
    return bytes(33) if point is None else bytes([2 + (point[1] & 1)]) + point[0].to_bytes(32, "big")


def decode(data):
    if data == bytes(33):
        raise Refused("INFINITY")
    x = int.from_bytes(data[1:], "big")
    yy = (x**3 + 7) % P
    y = pow(yy, (P + 1) // 4, P)
    if data[0] not in (2, 3) or x >= P or y * y % P != yy:
        raise Refused("MALFORMED")
    return (x, y if y & 1 == data[0] & 1 else P - y)
