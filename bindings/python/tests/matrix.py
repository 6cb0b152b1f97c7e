"""One language of the cross-language matrix: writes a file of new objects per suite, and checks the files of all
languages.

    python matrix.py write DIR python matrix.py read DIR
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import Any

from quorate import (
    Certificate,
    ChainId,
    Committee,
    Equivocation,
    Guard,
    GuardRecord,
    SecretKey,
    Statement,
    Suite,
    Suspects,
    TimeoutCertificate,
    TimeoutCollector,
    TimeoutVote,
    UnverifiedKey,
    Vote,
    VoteCollector,
    merkle,
)
from quorate.gossip import Aggregate, VerifiedAggregate
from quorate.sortition import Lottery, Seed, SeedProof, Ticket

KIND, EPOCH, VIEW = 1, 3, 9
COUNTED = {Suite.MIN_SIG_COUNTED, Suite.MIN_PK_COUNTED}


def write(suite: Suite, folder: Path) -> None:
    secrets = [SecretKey.generate(suite) for _ in range(7)]
    keys = [UnverifiedKey.prove(secret) for secret in secrets]
    chain = ChainId.from_name("matrix")
    committee = Committee(chain, EPOCH, [(key.verify(), weight) for weight, key in enumerate(keys, 1)])
    statement = committee.statement(KIND, VIEW, bytes([7] * 32))
    votes = [Vote.sign_unguarded(secret, committee, statement) for secret in secrets]
    timeouts = [
        TimeoutVote.sign_unguarded(secret, committee, KIND, VIEW, value // 2) for value, secret in enumerate(secrets, 4)
    ]
    collector, timeout_collector = VoteCollector(committee, KIND, VIEW), TimeoutCollector(committee, KIND, VIEW)
    certificate = first(collector.add(vote, Suspects()).certificate for vote in votes)
    timeout = first(timeout_collector.add(vote, Suspects()).certificate for vote in timeouts)
    other = Vote.sign_unguarded(secrets[2], committee, committee.statement(KIND, VIEW, bytes([8] * 32)))
    guard = Guard(SecretKey.from_bytes(suite, secrets[0].to_bytes()), chain)
    _, record = guard.sign(committee, statement)
    tree = merkle.Merkle("quorate-matrix-leaf", "quorate-matrix-node")
    items = [f"item {i}".encode() for i in range(5)]
    leaves = tree.leaves(items)
    file = {
        "suite": suite.value,
        "chain": "matrix",
        "epoch": str(EPOCH),
        "members": [{"key": key.encode().hex(), "weight": str(weight)} for weight, key in enumerate(keys, 1)],
        "committee_id": str(committee.id),
        "statement": statement.encode().hex(),
        "votes": [vote.encode().hex() for vote in votes],
        "link_votes": [vote.encode_link().hex() for vote in votes],
        "certificate": certificate.value.encode().hex(),
        "timeout_votes": [vote.encode().hex() for vote in timeouts],
        "timeout_certificate": timeout.value.encode().hex(),
        "equivocation": Equivocation(votes[2], other).encode().hex(),
        "guard_record": record.encode().hex(),
        "merkle": {
            "leaf_domain": "quorate-matrix-leaf",
            "node_domain": "quorate-matrix-node",
            "items": [item.hex() for item in items],
            "root": tree.root(leaves).hex(),
            "path": tree.path(leaves, 4).encode().hex(),
        },
    }
    if suite in COUNTED:
        file["gossip"] = write_gossip(votes, committee)
    if suite != Suite.ED25519:
        file["sortition"] = write_sortition(secrets, committee)
    (folder / f"python-{suite.value}.json").write_text(json.dumps(file, indent=2))


def write_gossip(votes: list[Vote], committee: Committee) -> Any:
    """A sum that contains one signature twice, and a certificate that contains two of them twice."""

    def total(*members: int) -> VerifiedAggregate:
        parts = [Aggregate.from_vote(votes[member].verify(committee), committee) for member in members]
        return functools.reduce(VerifiedAggregate.merge, parts)

    certificate = total(3, 4, 5, 6, 3, 4).certificate(committee)
    assert certificate is not None
    return {
        "aggregate": total(1, 2, 2, 4).value.encode().hex(),
        "certificate": certificate.value.encode().hex(),
    }


def write_sortition(secrets: list[SecretKey], committee: Committee) -> Any:
    """The expected number of winners is the number of members, so all win."""
    seed = Seed.genesis(committee.chain, b"matrix")
    ticket = Lottery(committee, seed, VIEW).draw(secrets[5])
    assert ticket is not None
    proof = SeedProof.sign(secrets[2], committee, seed)
    return {
        "seed": seed.encode().hex(),
        "ticket": ticket.value.encode().hex(),
        "score": str(ticket.score),
        "seed_proof": proof.encode().hex(),
        "next_seed": seed.next(proof, committee).encode().hex(),
    }


def read(file: Any) -> None:
    suite = Suite(file["suite"])
    members = [
        (UnverifiedKey.decode(suite, bytes.fromhex(member["key"])).verify(), int(member["weight"]))
        for member in file["members"]
    ]
    committee = Committee(ChainId.from_name(file["chain"]), int(file["epoch"]), members)
    assert str(committee.id) == file["committee_id"]
    statement = same(Statement.decode, file["statement"])
    for signer, (plain, link) in enumerate(zip(file["votes"], file["link_votes"], strict=True)):
        vote = same(lambda data: Vote.decode(suite, data), plain)
        assert vote.signer == signer and vote.statement == statement
        assert vote.encode_link().hex() == link and Vote.decode_link(suite, bytes.fromhex(link)) == vote
        vote.verify(committee)
    certificate = same(lambda data: Certificate.decode(data, committee), file["certificate"])
    assert certificate.verify(committee).value.statement == statement
    for encoded in file["timeout_votes"]:
        same(lambda data: TimeoutVote.decode(suite, data), encoded).verify(committee)
    same(lambda data: TimeoutCertificate.decode(data, committee), file["timeout_certificate"]).verify(committee)
    same(lambda data: Equivocation.decode(suite, data), file["equivocation"]).verify(committee)
    same(GuardRecord.decode, file["guard_record"])
    given = file["merkle"]
    tree = merkle.Merkle(given["leaf_domain"], given["node_domain"])
    items = [bytes.fromhex(item) for item in given["items"]]
    root = tree.root(tree.leaves(items))
    assert root.hex() == given["root"]
    path = same(merkle.Path.decode, given["path"])
    tree.verify(root, tree.leaf(items[path.index]), path)
    if suite in COUNTED:
        read_gossip(file["gossip"], statement, committee)
    if suite != Suite.ED25519:
        read_sortition(file["sortition"], committee)


def read_gossip(file: Any, statement: Statement, committee: Committee) -> None:
    aggregate = same(lambda data: Aggregate.decode(data, committee), file["aggregate"])
    assert aggregate.statement == statement
    assert [aggregate.count(member) for member in range(7)] == [0, 1, 2, 0, 1, 0, 0]
    aggregate.verify(committee)
    certificate = same(lambda data: Certificate.decode(data, committee), file["certificate"])
    whole = Aggregate.from_certificate(certificate.verify(committee)).value
    assert whole.statement == statement
    assert [whole.count(member) for member in range(7)] == [0, 0, 0, 2, 2, 1, 1]


def read_sortition(file: Any, committee: Committee) -> None:
    seed = same(Seed.decode, file["seed"])
    ticket = same(lambda data: Ticket.decode(committee.suite, data), file["ticket"])
    assert (ticket.round, ticket.member) == (VIEW, 5)
    assert str(ticket.verify(Lottery(committee, seed, VIEW)).score) == file["score"]
    proof = same(lambda data: SeedProof.decode(committee.suite, data), file["seed_proof"])
    assert proof.signer == 2
    assert seed.next(proof, committee).encode().hex() == file["next_seed"]


def same(decode: Any, encoded: str) -> Any:
    value = decode(bytes.fromhex(encoded))
    assert value.encode().hex() == encoded
    return value


def first(certificates: Any) -> Any:
    return next(certificate for certificate in certificates if certificate is not None)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["write", folder]:
            for suite in Suite:
                write(suite, Path(folder))
        case ["read", folder]:
            paths = sorted(Path(folder).glob("*.json"))
            for path in paths:
                print(path)
                read(json.loads(path.read_text()))
            print(f"{len(paths)} files read")
        case _:
            sys.exit("usage: matrix.py write|read DIR")


if __name__ == "__main__":
    main(sys.argv[1:])
