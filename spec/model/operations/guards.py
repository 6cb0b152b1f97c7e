"""The guard."""

from .. import wire
from ..guard import Guard, Record
from .certificates import statement
from .committees import committee
from .registry import operation, raw


def _guard(i, c):
    """The guard of a key, restored from records."""
    records = [wire.whole(raw(record), Record.read) for record in i["records"]]
    return Guard(c.scheme, c.scheme.secret(raw(i["secret"])), c.chain, records)


@operation("guard.restore")
def guard_restore(i):
    return {"records": [record.encode().hex() for record in _guard(i, committee(i["committee"])).records()]}


@operation("guard.sign")
def guard_sign(i):
    c = committee(i["committee"])
    vote, record = _guard(i, c).sign(c, statement(i["statement"]))
    return {"vote": vote.encode().hex(), "record": record.encode().hex()}
