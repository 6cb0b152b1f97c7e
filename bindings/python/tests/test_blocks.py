"""Python's own features in erasure coding, aggregates, lotteries and threshold blocks: the interpreter's lock, endless
lists, unknown names, order and times.
"""

from __future__ import annotations

import itertools
import pickle
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
import quorate as q
from conftest import Setup
from quorate.erasure import Coder, Coding, Dispersal, Packets, Shape, Suite
from quorate.gossip import Parameters
from quorate.sortition import Lottery, Score, Seed
from quorate.threshold import Threshold, Tolerance, ecdsa, tdh2

COMMITTEE = q.CommitteeId.from_bytes(bytes([7] * 32))


def coder_of(suite: Suite = Suite.GF8, data: int = 3, parity: int = 4) -> Coder:
    return Coder(Coding(Shape(data, parity), 1 << 16, suite))


def test_a_code_that_is_not_in_this_build_says_so() -> None:
    jerasure = Suite.jerasure(Packets(7, 3))
    if not jerasure.is_available():
        with pytest.raises(q.BadShapeError, match="not in this build"):
            Coder(Coding(Shape(3, 4), 100, jerasure))


def test_long_calls_let_other_threads_run() -> None:
    coder = Coder(Coding(Shape.for_committee(100, 25), 25_000_000))
    message = bytes(25_000_000)

    def turns_during(work: Callable[[], Dispersal]) -> tuple[int, Dispersal]:
        results: list[Dispersal] = []
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += 1
        return turns, results[0]

    dispersing, sent = turns_during(lambda: coder.disperse(message))
    shards = sent.shards()[50:]
    decoding, again = turns_during(lambda: coder.decode(shards))
    assert min(dispersing, decoding) > 100 and again == sent and again.message == message


def test_endless_lists_of_shards_are_refused() -> None:
    coder = coder_of()
    with pytest.raises(q.DuplicateSignerError):
        coder.decode(itertools.repeat(coder.disperse(b"m").shard(0)))


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


def encrypted(keys: tdh2.PublicKeys, plaintext: bytes = b"secret") -> tdh2.ValidCiphertext:
    key = tdh2.EncryptionKey.from_public_keys(keys)
    return tdh2.Ciphertext.decode(key.encrypt(12, 3, plaintext).encode()).check(key, 12, 3)


def test_unknown_names_are_refused() -> None:
    for call in (lambda: ecdsa.GroupKey.decode("p256", b""), lambda: Tolerance(4, 1).threshold("maybe")):
        with pytest.raises(q.WrongContextError):
            call()


def test_endless_lists_of_shares_are_refused() -> None:
    keys, shares = tdh2.PublicKeys.deal(COMMITTEE, Threshold(2, 4))
    ciphertext = encrypted(keys)
    verified = keys.verify_share(ciphertext, shares[0].decryption_share(ciphertext))
    with pytest.raises(q.TooLargeError):
        ciphertext.combine(keys, itertools.repeat(verified))


def test_tags_are_ordered_and_hashed() -> None:
    plan = ecdsa.Plan.for_agreement(4)
    tags = [plan.prbc(5, 3), plan.promotion(5, 0, 0, 1), plan.completion(5, 0)]
    assert tags[0] < tags[1] and len(set(tags)) == 3
