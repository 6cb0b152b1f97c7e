"""Aggregates, gossip and lotteries in idiomatic Python, and their errors."""

from __future__ import annotations

import asyncio
import copy
import pickle
import random
from datetime import timedelta

import pytest
import quorate as q
from quorate.gossip import (
    MAX_POOL,
    MAX_STACK,
    Aggregate,
    Gossip,
    Parameters,
    Peers,
    Pool,
    Received,
    VerifiedAggregate,
)
from quorate.sortition import EXPECTED_WINNERS, Lottery, Score, Seed, SeedProof, Ticket

COUNTED = [q.Suite.MIN_SIG_COUNTED, q.Suite.MIN_PK_COUNTED]
CHAIN = q.ChainId.from_name("tests")
MEMBERS = 7


class World:
    def __init__(self, suite: q.Suite, members: int = MEMBERS) -> None:
        self.suite = suite
        self.secrets = [q.SecretKey.from_bytes(suite, bytes([1, *[0] * 29, 1, at + 1])) for at in range(members)]
        self.committee = q.Committee(CHAIN, 5, [(q.VerifiedKey.from_secret(secret), 1) for secret in self.secrets])
        self.statement = self.committee.statement(1, 9, bytes([7] * 32))

    def vote(self, member: int, statement: q.Statement | None = None) -> q.VerifiedVote:
        statement = statement or self.statement
        return q.Vote.sign_unguarded(self.secrets[member], self.committee, statement).verify(self.committee)

    def aggregate(self, member: int) -> VerifiedAggregate:
        return Aggregate.from_vote(self.vote(member), self.committee)

    def sum(self, *members: int) -> VerifiedAggregate:
        total, *others = [self.aggregate(member) for member in members]
        for other in others:
            total = total.merge(other)
        return total


@pytest.fixture(params=COUNTED, ids=str, scope="module")
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def test_an_aggregate_does_not_depend_on_the_order(world: World) -> None:
    one, two = world.sum(0, 2, 4), world.sum(4, 5)
    both = one.merge(two)
    assert both == two.merge(one) and both.committee == world.committee.id
    aggregate = both.value
    assert (list(aggregate.signers), aggregate.counts) == ([0, 2, 4, 5], [1, 1, 2, 1])
    assert [aggregate.count(member) for member in (1, 4, 6, 65_535)] == [0, 2, 0, 0]
    assert aggregate.suite == world.suite == aggregate.signature.suite and aggregate.statement == world.statement
    data = aggregate.encode()
    assert len(data) == aggregate.encoded_len()
    again = Aggregate.decode(bytearray(data), world.committee)
    assert again == aggregate and again.verify(world.committee) == both
    assert asyncio.run(again.verify_async(world.committee)) == both
    assert both.normalised([world.aggregate(4), world.aggregate(6)]).value.counts == [1, 1, 1, 1]
    with pytest.raises(q.TooLargeError):
        both.merge(both, 3)


def test_a_quorum_s_aggregate_is_a_certificate(world: World) -> None:
    assert world.sum(0, 1, 2, 3).certificate(world.committee) is None
    aggregate = world.sum(0, 1, 2, 3, 6)
    certificate = aggregate.certificate(world.committee)
    assert certificate is not None and list(certificate.value.signers) == [0, 1, 2, 3, 6]
    data = certificate.value.encode()
    assert q.Certificate.decode(data, world.committee).verify(world.committee) == certificate
    assert Aggregate.from_certificate(certificate) == aggregate


def test_a_batch_identifies_the_forged_aggregate(world: World) -> None:
    good = world.sum(0, 1).value
    data = bytearray(good.encode())
    data[len(data) - len(good.signature.encode()) :] = world.sum(0, 2).value.signature.encode()
    forged = Aggregate.decode(data, world.committee)
    calls = [
        Aggregate.verify_batch(world.committee, [good, forged, good]),
        Aggregate.verify_batch_derived(world.committee, (each for each in [good, forged, good])),
        asyncio.run(Aggregate.verify_batch_async(world.committee, [good, forged, good])),
        asyncio.run(Aggregate.verify_batch_derived_async(world.committee, [good, forged, good])),
    ]
    for first, second, third in calls:
        assert first == third == good.verify(world.committee) and isinstance(second, q.BadSignatureError)


def test_a_pool_sums_aggregates_that_add_signers(world: World) -> None:
    pool = Pool(world.committee, 0, world.statement)
    assert pool.best is None and pool.certificate is None and pool.aggregates == [] and MAX_POOL == 8
    assert pool.insert(world.aggregate(0)) and pool.insert(world.sum(1, 2)) and not pool.insert(world.aggregate(1))
    assert pool.wants(world.aggregate(4).value) and not pool.wants(world.aggregate(1).value)
    assert list(pool.signers) == [0, 1, 2] and pool.statement == world.statement
    assert pool.best is not None and pool.best.value.counts == [1, 1, 1]
    assert pool.insert(world.sum(3, 4)) and pool.certificate is not None and pool.aggregates
    other = world.committee.statement(1, 10, bytes(32))
    with pytest.raises(q.WrongContextError):
        pool.insert(Aggregate.from_vote(world.vote(0, other), world.committee))


