"""The common coin (`spec/coin.md`)."""

from . import dleq
from .dleq import h
from .ristretto import encode, from_uniform
from .wire import u8, u64

PURPOSE = 2


class Name:
    def __init__(self, protocol, epoch, instance, round):
        self.protocol, self.epoch, self.instance, self.round = protocol, epoch, instance, round

    def encode(self):
        return u8(self.protocol) + u64(self.epoch) + u64(self.instance) + u64(self.round)

    def toss(self, keys):
        """Returns the instance of which members make shares."""
        base = encode(from_uniform(h("coin-base", keys.committee + self.encode(), 64)))
        return dleq.Instance(keys, base, h("coin-id", keys.committee + keys.key + self.encode()))

    def value(self, point):
        return h("coin-value", self.encode() + encode(point))


def bit(value):
    return value[0] & 1


def below(value, n):
    return int.from_bytes(value, "little") % n


class CoinCombiner:
    """Verifies all shares before it combines them."""

    def __init__(self, keys, name):
        self.name, self.pool, self.done = name, dleq.Pool(keys, name.toss(keys)), False

    def add(self, share, faults):
        """The value, or None."""
        if self.done:
            return None
        pool = self.pool
        pool.hold(share, faults)
        if not pool.is_enough():
            return None
        pool.verify_pending(faults)
        if len(pool.verified) < pool.keys.needed:
            return None
        self.done = True
        return self.name.value(dleq.combine(pool.keys, pool.instance, list(pool.verified.values())))
