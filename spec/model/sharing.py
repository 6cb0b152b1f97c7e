"""Secret sharing and decoding (`spec/threshold.md`), as defined."""

from itertools import combinations

from .errors import Refused


def evaluate(coefficients, at, order):
    return sum(c * at**k for k, c in enumerate(coefficients)) % order


def interpolate(points, order, at=0):
    """The value at `at` of the polynomial through points (x, y)."""
    total = 0
    for i, (x, y) in enumerate(points):
        above = below = 1
        for j, (other, _) in enumerate(points):
            if i != j:
                above, below = above * (at - other) % order, below * (x - other) % order
        total += y * above * pow(below, -1, order)
    return total % order


def decode(needed, points, order):
    """The value at zero of the polynomial through all points but at most half of the spare ones, and the x of these.
    Tries all subsets."""
    if len({x for x, _ in points}) < len(points):
        raise Refused("DUPLICATE_SIGNER")
    if len(points) < needed or not needed:
        raise Refused("BELOW_QUORUM")
    borne = (len(points) - needed) // 2
    for chosen in combinations(points, needed):
        off = [x for x, y in points if interpolate(chosen, order, x) != y]
        if len(off) <= borne:
            return interpolate(chosen, order), sorted(off)
    raise Refused("BAD_SHARE")