def test_votes_spread_until_all_members_have_a_certificate(world: World) -> None:
    dice = random.Random(4)
    parameters = Parameters(fan_out=2, send_timeout=timedelta(milliseconds=100))
    assert (parameters.fan_out, parameters.batch, parameters.limit, parameters.preferred) == (2, 4, 255, 16)
    assert parameters.back_off == timedelta(seconds=2) and parameters == Parameters(fan_out=2, send_timeout=timedelta(0, 0.1))
    members = [Gossip(world.committee, me, world.statement, parameters) for me in range(MEMBERS)]
    peers = [Peers(me, MEMBERS, parameters) for me in range(MEMBERS)]
    # Two members stay silent: a quorum is five of seven.
    talking = range(2, MEMBERS)
    for me in talking:
        assert members[me].vote(world.vote(me)) and not members[me].vote(world.vote(me))
    now = 1_000_000
    for _ in range(400):
        now += 20_000
        for me in talking:
            while (send := members[me].next(peers[me], draw=dice.getrandbits(64), now=now)) is not None:
                peers[me].left(send.to)
                arrived = Aggregate.decode(send.aggregate.encode(), world.committee)
                received = members[send.to].receive(me, arrived, peers[send.to], now=now)
                assert received is not Received.REFUSED
        for me in talking:
            checked = members[me].check(peers[me], entropy=bytes(dice.randbytes(32)), now=now)
            assert checked.faults == [] and checked.aggregates <= parameters.batch
        if all(members[me].certificate for me in talking):
            break
    for me in talking:
        certificate = members[me].certificate
        assert certificate is not None and list(certificate.value.signers) == list(talking)
        assert list(members[me].signers) == list(talking) and members[me].waiting == 0
        assert members[me].statement == world.statement
    arrived = world.aggregate(0).value
    assert members[2].receive(0, arrived, peers[2], now=now) is Received.COMPLETE
    assert Gossip(world.committee, 1, world.statement).pool.best is None
    offered = members[2].offer(0)
    assert offered is not None and len(offered.signers) == 5


def test_senders_of_invalid_aggregates_are_blamed_and_suspended(world: World) -> None:
    gossip, peers = Gossip(world.committee, 0, world.statement), Peers(0, MEMBERS)
    good = world.aggregate(1).value
    data = bytearray(good.encode())
    data[-len(good.signature.encode()) :] = world.aggregate(2).value.signature.encode()
    forged = Aggregate.decode(data, world.committee)
    assert gossip.receive(3, forged, peers, now=1) is Received.WAITING and gossip.waiting == 1
    checked = gossip.check(peers, now=1)
    [(culprit, evidence)] = checked.faults
    assert culprit == 3 and isinstance(evidence, q.BadSignatureError) and not checked.grew
    assert peers.is_refused(3, now=2) and not peers.is_available(3, now=2)
    assert gossip.receive(3, good, peers, now=2) is Received.REFUSED
    assert gossip.receive(4, good, peers, now=2) is Received.WAITING and gossip.check(peers, now=2).grew
    assert gossip.receive(5, good, peers, now=2) is Received.NOTHING_NEW
    assert gossip.adopt(world.sum(5, 6)) and list(gossip.signers) == [1, 5, 6]
    elsewhere = world.committee.statement(2, 9, bytes([7] * 32))
    other = Aggregate.from_vote(world.vote(1, elsewhere), world.committee).value
    with pytest.raises(q.WrongContextError):
        gossip.receive(4, other, peers, now=2)
    for stranger in (0, MEMBERS):
        with pytest.raises(q.UnknownSignerError):
            gossip.receive(stranger, good, peers, now=2)
    with pytest.raises(q.MalformedError):
        gossip.check(peers, entropy=bytes(31))
    assert MAX_STACK == 64


def test_failed_peers_are_suspended(world: World) -> None:
    peers = Peers(0, 2, Parameters(fan_out=1, back_off=timedelta(seconds=1), send_timeout=timedelta(seconds=1)))
    assert peers.next_free() is None and peers.pick(now=0) == 1 == peers.pick(draw=7, now=0)
    peers.begin(1, now=0)
    assert not peers.has_room(now=0) and peers.pick(now=0) is None and peers.next_free() == 1_000_000
    peers.left(1)
    assert peers.has_room(now=0) and peers.is_available(1, now=0)
    peers.failed(1, now=0)
    assert not peers.is_available(1, now=999_999) and peers.is_available(1, now=1_000_000)
    peers.failed(1, now=0)
    peers.heard(1)
    peers.begin(1, now=0)
    peers.sent(1)
    assert peers.is_available(1, now=0)
    peers.accuse(1, now=0)
    assert peers.is_refused(1, now=0) and not peers.is_refused(0, now=0)
    assert Peers(0, 1).pick() is None, "there is no other member"


