"""The optimal ate pairing of BLS12-381, as a check that a product of pairings is one."""

from functools import cache

from .curve import G2
from .field import (
    ONE12,
    Fp2,
    P,
    R,
    X,
    conjugate12,
    cyclotomic_pow12,
    frobenius12,
    inv12,
    mul12,
    square12,
)

# Final exponentiation, hard part, three times: a cube is one exactly when its root is (the order is R, a prime).
assert 3 * (P**4 - P**2 + 1) // R == (X - 1) ** 2 * (X + P) * (X**2 + P**2 - 1) + 3


def _line(t, slope, point):
    """The line through `t` on the twist with that slope, at `point` of G1, times w³ (the final exponentiation
    maps w³ to one). The untwisting is (x, y) → (x/w², y/w³)."""
    xp, yp = point
    constant = Fp2.sub(Fp2.mul(slope, t[0]), t[1])
    linear = (-slope[0] * xp % P, -slope[1] * xp % P)
    zero = Fp2.ZERO
    return ((constant, linear, zero), (zero, (yp, 0), zero))


def _miller(pairs):
    """∏ f_{|X|,Q}(P), with the conjugation that a negative X requires."""
    f, points = ONE12, [q for _, q in pairs]
    for bit in bin(-X)[3:]:
        f = square12(f)
        for i, (p, q) in enumerate(pairs):
            t = points[i]
            f = mul12(f, _line(t, G2.slope(t, t), p))
            points[i] = t = G2.add(t, t)
            if bit == "1":
                f = mul12(f, _line(t, G2.slope(t, q), p))
                points[i] = G2.add(t, q)
    return conjugate12(f)


def _pow_x(a):
    """a^X for a in the cyclotomic subgroup, where the conjugate is the inverse."""
    return conjugate12(cyclotomic_pow12(a, -X))


def _final_exponentiation(f):
    f = mul12(conjugate12(f), inv12(f))  # ^(P^6 − 1)
    f = mul12(frobenius12(frobenius12(f)), f)  # ^(P² + 1)
    a = mul12(_pow_x(f), conjugate12(f))
    a = mul12(_pow_x(a), conjugate12(a))  # ^(X − 1)²
    a = mul12(_pow_x(a), frobenius12(a))  # ^(X + P)
    a = mul12(mul12(_pow_x(_pow_x(a)), frobenius12(frobenius12(a))), conjugate12(a))  # ^(X² + P² − 1)
    return mul12(a, mul12(f, square12(f)))


def product_is_one(pairs):
    """Returns true if ∏ e(P, Q) = 1 over pairs (P in G1, Q in G2), all of order R and none infinite."""
    assert all(p is not None and q is not None for p, q in pairs)
    return _product_is_one(tuple(pairs))


@cache  # Many cases verify the same pairings.
def _product_is_one(pairs):
    return _final_exponentiation(_miller(pairs)) == ONE12
