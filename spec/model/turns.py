"""The order of recipients, and random picks (`spec/gossip.md`, "Dissemination")."""

from dataclasses import dataclass
from math import gcd

WORD = 2**64


def mix(x):
    """The finaliser of SplitMix64: every output bit depends on every bit of x."""
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
    """A halving of the committee: the member's own half, and the other half, whose members it sends to in turn."""

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
        """The next recipient among the peers that can be sent a message."""
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
    """In ascending order."""
    found, whole = [], range(n)
    while len(whole) > 1:
        middle = len(whole) // 2
        low, high = whole[:middle], whole[middle:]
        own, other = (low, high) if me in low else (high, low)
        found.append((own, other))
        whole = own
    return [Level(number, own, other) for number, (own, other) in enumerate(reversed(found))]
