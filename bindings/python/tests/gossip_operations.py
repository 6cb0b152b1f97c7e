"""Vector operations of aggregates, gossip, seeds and tickets (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import quorate as q
from quorate.gossip import Aggregate, Gossip, Parameters, Peers, Pool, VerifiedAggregate
from quorate.sortition import Lottery, Seed, SeedProof, Ticket
from vector_inputs import Json, unhex


def outcome(step: Callable[[], Json]) -> Json:
    """The result of a step of a session, or the code of its error."""
    try:
        found = step()
    except q.QuorateError as refused:
        return refused.code
    return {True: "yes", False: "no"}[found] if isinstance(found, bool) else found


def peers_step(peers: Peers, step: Json) -> Json:
    """A step that uses only `Peers`."""
    peer, now = step.get("peer"), int(step.get("now", 0))
    match step["do"]:
        case "left" | "sent" | "heard" as told:
            return getattr(peers, told)(peer)
        case "begin" | "failed" | "accuse" | "is_available" | "is_refused" as named:
            return getattr(peers, named)(peer, now)
        case "has_room":
            return peers.has_room(now)
        case "next_free":
            free = peers.next_free()
            return None if free is None else str(free)
        case step:
            raise AssertionError(f"no step {step}")


def operations(committee_of: Callable[[Json], q.Committee]) -> dict[str, Callable[[Json], Json]]:
    """All operations, in committees that the caller creates."""

    def decoded(committee: q.Committee, text: str) -> Aggregate:
        aggregate = Aggregate.decode(unhex(text), committee)
        assert aggregate.encode() == unhex(text) and aggregate.encoded_len() == len(text) // 2
        return aggregate

    def verified(committee: q.Committee, text: str) -> VerifiedAggregate:
        aggregate = decoded(committee, text)
        batched = Aggregate.verify_batch_derived(committee, [aggregate, aggregate])
        try:
            single = aggregate.verify(committee)
        except q.QuorateError as error:
            assert [getattr(verdict, "code", None) for verdict in batched] == [error.code] * 2
            raise
        assert batched == [single, single] and single.value == aggregate
        return single

    def shown(aggregate: Aggregate) -> Json:
        statement = aggregate.statement
        assert aggregate.counts == [aggregate.count(signer) for signer in aggregate.signers]
        return {
            "statement": {
                "kind": statement.kind,
                "epoch": str(statement.epoch),
                "view": str(statement.view),
                "digest": statement.digest.hex(),
            },
            "signers": list(aggregate.signers),
            "counts": aggregate.counts,
        }

    def from_vote(given: Json) -> Json:
        committee = committee_of(given)
        vote = q.Vote.decode(committee.suite, unhex(given["vote"])).verify(committee)
        return {"aggregate": Aggregate.from_vote(vote, committee).value.encode().hex()}

    def verify(given: Json) -> Json:
        return shown(verified(committee_of(given), given["aggregate"]).value)

    def merge(given: Json) -> Json:
        committee = committee_of(given)
        merged, *others = [verified(committee, part) for part in given["aggregates"]]
        for other in others:
            together = merged.merge(other, given["limit"])
            assert other.merge(merged, given["limit"]) == together, "the order matters"
            merged = together
        return {"aggregate": merged.value.encode().hex()}

    def normalise(given: Json) -> Json:
        committee = committee_of(given)
        parts = [verified(committee, part) for part in given["parts"]]
        normalised = verified(committee, given["aggregate"]).normalised(parts).value
        normalised.verify(committee)
        return {"aggregate": normalised.encode().hex()}

    def certificate(given: Json) -> Json:
        committee = committee_of(given)
        aggregate = verified(committee, given["aggregate"])
        certificate = aggregate.certificate(committee)
        if certificate is None:
            return {"certificate": None}
        assert Aggregate.from_certificate(certificate) == aggregate
        return {"certificate": certificate.value.encode().hex()}

    # ---------------------------------------------------------------------------------------------------- spreading

    def statement_of(s: Json) -> q.Statement:
        return q.Statement(s["kind"], int(s["epoch"]), int(s["view"]), unhex(s["digest"]))

    def encoded(aggregate: VerifiedAggregate | None) -> str | None:
        return None if aggregate is None else aggregate.value.encode().hex()

    def pool(given: Json) -> Json:
        committee, outcomes = committee_of(given), []
        pool = Pool(committee, given["me"], statement_of(given["statement"]), Parameters(**given["parameters"]))
        for text in given["aggregates"]:
            aggregate = verified(committee, text)
            wanted = outcome(lambda: pool.wants(aggregate.value))  # noqa: B023
            result = outcome(lambda: pool.insert(aggregate))  # noqa: B023
            assert wanted == result, "what is wanted is taken in"
            outcomes.append({"result": result, "signers": list(pool.signers), "best": encoded(pool.best)})
        certificate = pool.certificate
        return {
            "outcomes": outcomes,
            "aggregates": [encoded(one) for one in pool.aggregates],
            "certificate": None if certificate is None else certificate.value.encode().hex(),
        }

    def gossip(given: Json) -> Json:
        committee, parameters, outcomes = committee_of(given), Parameters(**given["parameters"]), []
        members = [
            Gossip(committee, given["me"], statement_of(one), parameters) for one in given["statements"]
        ]
        peers = Peers(given["me"], len(committee), parameters)

        def check(member: Gossip, now: int) -> Json:
            checked = member.check(peers, now=now)
            faults = [{"culprit": fault.culprit, "code": fault.evidence.code} for fault in checked.faults]
            grew = "yes" if checked.grew else "no"
            return {"aggregates": checked.aggregates, "signers": checked.signers, "grew": grew, "faults": faults}

        def run(member: Gossip, step: Json) -> Json:
            now = int(step.get("now", 0))
            match step["do"]:
                case "adopt":
                    return member.adopt(verified(committee, given["aggregates"][step["aggregate"]]))
                case "receive":
                    aggregate = decoded(committee, given["aggregates"][step["aggregate"]])
                    return str(member.receive(step["peer"], aggregate, peers, now=now))
                case "check":
                    return check(member, now)
                case "next":
                    sent = member.next(peers, draw=int(step.get("draw", 0)), now=now)
                    return None if sent is None else {"to": sent.to, "aggregate": sent.aggregate.encode().hex()}
                case "offer":
                    offered = member.offer(step["peer"])
                    return None if offered is None else offered.encode().hex()
                case _:
                    return peers_step(peers, step)

        for step in given["steps"]:
            member = members[step.get("statement", 0)]
            result = outcome(lambda: run(member, step))  # noqa: B023
            outcomes.append({"result": result, "signers": list(member.signers), "waiting": member.waiting})
        certificates = [member.certificate for member in members]
        return {"outcomes": outcomes, "certificates": [one and one.value.encode().hex() for one in certificates]}

    def peers(given: Json) -> Json:
        peers = Peers(given["me"], given["members"], Parameters(**given["parameters"]))
        return {"outcomes": [outcome(lambda: peers_step(peers, step)) for step in given["steps"]]}  # noqa: B023

    # ---------------------------------------------------------------------------------------------------- sortition

    def secret_of(given: Json) -> q.SecretKey:
        return q.SecretKey.from_bytes(committee_of(given).suite, unhex(given["secret"]))

    def seed_of(given: Json) -> Seed:
        seed = Seed.decode(unhex(given["seed"]))
        assert seed.encode() == unhex(given["seed"])
        return seed

    def lottery_of(given: Json) -> Lottery:
        return Lottery(committee_of(given), seed_of(given), int(given["round"]), given["expected"])

    def genesis(given: Json) -> Json:
        seed = Seed.genesis(q.ChainId.from_bytes(unhex(given["chain"])), unhex(given["bytes"]))
        return {"seed": seed.encode().hex()}

    def prove(given: Json) -> Json:
        return {"proof": SeedProof.sign(secret_of(given), committee_of(given), seed_of(given)).encode().hex()}

    def follow(given: Json) -> Json:
        committee, data = committee_of(given), unhex(given["proof"])
        proof = SeedProof.decode(committee.suite, data)
        assert proof.encode() == data == SeedProof(proof.signer, proof.signature).encode()
        assert SeedProof.decode_detached(committee.suite, proof.encode_detached(), proof.signer) == proof
        return {"seed": seed_of(given).next(proof, committee).encode().hex()}

    def draw(given: Json) -> Json:
        ticket = lottery_of(given).draw(secret_of(given))
        if ticket is None:
            return {"ticket": None, "score": None}
        return {"ticket": ticket.value.encode().hex(), "score": str(ticket.score)}

    def check(given: Json) -> Json:
        suite, data = committee_of(given).suite, unhex(given["ticket"])
        ticket = Ticket.decode(suite, data)
        assert ticket.encode() == data == Ticket(ticket.round, ticket.member, ticket.signature).encode()
        assert Ticket.decode_detached(suite, ticket.encode_detached(), ticket.round, ticket.member) == ticket
        won = ticket.verify(lottery_of(given))
        return {"round": str(won.value.round), "member": won.value.member, "score": bytes(won.score).hex()}

    return {
        "aggregate.of_vote": from_vote,
        "aggregate.decode": lambda given: shown(decoded(committee_of(given), given["aggregate"])),
        "aggregate.verify": verify,
        "aggregate.merge": merge,
        "aggregate.normalise": normalise,
        "aggregate.certificate": certificate,
        "pool.session": pool,
        "peers.session": peers,
        "gossip.session": gossip,
        "seed.genesis": genesis,
        "seed.prove": prove,
        "seed.next": follow,
        "ticket.draw": draw,
        "ticket.verify": check,
    }