def test_only_counted_suites_have_aggregates() -> None:
    for suite in (q.Suite.MIN_SIG, q.Suite.ED25519):
        world = World(suite, 1)
        for call in (
            lambda world=world: world.aggregate(0),
            lambda world=world: Pool(world.committee, 0, world.statement),
            lambda world=world: Gossip(world.committee, 0, world.statement),
            lambda world=world: Aggregate.decode(bytes(100), world.committee),
        ):
            with pytest.raises(q.WrongContextError):
                call()


def test_winners_of_a_lottery_prove_that_they_won(world: World) -> None:
    seed = Seed.genesis(CHAIN, b"a public random value")
    lottery = Lottery(world.committee, seed, 3)
    assert (lottery.round, lottery.expected, lottery.seed, EXPECTED_WINNERS) == (3, 7, seed, 7)
    assert lottery.committee == world.committee
    won = [lottery.draw(secret) for secret in world.secrets]
    tickets = [ticket for ticket in won if ticket is not None]
    assert len(tickets) == MEMBERS, "of seven, seven win"
    scores = [ticket.score for ticket in tickets]
    assert isinstance(scores[0], Score) and len(set(scores)) == MEMBERS
    assert sorted(scores, key=bytes) == sorted(scores) and len(bytes(scores[0])) == 32
    for ticket in tickets:
        again = Ticket.decode(world.suite, ticket.value.encode())
        assert again == ticket.value and again.verify(lottery) == ticket
        assert asyncio.run(again.verify_async(lottery)).score == ticket.score
    rare = Lottery(world.committee, seed, 3, expected=1)
    losers = [ticket.value for ticket, drawn in zip(tickets, map(rare.draw, world.secrets)) if drawn is None]
    assert losers
    for loser in losers:
        with pytest.raises(q.NotDrawnError):
            loser.verify(rare)
    with pytest.raises(q.WrongContextError):
        tickets[0].value.verify(Lottery(world.committee, seed, 4))
    stolen = Ticket(3, 1, tickets[0].value.signature)
    with pytest.raises(q.BadSignatureError) as caught:
        stolen.verify(lottery)
    assert caught.value.culprits == (1,)
    with pytest.raises(q.WrongContextError):
        lottery.draw(q.SecretKey.generate(world.suite))
    with pytest.raises(OverflowError, match="expected must be from 1"):
        Lottery(world.committee, seed, 3, expected=0)


def test_a_seed_follows_from_a_proof(world: World) -> None:
    seed = Seed.genesis(CHAIN, b"a public random value")
    proof = SeedProof.sign(world.secrets[2], world.committee, seed)
    following = seed.next(proof, world.committee)
    assert (proof.signer, following.height, len(following.value)) == (2, 1, 32)
    assert Seed.decode(following.encode()) == following != seed and len(following.encode()) == Seed.LEN
    assert SeedProof.decode_detached(world.suite, proof.encode_detached(), 2) == proof
    with pytest.raises(q.BadSignatureError):
        seed.next(SeedProof(3, proof.signature), world.committee)
    with pytest.raises(q.UnknownSignerError):
        seed.next(SeedProof(MEMBERS, proof.signature), world.committee)
    with pytest.raises(q.WrongContextError):
        ed25519 = World(q.Suite.ED25519, 1)
        SeedProof.sign(ed25519.secrets[0], ed25519.committee, seed)


def test_verified_objects_are_neither_constructed_nor_pickled(world: World) -> None:
    lottery = Lottery(world.committee, Seed.genesis(CHAIN, b""), 3)
    ticket = lottery.draw(world.secrets[0])
    assert ticket is not None
    for verified in (world.aggregate(0), ticket):
        assert copy.copy(verified) is verified and copy.deepcopy(verified) is verified
        with pytest.raises(TypeError):
            pickle.dumps(verified)
        with pytest.raises(TypeError):
            type(verified)()
    with pytest.raises(TypeError):
        pickle.dumps(ticket.score)
    seed = lottery.seed
    proof = SeedProof.sign(world.secrets[0], world.committee, seed)
    for value in (seed, proof, ticket.value):
        assert pickle.loads(pickle.dumps(value)) == value


def test_bytes_of_any_length_are_refused_or_read(world: World) -> None:
    whole = world.sum(0, 1).merge(world.aggregate(0)).value.encode()
    for length in range(len(whole)):
        with pytest.raises((q.MalformedError, q.NonCanonicalError, q.TooLargeError)):
            Aggregate.decode(whole[:length], world.committee)
    with pytest.raises(q.MalformedError):
        Aggregate.decode(whole + b"\0", world.committee)
    for length in range(Seed.LEN):
        with pytest.raises(q.MalformedError):
            Seed.decode(bytes(length))
    for data in (b"", bytes([1]), bytes(60)):
        with pytest.raises((q.MalformedError, q.WrongContextError)):
            Ticket.decode(world.suite, data)
        with pytest.raises((q.MalformedError, q.WrongContextError)):
            SeedProof.decode(world.suite, data)
