"""What only Python has of aggregates and lotteries: its order and its times."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest
import quorate as q
from conftest import Setup
from quorate.gossip import Parameters
from quorate.sortition import Lottery, Score, Seed


def test_scores_are_ordered(setup: Setup) -> None:
    if setup.suite == q.Suite.ED25519:
        return
    lottery = Lottery(setup.committee, Seed.genesis(setup.committee.chain, b""), 3)
    tickets = [ticket for ticket in map(lottery.draw, setup.secrets) if ticket is not None]
    scores = [ticket.score for ticket in tickets]
    assert isinstance(scores[0], Score) and len(set(scores)) == 4
    assert sorted(scores, key=bytes) == sorted(scores) and len(bytes(scores[0])) == 32
    with pytest.raises(TypeError):
        pickle.dumps(scores[0])


def test_parameters_have_python_s_times() -> None:
    parameters = Parameters(fan_out=2, send_timeout=timedelta(milliseconds=100))
    assert (parameters.fan_out, parameters.batch, parameters.limit, parameters.preferred) == (2, 4, 255, 16)
    assert parameters.back_off == timedelta(seconds=2) and parameters == Parameters(fan_out=2, send_timeout=timedelta(0, 0.1))
