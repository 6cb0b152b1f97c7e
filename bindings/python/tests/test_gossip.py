"""What only Python has of aggregates and lotteries: coroutines, pickling, its order and its times."""

from __future__ import annotations

import asyncio
import copy
import pickle
from datetime import timedelta

import pytest
import quorate as q
from conftest import Setup
from quorate.gossip import Aggregate, Parameters, VerifiedAggregate
from quorate.sortition import Lottery, Score, Seed, SeedProof


def aggregate(setup: Setup) -> VerifiedAggregate:
    return Aggregate.from_vote(setup.vote(0).verify(setup.committee), setup.committee)


def test_aggregates_and_tickets_are_awaited_compared_and_pickled(setup: Setup) -> None:
    if setup.suite not in (q.Suite.MIN_SIG_COUNTED, q.Suite.MIN_PK_COUNTED):
        return
    committee, verified = setup.committee, aggregate(setup)
    lottery = Lottery(committee, Seed.genesis(committee.chain, b""), 3)
    tickets = [ticket for ticket in map(lottery.draw, setup.secrets) if ticket is not None]
    value = verified.value
    assert asyncio.run(value.verify_async(committee)) == verified
    assert asyncio.run(Aggregate.verify_batch_async(committee, (each for each in [value]))) == [verified]
    assert asyncio.run(Aggregate.verify_batch_derived_async(committee, [value])) == [verified]
    assert asyncio.run(tickets[0].value.verify_async(lottery)).score == tickets[0].score
    scores = [ticket.score for ticket in tickets]
    assert isinstance(scores[0], Score) and len(set(scores)) == 4
    assert sorted(scores, key=bytes) == sorted(scores) and len(bytes(scores[0])) == 32
    for checked in (verified, tickets[0]):
        assert copy.copy(checked) is checked and copy.deepcopy(checked) is checked
        with pytest.raises(TypeError):
            pickle.dumps(checked)
        with pytest.raises(TypeError):
            type(checked)()
    with pytest.raises(TypeError):
        pickle.dumps(scores[0])
    for plain in (lottery.seed, SeedProof.sign(setup.secrets[0], committee, lottery.seed), tickets[0].value):
        assert pickle.loads(pickle.dumps(plain)) == plain


def test_parameters_have_python_s_times() -> None:
    parameters = Parameters(fan_out=2, send_timeout=timedelta(milliseconds=100))
    assert (parameters.fan_out, parameters.batch, parameters.limit, parameters.preferred) == (2, 4, 255, 16)
    assert parameters.back_off == timedelta(seconds=2) and parameters == Parameters(fan_out=2, send_timeout=timedelta(0, 0.1))
