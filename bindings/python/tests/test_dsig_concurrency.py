"""DSig in forked children, threads and coroutines: no key signs twice, and no call waits for a long one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import quorate as q
from conftest import code_of
from dsig_signers import NOW, VECTORS, prepared, signer_of, verifier_of
from quorate import dsig
from vector_support import together

FORK = """
import os, sys
import quorate as q
from quorate import dsig

signer = dsig.Signer(q.SecretKey.generate("ed25519"), log2_batch=2, low_water=1)
signer.prepare()
child = os.fork()
if child == 0:
    try:
        signer.sign(b"m")
    except q.ExhaustedError:
        os._exit(7 if signer.ready == 0 and signer.prepare() is not None else 2)
    os._exit(1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
assert signer.ready == 4
signer.sign(b"m")
"""


# A batch of this suite takes longest to generate. The child that waits for a lock is ended by the alarm.
FORK_MEANWHILE = """
import os, signal, sys, threading, time
import quorate as q
from quorate import dsig

verifier = dsig.Verifier("hors-m-sha-256")
# On a busy machine the batch may be complete when this thread runs again.
for _ in range(50):
    signer = dsig.Signer(q.SecretKey.generate("ed25519"), "hors-m-sha-256", log2_batch=7, low_water=1)
    thread = threading.Thread(target=signer.prepare)
    thread.start()
    time.sleep(0.01)
    if thread.is_alive() and signer.ready == 0:
        break
    thread.join()
else:
    sys.exit("the batch was always complete before the fork")
child = os.fork()
if child == 0:
    signal.alarm(120)
    made = signer.prepare()
    signature = signer.sign(b"m")
    verifier.admit(signer.public_key)
    verifier.announce(signer.public_key, made.announcement)
    verifier.verify(signer.public_key, b"m", signature)
    ready = signer.ready
    signer.close()
    os._exit(7 if ready == 127 and signer.closed else 1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
thread.join()
assert signer.ready == 128
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks on Windows")
@pytest.mark.parametrize("program", [FORK, FORK_MEANWHILE])
def test_a_forked_child_has_no_keys_and_waits_for_no_thread(program: str) -> None:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_threads_share_a_signer_and_no_key_signs_twice() -> None:
    signer, signatures, done = signer_of(log2=3, low_water=32), [], threading.Event()

    def prepare(_: int) -> None:
        while not done.is_set():
            signer.prepare(NOW)

    def sign(number: int) -> None:
        for round in range(50):
            message = bytes([number, round])
            while True:
                try:
                    signatures.append((message, signer.sign(message, now=NOW)))
                    break
                except q.ExhaustedError:
                    time.sleep(0.001)

    with ThreadPoolExecutor(2) as background:
        preparing = background.map(prepare, range(2))
        try:
            together(4, sign)
        finally:
            done.set()
        assert list(preparing) == [None, None] and len(signatures) == 200
    assert len({(signature[2:4], signature[8:40]) for _, signature in signatures}) == 200
    entries = [(signer.public_key, message, signature) for message, signature in signatures]
    assert dsig.verify_all("wots-blake3", entries) == [None] * 200


def test_signing_does_not_wait_for_prepare() -> None:
    # A batch of this suite takes longest to generate.
    signer = signer_of("hors-m-sha-256", 4, low_water=32)
    prepared(signer)
    thread = threading.Thread(target=signer.prepare, args=(NOW,))
    thread.start()
    signed = 0
    while thread.is_alive() and signed < 16:
        signer.sign(b"m", now=NOW)
        signed += 1
    thread.join()
    assert signed == 16, "all keys were used up while the next batch was made"
    assert signer.ready == 16


def test_verifying_does_not_wait_for_announcements() -> None:
    signer = signer_of(log2=7, low_water=2_000)
    verifier, key = verifier_of(signer, announced=32, burst=32), signer.public_key
    announcements = []
    while (made := signer.prepare(NOW)) is not None:
        announcements.append(made.announcement)
    assert len(announcements) == 16
    verifier.announce(key, announcements[0], NOW)
    signatures = [signer.sign(b"m", now=NOW) for _ in range(128)]
    with ThreadPoolExecutor(1) as background:
        announcing = background.map(lambda one: verifier.announce(key, one, NOW), announcements[1:])
        for signature in signatures:
            assert verifier.can_verify_fast(key, signature)
            verifier.verify(key, b"m", signature)
        assert list(announcing) == [None] * 15
    rest = [signer.sign(b"m", now=NOW) for _ in range(signer.ready)]
    assert all(verifier.can_verify_fast(key, signature) for signature in rest)


def test_of_two_concurrent_uses_of_a_key_one_is_refused() -> None:
    cases = json.loads(VECTORS.read_text())["cases"]
    evidence = next(bytes.fromhex(c["input"]["evidence"]) for c in cases if c["name"] == "reuse/two-messages")
    key = q.PublicKey.decode("ed25519", evidence[:32])
    half = len(evidence[32:]) // 2
    signed = [(part[4:-1584], part[-1584:]) for part in (evidence[32:][:half], evidence[32:][half:])]
    for _ in range(20):
        verifier = dsig.Verifier()
        verifier.admit(key)
        codes = together(2, lambda n: code_of(lambda: verifier.verify(key, *signed[n])))  # noqa: B023
        assert sorted(codes) == ["ONE_TIME_REUSE", "ok"]


def test_coroutines_prepare_and_audit() -> None:
    async def run() -> None:
        signer = signer_of()
        announced = await signer.prepare_async(NOW)
        assert announced is not None and await signer.prepare_async(NOW) is None
        message = bytearray(b"message")
        entries = [(signer.public_key, message, signer.sign(message, now=NOW))]
        checking = dsig.verify_all_async("wots-blake3", entries)
        message[:] = b"changed"
        assert await checking == [None]

    asyncio.run(run())
