"""Sessions of pools, of peers, and of one member's gossip."""

from dataclasses import replace

from .. import gossip, wire
from ..aggregate import Aggregate
from ..errors import Refused
from ..peers import Parameters, Peers
from .aggregates import verified_aggregate
from .certificates import statement
from .committees import committee
from .registry import operation, raw


def _parameters(i):
    given = {name: int(value) for name, value in i.get("parameters", {}).items()}
    return replace(Parameters(), **given)


def _hex(aggregate, c):
    return None if aggregate is None else aggregate.encode(c).hex()


def _certificate(aggregate, c):
    made = None if aggregate is None else aggregate.certificate(c)
    return None if made is None else made.hex()


def _outcome(step):
    """The outcome of a step, or the code of its error."""
    try:
        found = step()
    except Refused as refused:
        return refused.code
    return {True: "yes", False: "no"}[found] if isinstance(found, bool) else found


@operation("pool.session")
def pool_session(i):
    """Inserts verified aggregates in order."""
    c = committee(i["committee"])
    pool, outcomes = gossip.Pool(c, i["me"], statement(i["statement"]), _parameters(i)), []
    for data in i["aggregates"]:
        aggregate = verified_aggregate(data, c)
        result = _outcome(lambda: pool.insert(aggregate))
        outcomes.append({"result": result, "signers": sorted(pool.signers), "best": _hex(pool.best, c)})
    return {
        "outcomes": outcomes,
        "aggregates": [_hex(one, c) for one in pool.sums],
        "certificate": _certificate(pool.best, c),
    }


def _peers_step(peers, step):
    """A step that concerns only `Peers`."""
    now = int(step.get("now", 0))
    done = {
        "begin": lambda peer: peers.begin(peer, now),
        "left": peers.left,
        "sent": peers.sent,
        "heard": peers.heard,
        "failed": lambda peer: peers.failed(peer, now),
        "accuse": lambda peer: peers.accuse(peer, now),
        "is_available": lambda peer: peers.is_available(peer, now),
        "is_refused": lambda peer: peers.is_refused(peer, now),
        "has_room": lambda _: peers.has_room(now),
        "next_free": lambda _: None if peers.next_free() is None else str(peers.next_free()),
    }
    return done[step["do"]](step.get("peer"))


@operation("peers.session")
def peers_session(i):
    peers = Peers(i["me"], i["members"], _parameters(i))
    return {"outcomes": [_outcome(lambda: _peers_step(peers, step)) for step in i["steps"]]}


class Session:
    """One member's gossip of several statements, with the same peers."""

    def __init__(self, i):
        self.c, self.aggregates, parameters = committee(i["committee"]), i["aggregates"], _parameters(i)
        self.members = [gossip.Gossip(self.c, i["me"], statement(given), parameters) for given in i["statements"]]
        self.peers = Peers(i["me"], len(self.c), parameters)

    def step(self, step):
        member = self.members[step.get("statement", 0)]
        result = _outcome(lambda: self._run(member, step))
        return {"result": result, "signers": sorted(member.signers), "waiting": len(member.stack)}

    def certificates(self):
        return [_certificate(member.certificate, self.c) for member in self.members]

    def _run(self, member, step):
        now = int(step.get("now", 0))
        if step["do"] == "adopt":
            return member.adopt(verified_aggregate(self.aggregates[step["aggregate"]], self.c))
        if step["do"] == "receive":
            data = raw(self.aggregates[step["aggregate"]])
            aggregate = wire.whole(data, lambda r: Aggregate.read(r, self.c))
            return member.receive(step["peer"], aggregate, now, self.peers)
        if step["do"] == "check":
            return self._check(member, now)
        if step["do"] == "next":
            sent = member.next(now, int(step.get("draw", 0)), self.peers)
            return None if sent is None else {"to": sent[0], "aggregate": _hex(sent[1], self.c)}
        if step["do"] == "offer":
            return _hex(member.offer(step["peer"]), self.c)
        return _peers_step(self.peers, step)

    def _check(self, member, now):
        aggregates, signers, grew, faults = member.check(now, self.peers)
        shown = [{"culprit": culprit, "code": code} for culprit, code in faults]
        return {"aggregates": aggregates, "signers": signers, "grew": "yes" if grew else "no", "faults": shown}


@operation("gossip.session")
def gossip_session(i):
    session = Session(i)
    outcomes = [session.step(step) for step in i["steps"]]
    return {"outcomes": outcomes, "certificates": session.certificates()}
