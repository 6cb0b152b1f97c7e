"""Seeds and tickets."""

from .. import wire
from ..sortition import Lottery, Seed, SeedProof, Ticket
from .committees import committee
from .registry import operation, raw


def _seed(i):
    return wire.whole(raw(i["seed"]), Seed.read)


def _lottery(i):
    return Lottery(committee(i["committee"]), _seed(i), int(i["round"]), i["expected"])


@operation("seed.genesis")
def seed_genesis(i):
    return {"seed": Seed.genesis(raw(i["chain"]), raw(i["bytes"])).encode().hex()}


@operation("seed.prove")
def seed_prove(i):
    c, seed = committee(i["committee"]), _seed(i)
    return {"proof": SeedProof.sign(c.scheme.secret(raw(i["secret"])), c, seed).encode().hex()}


@operation("seed.next")
def seed_next(i):
    c, seed = committee(i["committee"]), _seed(i)
    proof = wire.whole(raw(i["proof"]), lambda r: SeedProof.read(r, c.scheme))
    return {"seed": seed.next(proof, c).encode().hex()}


@operation("ticket.draw")
def ticket_draw(i):
    lottery = _lottery(i)
    ticket = lottery.ticket(lottery.committee.scheme.secret(raw(i["secret"])))
    wins = lottery.wins(ticket.score())
    return {"ticket": ticket.encode().hex() if wins else None, "score": ticket.score().hex() if wins else None}


@operation("ticket.verify")
def ticket_verify(i):
    lottery = _lottery(i)
    ticket = wire.whole(raw(i["ticket"]), lambda r: Ticket.read(r, lottery.committee.scheme))
    score = lottery.score(ticket)
    return {"round": str(ticket.round), "member": ticket.member, "score": score.hex()}
