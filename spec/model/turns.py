"""Whose turn it is to be told something, and who is picked at random (`spec/gossip.md`, "Spreading")."""

from dataclasses import dataclass
from math import gcd

WORD = 2**64


def mix(x):
    """The end of SplitMix64: every bit of x is in every bit of it."""
    x = (x ^ x // 2**30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x // 2**27) * 0x94D049BB133111EB % WORD
    return x ^ x // 2**31


class Picking:
    """Many numbers from one draw."""

    def __init__(self, draw):
        self.d = draw

    def below(self, k):
        self.d = (self.d + 0x9E3779B97F4A7C15) % WORD
        return mix(self.d) * k // WORD


@dataclass
class Level:
    """A halving of the committee: the half that a member is in, and the other one, whose members it tells by turns."""

    number: int
    own: range
    other: range
    most: int = 0  # signers that the own half ever had
    untold: int = 0
    turn: int = 0

    def grow(self, signers, fan_out):
        if signers > self.most:
            self.most, self.untold = signers, min(fan_out, len(self.other))

    def is_due(self, elapsed):
        half_signed = 2 * self.most >= len(self.own)
        return self.untold > 0 and (half_signed or elapsed >= self.number * 50_000)

    def next_member(self, me, statement, is_open):
        """Whose turn it is of those to whom something can be sent."""
        x = int.from_bytes(statement.digest[:8], "little") ^ statement.view ^ (self.number * 2**56)
        x, m = mix(x), len(self.other)
        steps = ((x // 2**32 + more) % m for more in range(m + 1))
        step = 0 if m == 1 else next(s for s in steps if gcd(s, m) == 1)
        for _ in range(m):
            place = me - self.own.start + x % 2**32 + self.turn * step
            self.turn += 1
            to = self.other[place % m]
            if is_open(to):
                self.untold = max(0, self.untold - 1)
                return to
        return None


def levels(me, n):
    """From the lowest up."""
    found, whole = [], range(n)
    while len(whole) > 1:
        middle = len(whole) // 2
        low, high = whole[:middle], whole[middle:]
        own, other = (low, high) if me in low else (high, low)
        found.append((own, other))
        whole = own
    return [Level(number, own, other) for number, (own, other) in enumerate(reversed(found))]
