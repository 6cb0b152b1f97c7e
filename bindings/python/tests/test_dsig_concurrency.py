"""DSig in forked children and coroutines: no key signs twice."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from dsig_signers import NOW, signer_of

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


def test_coroutines_prepare() -> None:
    async def run() -> None:
        signer = signer_of()
        announced = await signer.prepare_async(NOW)
        assert announced is not None and await signer.prepare_async(NOW) is None

    asyncio.run(run())
