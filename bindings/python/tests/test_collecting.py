"""Collecting votes in idiomatic Python."""

from __future__ import annotations

import sys
import threading
import time

import pytest
import quorate as q
from conftest import Setup, code_of
from quorate import faults
from vector_support import together


def test_faults_are_classes_that_match(setup: Setup) -> None:
    collector, suspects = q.VoteCollector(setup.committee, 1, 9), q.Suspects()
    assert collector.add(setup.vote(0).verify(setup.committee), suspects) == q.Collected(None, [])
    match collector.add(setup.vote(0, digest=8), suspects).faults:
        case [faults.Equivocation(0, evidence)]:
            assert evidence.value.culprits == [0]
        case others:
            raise AssertionError(others)
    assert collector.topic == (1, 9)


def test_closing_a_secret_while_threads_sign_raises_closed(setup: Setup) -> None:
    secret = setup.secrets[0]

    def work(number: int) -> None:
        if number == 0:
            secret.close()
        while number > 0:
            secret.sign(b"message")

    assert together(5, lambda number: code_of(lambda: work(number))) == ["ok"] + ["CLOSED"] * 4


def test_verifying_releases_the_interpreter(setup: Setup) -> None:
    certificates, ticks, counted = [setup.certificate()] * 1000, 0, 0

    def verify() -> None:
        nonlocal counted
        # More calls than should be needed: a busy machine may run the other thread late.
        for _ in range(100):
            before = ticks
            q.Certificate.verify_batch_derived(setup.committee, certificates)
            counted += ticks - before
            if counted > 10:
                return

    thread, interval = threading.Thread(target=verify), sys.getswitchinterval()
    # The switch interval forces no switch: the other thread counts only while the one call has released the
    # interpreter.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        while thread.is_alive():
            ticks += 1
            time.sleep(0)
    finally:
        sys.setswitchinterval(interval)
    assert counted > 10
