"""A guard's records of spent presignatures (`spec/threshold.md`)."""

from . import wire
from .errors import Refused
from .guard import GUARD, Record

BLOCK = 1024
SPENT, RESERVED, CLOSED = 0, 1, 2
ZERO = bytes(32)


class Spending:
    """Restores a guard from its records alone: other state is lost in a crash."""

    def __init__(self, scheme, secret, chain, records=()):
        key = scheme.encode_key(scheme.public_key(secret))
        self.binding = wire.derive(GUARD, wire.u8(scheme.suite) + chain + key + b"\x01")
        self.spent, self.blocks, self.closed, self.ready = {}, set(), {}, set()
        # Past epochs first: their records do not count.
        records = sorted(records, key=lambda record: record.kind != CLOSED)
        for record in records:
            self._take(record)
        self.burnt = set(self.blocks)

    def _take(self, record):
        if record.binding != self.binding:
            raise Refused("WRONG_CONTEXT")
        if record.kind > CLOSED:
            raise Refused("MALFORMED")
        place, name = (record.epoch, record.view), record.view >> 32
        if record.kind == CLOSED:
            self.closed[name] = max(record.epoch, self.closed.get(name, 0))
        elif record.epoch <= self.closed.get(name, -1):
            return
        elif record.kind == RESERVED:
            self.blocks.add(place)
        elif self.spent.setdefault(place, (record.identity, True))[0] != record.identity:
            raise Refused("CONTRADICTION")

    def _record(self, kind, epoch, view, identity=ZERO):
        return Record(self.binding, kind, epoch, view, identity)

    @staticmethod
    def _view(key, number):
        return int.from_bytes(key[:4], "little") << 32 | number

    def _require_open(self, key, epoch):
        if epoch <= self.closed.get(self._view(key, 0) >> 32, -1):
            raise Refused("EXHAUSTED")

    def spend(self, key, epoch, index, digest):
        self._require_open(key, epoch)
        place, block = (epoch, self._view(key, index)), (epoch, self._view(key, index // BLOCK))
        if place in self.spent:
            if self.spent[place][0] != digest:
                raise Refused("CONTRADICTION")
        elif block in self.burnt:
            raise Refused("EXHAUSTED")
        else:
            self.spent[place] = (digest, block not in self.ready)
        return self._record(SPENT, *place, digest) if self.spent[place][1] else None

    def reserve(self, key, epoch, index):
        self._require_open(key, epoch)
        block = (epoch, self._view(key, index // BLOCK))
        if block in self.burnt:
            raise Refused("EXHAUSTED")
        self.blocks.add(block)
        return self._record(RESERVED, *block)

    def confirm(self, record):
        place = (record.epoch, record.view)
        known = record.binding == self.binding and record.kind == RESERVED
        if not known or place not in self.blocks or place in self.burnt:
            raise Refused("WRONG_CONTEXT")
        self.ready.add(place)

    def close(self, key, epoch):
        name = self._view(key, 0) >> 32
        last = self.closed[name] = max(epoch, self.closed.get(name, 0))
        gone = lambda place: place[0] <= last and place[1] >> 32 == name  # noqa: E731
        self.spent = {place: spent for place, spent in self.spent.items() if not gone(place)}
        self.blocks = {place for place in self.blocks if not gone(place)}
        return self._record(CLOSED, last, name << 32)

    def records(self):
        out = [self._record(CLOSED, epoch, name << 32) for name, epoch in sorted(self.closed.items())]
        out += [self._record(RESERVED, *place) for place in sorted(self.blocks)]
        return out + [self._record(SPENT, *place, spent[0]) for place, spent in sorted(self.spent.items()) if spent[1]]
