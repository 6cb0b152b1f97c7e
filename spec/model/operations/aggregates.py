"""Order-free aggregates."""

from .. import wire
from ..aggregate import Aggregate
from ..certificate import Vote
from .certificates import statement_json
from .committees import committee
from .registry import operation, raw


def _decoded(data, c):
    aggregate = wire.whole(raw(data), lambda r: Aggregate.read(r, c))
    assert aggregate.encode(c) == raw(data)
    return aggregate


def verified_aggregate(data, c):
    aggregate = _decoded(data, c)
    aggregate.verify(c)
    return aggregate


def _shown(aggregate):
    signers = sorted(aggregate.counts)
    return {
        "statement": statement_json(aggregate.statement),
        "signers": signers,
        "counts": [aggregate.counts[i] for i in signers],
    }


@operation("aggregate.of_vote")
def aggregate_of_vote(i):
    c = committee(i["committee"])
    vote = wire.whole(raw(i["vote"]), lambda r: Vote.read(r, c.scheme))
    vote.verify(c)
    return {"aggregate": Aggregate.of_vote(vote).encode(c).hex()}


@operation("aggregate.decode")
def aggregate_decode(i):
    return _shown(_decoded(i["aggregate"], committee(i["committee"])))


@operation("aggregate.verify")
def aggregate_verify(i):
    return _shown(verified_aggregate(i["aggregate"], committee(i["committee"])))


@operation("aggregate.merge")
def aggregate_merge(i):
    """Merges from left to right."""
    c = committee(i["committee"])
    merged, *others = [verified_aggregate(data, c) for data in i["aggregates"]]
    for other in others:
        merged = merged.merge(other, i["limit"])
    return {"aggregate": merged.encode(c).hex()}


@operation("aggregate.normalise")
def aggregate_normalise(i):
    c = committee(i["committee"])
    parts = [verified_aggregate(part, c) for part in i["parts"]]
    return {"aggregate": verified_aggregate(i["aggregate"], c).normalised(parts).encode(c).hex()}


@operation("aggregate.certificate")
def aggregate_certificate(i):
    c = committee(i["committee"])
    made = verified_aggregate(i["aggregate"], c).certificate(c)
    return {"certificate": None if made is None else made.hex()}
