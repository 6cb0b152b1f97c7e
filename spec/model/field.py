"""The fields of BLS12-381, as plain functions on integers and tuples.

Fp  : int modulo P
Fp2 : (a, b) = a + b·u,          u² = −1
Fp6 : (a, b, c) = a + b·v + c·v², v³ = 1 + u
Fp12: (a, b) = a + b·w,          w² = v
"""

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
X = -0xD201000000010000  # the curve's parameter
assert R == X**4 - X**2 + 1 and P == (X - 1) ** 2 * R // 3 + X


class Fp:
    """Field operations for curves over Fp."""

    ZERO, ONE = 0, 1
    BYTES = 48

    @staticmethod
    def add(a, b):
        return (a + b) % P

    @staticmethod
    def sub(a, b):
        return (a - b) % P

    @staticmethod
    def mul(a, b):
        return a * b % P

    @staticmethod
    def neg(a):
        return -a % P

    @staticmethod
    def inv(a):
        return pow(a, -1, P) if a else 0  # inv0 of RFC 9380

    @staticmethod
    def sqrt(a):
        """A square root, or None."""
        root = pow(a, (P + 1) // 4, P)
        return root if root * root % P == a else None

    @staticmethod
    def sgn0(a):
        return a & 1

    @staticmethod
    def larger(a):
        """Whether `a` is lexicographically larger than its negation: the sign bit of compressed points."""
        return a > (P - 1) // 2

    @staticmethod
    def to_bytes(a):
        return a.to_bytes(48, "big")

    @staticmethod
    def from_bytes(data):
        """The element, or None if the number is not below P."""
        a = int.from_bytes(data, "big")
        return a if a < P else None


class Fp2:
    """Field operations for curves over Fp2."""

    ZERO, ONE = (0, 0), (1, 0)
    BYTES = 96

    @staticmethod
    def add(a, b):
        return ((a[0] + b[0]) % P, (a[1] + b[1]) % P)

    @staticmethod
    def sub(a, b):
        return ((a[0] - b[0]) % P, (a[1] - b[1]) % P)

    @staticmethod
    def mul(a, b):
        x, y = a[0] * b[0], a[1] * b[1]
        return ((x - y) % P, ((a[0] + a[1]) * (b[0] + b[1]) - x - y) % P)

    @staticmethod
    def neg(a):
        return (-a[0] % P, -a[1] % P)

    @staticmethod
    def inv(a):
        norm = (a[0] * a[0] + a[1] * a[1]) % P
        if norm == 0:
            return (0, 0)
        n = pow(norm, -1, P)
        return (a[0] * n % P, -a[1] * n % P)

    @staticmethod
    def sqrt(a):
        """A square root, or None: by the norm, in Fp."""
        if a[1] == 0:
            root = Fp.sqrt(a[0])
            return (root, 0) if root is not None else (0, Fp.sqrt(-a[0] % P))
        norm = Fp.sqrt((a[0] * a[0] + a[1] * a[1]) % P)
        if norm is None:
            return None
        half = (P + 1) // 2
        for n in (norm, -norm % P):
            x = Fp.sqrt((a[0] + n) * half % P)
            if x:
                return (x, a[1] * pow(2 * x, -1, P) % P)
        return None

    @staticmethod
    def sgn0(a):
        return (a[0] & 1) | ((a[0] == 0) & (a[1] & 1))

    @staticmethod
    def larger(a):
        return Fp.larger(a[1]) if a[1] else Fp.larger(a[0])

    @staticmethod
    def to_bytes(a):
        return Fp.to_bytes(a[1]) + Fp.to_bytes(a[0])

    @staticmethod
    def from_bytes(data):
        b, a = Fp.from_bytes(data[:48]), Fp.from_bytes(data[48:])
        return None if a is None or b is None else (a, b)


def frobenius2(a):
    """a^P in Fp2."""
    return (a[0], -a[1] % P)


def _by_xi(a):
    """a·(1 + u)"""
    return ((a[0] - a[1]) % P, (a[0] + a[1]) % P)


_add, _sub, _mul = Fp2.add, Fp2.sub, Fp2.mul


def _wide2(a0, a1, b0, b1):
    """(a0 + a1·u)·(b0 + b1·u), not reduced."""
    x, y = a0 * b0, a1 * b1
    return x - y, (a0 + a1) * (b0 + b1) - x - y


def _wide6(a, b):
    """a·b in Fp6 as six integers, not reduced: most of the model's time is spent here, and reductions are half of it."""
    (a0, a1), (a2, a3), (a4, a5) = a
    (b0, b1), (b2, b3), (b4, b5) = b
    p0, p1 = _wide2(a0, a1, b0, b1)
    q0, q1 = _wide2(a2, a3, b2, b3)
    r0, r1 = _wide2(a4, a5, b4, b5)
    x0, x1 = _wide2(a2 + a4, a3 + a5, b2 + b4, b3 + b5)
    y0, y1 = _wide2(a0 + a2, a1 + a3, b0 + b2, b1 + b3)
    z0, z1 = _wide2(a0 + a4, a1 + a5, b0 + b4, b1 + b5)
    x0, x1 = x0 - q0 - r0, x1 - q1 - r1
    return (
        (p0 + x0 - x1, p1 + x0 + x1),
        (y0 - p0 - q0 + r0 - r1, y1 - p1 - q1 + r0 + r1),
        (z0 - p0 - r0 + q0, z1 - p1 - r1 + q1),
    )


def _reduced(a):
    (a0, a1), (a2, a3), (a4, a5) = a
    return ((a0 % P, a1 % P), (a2 % P, a3 % P), (a4 % P, a5 % P))


def mul6(a, b):
    return _reduced(_wide6(a, b))


def add6(a, b):
    return tuple(map(_add, a, b))


def sub6(a, b):
    return tuple(map(_sub, a, b))


def _by_v(a):
    return (_by_xi(a[2]), a[0], a[1])


def inv6(a):
    c0 = _sub(_mul(a[0], a[0]), _by_xi(_mul(a[1], a[2])))
    c1 = _sub(_by_xi(_mul(a[2], a[2])), _mul(a[0], a[1]))
    c2 = _sub(_mul(a[1], a[1]), _mul(a[0], a[2]))
    norm = _add(_mul(a[0], c0), _by_xi(_add(_mul(a[2], c1), _mul(a[1], c2))))
    n = Fp2.inv(norm)
    return (_mul(c0, n), _mul(c1, n), _mul(c2, n))


ONE12 = (((1, 0), (0, 0), (0, 0)), ((0, 0), (0, 0), (0, 0)))


def _sum6(a, b):
    """a + b, not reduced."""
    (a0, a1), (a2, a3), (a4, a5) = a
    (b0, b1), (b2, b3), (b4, b5) = b
    return ((a0 + b0, a1 + b1), (a2 + b2, a3 + b3), (a4 + b4, a5 + b5))


def mul12(a, b):
    p, q = _wide6(a[0], b[0]), _wide6(a[1], b[1])
    cross = _wide6(_sum6(a[0], a[1]), _sum6(b[0], b[1]))
    (p0, p1), (p2, p3), (p4, p5) = p
    (q0, q1), (q2, q3), (q4, q5) = q
    (c0, c1), (c2, c3), (c4, c5) = cross
    even = ((p0 + q4 - q5, p1 + q4 + q5), (p2 + q0, p3 + q1), (p4 + q2, p5 + q3))
    odd = ((c0 - p0 - q0, c1 - p1 - q1), (c2 - p2 - q2, c3 - p3 - q3), (c4 - p4 - q4, c5 - p5 - q5))
    return (_reduced(even), _reduced(odd))


def square12(a):
    """a², with two products: (x + y)·(x + v·y) − (1 + v)·x·y + 2·x·y·w."""
    x, y = a
    product = _wide6(x, y)
    (p0, p1), (p2, p3), (p4, p5) = product
    (y0, y1), (y2, y3), (y4, y5) = y
    (s0, s1), (s2, s3), (s4, s5) = _wide6(_sum6(x, y), _sum6(x, ((y4 - y5, y4 + y5), (y0, y1), (y2, y3))))
    even = ((s0 - p0 - p4 + p5, s1 - p1 - p4 - p5), (s2 - p2 - p0, s3 - p3 - p1), (s4 - p4 - p2, s5 - p5 - p3))
    return (_reduced(even), _reduced(_sum6(product, product)))


def _wide_square4(a, b):
    """(a + b·s)² over Fp2 with s² = 1 + u, as two elements of Fp2, not reduced."""
    (a0, a1), (b0, b1) = a, b
    x0, x1 = (a0 + a1) * (a0 - a1), 2 * a0 * a1
    y0, y1 = (b0 + b1) * (b0 - b1), 2 * b0 * b1
    s0, s1 = a0 + b0, a1 + b1
    cross = ((s0 + s1) * (s0 - s1) - x0 - y0, 2 * s0 * s1 - x1 - y1)
    return (x0 + y0 - y1, x1 + y0 + y1), cross


def cyclotomic_square12(a):
    """a², for an element of the cyclotomic subgroup: Granger and Scott, "Faster Squaring in the Cyclotomic Subgroup of
    Sixth Degree Extensions", section 3.2."""
    (z0, z4, z3), (z2, z1, z5) = a
    (p0, p1), (q0, q1) = _wide_square4(z0, z1)
    (r0, r1), (s0, s1) = _wide_square4(z2, z3)
    (t0, t1), (u0, u1) = _wide_square4(z4, z5)
    u0, u1 = u0 - u1, u0 + u1
    return (
        (
            ((3 * p0 - 2 * z0[0]) % P, (3 * p1 - 2 * z0[1]) % P),
            ((3 * r0 - 2 * z4[0]) % P, (3 * r1 - 2 * z4[1]) % P),
            ((3 * t0 - 2 * z3[0]) % P, (3 * t1 - 2 * z3[1]) % P),
        ),
        (
            ((3 * u0 + 2 * z2[0]) % P, (3 * u1 + 2 * z2[1]) % P),
            ((3 * q0 + 2 * z1[0]) % P, (3 * q1 + 2 * z1[1]) % P),
            ((3 * s0 + 2 * z5[0]) % P, (3 * s1 + 2 * z5[1]) % P),
        ),
    )


def conjugate12(a):
    """a^(P^6); the inverse after the easy part of the final exponentiation."""
    return (a[0], tuple(map(Fp2.neg, a[1])))


def inv12(a):
    n = inv6(sub6(mul6(a[0], a[0]), _by_v(mul6(a[1], a[1]))))
    return (mul6(a[0], n), tuple(map(Fp2.neg, mul6(a[1], n))))


def cyclotomic_pow12(a, exponent):
    """a^exponent, for an element of the cyclotomic subgroup."""
    result = ONE12
    for bit in bin(exponent)[2:]:
        result = cyclotomic_square12(result)
        if bit == "1":
            result = mul12(result, a)
    return result


def _pow2(a, exponent):
    result = Fp2.ONE
    for bit in bin(exponent)[2:]:
        result = _mul(result, result)
        if bit == "1":
            result = _mul(result, a)
    return result


# w^P = w·ξ^((P−1)/6), since w^6 = ξ = 1 + u
_GAMMA = [_pow2((1, 1), i * (P - 1) // 6) for i in range(6)]


def frobenius12(a):
    """a^P. The coefficient of w^i is multiplied by γ^i."""
    even = tuple(_mul(frobenius2(c), _GAMMA[2 * i]) for i, c in enumerate(a[0]))
    odd = tuple(_mul(frobenius2(c), _GAMMA[2 * i + 1]) for i, c in enumerate(a[1]))
    return (even, odd)
