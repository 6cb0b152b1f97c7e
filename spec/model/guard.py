"""The signing guard (`spec/certificate.md`)."""

from dataclasses import dataclass

from . import wire
from .certificate import Vote
from .errors import Refused

GUARD = "quorate-v1-guard"


@dataclass(frozen=True)
class Record:
    binding: bytes
    kind: int
    epoch: int
    view: int
    identity: bytes

    def place(self):
        return self.epoch, self.view

    def encode(self):
        numbers = wire.u8(self.kind) + wire.u64(self.epoch) + wire.u64(self.view)
        return self.binding + numbers + self.identity

    @classmethod
    def read(cls, r):
        return cls(r.raw(32), r.uint(1), r.uint(8), r.uint(8), r.raw(32))


class Guard:
    def __init__(self, scheme, secret, chain, records=()):
        self.scheme, self.secret, self.chain = scheme, secret, chain
        self.key = scheme.public_key(secret)
        self.binding = wire.derive(GUARD, wire.u8(scheme.suite) + chain + scheme.encode_key(self.key))
        self.last = {}
        for record in records:
            self._remember(record)

    def _remember(self, record):
        """Restores records in any order: a record older than the last one of its kind changes nothing."""
        if record.binding != self.binding:
            raise Refused("WRONG_CONTEXT")
        last = self.last.get(record.kind)
        if last and last.place() == record.place() and last != record:
            raise Refused("CONTRADICTION")
        if last is None or last.place() < record.place():
            self.last[record.kind] = record

    def records(self):
        return [self.last[kind] for kind in sorted(self.last)]

    def sign(self, committee, statement):
        if committee.chain != self.chain or statement.epoch != committee.epoch or self.key not in committee.keys:
            raise Refused("WRONG_CONTEXT")
        identity = statement.identity(committee.id)
        record = Record(self.binding, statement.kind, statement.epoch, statement.view, identity)
        last = self.last.get(record.kind)
        if last and (record.place() < last.place() or record.place() == last.place() and record != last):
            raise Refused("CONTRADICTION")
        self.last[record.kind] = record
        return Vote.sign(self.secret, committee, committee.keys.index(self.key), statement), record
