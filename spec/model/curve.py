"""The groups G1 and G2 of BLS12-381: points, encodings, subgroup.

A point is None (infinity) or (x, y), affine. Encodings are those of the zkcrypto convention that all
implementations share: big endian, three flag bits on top (compressed, infinity, larger y).
"""

from functools import cache

from .errors import Refused
from .field import Fp, Fp2, R


class Group:
    """y² = x³ + b over `field`, with a generator of the subgroup of order R."""

    def __init__(self, name, field, b, generator, cofactor):
        self.name, self.field, self.b, self.generator, self.cofactor = name, field, b, generator, cofactor
        self.compressed = field.BYTES
        self.uncompressed = 2 * field.BYTES

    def on_curve(self, point):
        if point is None:
            return True
        f, (x, y) = self.field, point
        return f.mul(y, y) == f.add(f.mul(f.mul(x, x), x), self.b)

    def neg(self, point):
        return None if point is None else (point[0], self.field.neg(point[1]))

    def slope(self, p, q):
        """The slope of the line through two points that are not each other's negation; of the tangent if they are equal."""
        f = self.field
        if p == q:
            xx = f.mul(p[0], p[0])
            return f.mul(f.add(f.add(xx, xx), xx), f.inv(f.add(p[1], p[1])))
        return f.mul(f.sub(q[1], p[1]), f.inv(f.sub(q[0], p[0])))

    def add(self, p, q):
        if p is None:
            return q
        if q is None:
            return p
        f = self.field
        if p[0] == q[0] and (p[1] != q[1] or p[1] == f.ZERO):
            return None
        s = self.slope(p, q)
        x = f.sub(f.sub(f.mul(s, s), p[0]), q[0])
        return (x, f.sub(f.mul(s, f.sub(p[0], x)), p[1]))

    def sum(self, points):
        total = None
        for point in points:
            total = self.add(total, point)
        return total

    @cache  # Many cases sign and verify the same values.
    def mul(self, point, scalar):
        """scalar·point, for any integer, in Jacobian coordinates (one inversion at the end)."""
        if scalar < 0:
            return self.mul(self.neg(point), -scalar)
        if point is None or scalar == 0:
            return None
        f = self.field
        acc = None
        for bit in bin(scalar)[2:]:
            acc = self._double(acc)
            if bit == "1":
                acc = self._add_affine(acc, point)
        if acc is None:
            return None
        zi = f.inv(acc[2])
        zi2 = f.mul(zi, zi)
        return (f.mul(acc[0], zi2), f.mul(acc[1], f.mul(zi2, zi)))

    def _double(self, p):
        f = self.field
        if p is None or p[1] == f.ZERO:
            return None
        x, y, z = p
        yy, xx = f.mul(y, y), f.mul(x, x)
        s = f.mul(x, yy)
        s = f.add(s, s)
        s = f.add(s, s)
        m = f.add(f.add(xx, xx), xx)
        x3 = f.sub(f.mul(m, m), f.add(s, s))
        y4 = f.mul(yy, yy)
        y4 = f.add(y4, y4)
        y4 = f.add(y4, y4)
        y4 = f.add(y4, y4)
        z3 = f.mul(y, z)
        return (x3, f.sub(f.mul(m, f.sub(s, x3)), y4), f.add(z3, z3))

    def _add_affine(self, p, q):
        f = self.field
        if p is None:
            return (q[0], q[1], f.ONE)
        x, y, z = p
        zz = f.mul(z, z)
        h = f.sub(f.mul(q[0], zz), x)
        r = f.sub(f.mul(q[1], f.mul(z, zz)), y)
        if h == f.ZERO:
            return self._double(p) if r == f.ZERO else None
        hh = f.mul(h, h)
        hhh, v = f.mul(h, hh), f.mul(x, hh)
        x3 = f.sub(f.sub(f.mul(r, r), hhh), f.add(v, v))
        return (x3, f.sub(f.mul(r, f.sub(v, x3)), f.mul(y, hhh)), f.mul(z, h))

    def in_subgroup(self, point):
        return self.mul(point, R) is None

    # --- encodings -------------------------------------------------------------------------------------------

    def encode(self, point):
        """Compressed."""
        if point is None:
            return b"\xc0" + bytes(self.compressed - 1)
        flags = 0x80 | (0x20 if self.field.larger(point[1]) else 0)
        data = self.field.to_bytes(point[0])
        return bytes([data[0] | flags]) + data[1:]

    def encode_uncompressed(self, point):
        if point is None:
            return b"\x40" + bytes(self.uncompressed - 1)
        return self.field.to_bytes(point[0]) + self.field.to_bytes(point[1])

    def decode(self, data):
        """A point on the curve, in the subgroup or not. Refuses non-canonical encodings of a point."""
        if len(data) != self.compressed:
            raise Refused("MALFORMED")
        if not data[0] & 0x80:
            raise Refused("NON_CANONICAL")
        if data[0] & 0x40:
            if data != b"\xc0" + bytes(self.compressed - 1):
                raise Refused("MALFORMED")
            return None
        x = self.field.from_bytes(bytes([data[0] & 0x1F]) + data[1:])
        y = None if x is None else self._y(x)
        if y is None:
            raise Refused("MALFORMED")
        return (x, y if self.field.larger(y) == bool(data[0] & 0x20) else self.field.neg(y))

    def decode_uncompressed(self, data):
        """As `decode`, for the longer form."""
        if len(data) != self.uncompressed:
            raise Refused("MALFORMED")
        if data[0] & 0x80:
            raise Refused("NON_CANONICAL")
        if data[0] & 0x20:
            raise Refused("MALFORMED")
        if data[0] & 0x40:
            if data != b"\x40" + bytes(self.uncompressed - 1):
                raise Refused("MALFORMED")
            return None
        half = self.field.BYTES
        x, y = self.field.from_bytes(data[:half]), self.field.from_bytes(data[half:])
        if x is None or y is None or not self.on_curve((x, y)):
            raise Refused("MALFORMED")
        return (x, y)

    def _y(self, x):
        f = self.field
        return f.sqrt(f.add(f.mul(f.mul(x, x), x), self.b))

    def outside_subgroup(self, seed):
        """A point on the curve outside the subgroup of order R; another one for each `seed`."""
        f, n = self.field, seed
        while True:
            x = n if f is Fp else (n, 1)
            y = self._y(x)
            if y is not None and not self.in_subgroup((x, y)):
                return (x, y)
            n += 1


G1 = Group(
    "G1",
    Fp,
    4,
    (
        0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
        0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
    ),
    0x396C8C005555E1568C00AAAB0000AAAB,
)
G2 = Group(
    "G2",
    Fp2,
    (4, 4),
    (
        (
            0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
            0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
        ),
        (
            0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
            0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
        ),
    ),
    0x5D543A95414E7F1091D50792876A202CD91DE4547085ABAA68A205B2E5A7DDFA628F1CB4D9E82EF21537E293A6691AE1616EC6E786F0C70CF1C38E31C7238E5,
)
for _group in (G1, G2):
    assert _group.on_curve(_group.generator) and _group.in_subgroup(_group.generator)
