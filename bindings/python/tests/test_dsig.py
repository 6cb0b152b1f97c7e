"""DSig in idiomatic Python, in forked children and in coroutines. What is not about Python is in
`bindings/interface/operations/behaviour/dsig.rs`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import quorate as q
from conftest import NOW, SECRET, prepared, signer_of, verifier_of
from quorate import dsig


def test_groups_and_hints_are_any_iterables() -> None:
    signer = signer_of(groups=[{0, 1, 2}, range(2), iter([7])])
    groups = []
    while (announced := signer.prepare(NOW)) is not None:
        groups.append(announced.to)
    assert sorted(map(str, groups)) == ["None", "[0, 1, 2]", "[0, 1]", "[7]"]
    for hint in ([1], (2, 0), {7}, range(2)):
        signer.sign(b"m", hint, NOW)


def test_a_signer_closes_with_its_block() -> None:
    secret = q.SecretKey.from_bytes("ed25519", SECRET)
    with dsig.Signer(secret) as signer:
        assert secret.closed and not signer.closed
    assert signer.closed
    with pytest.raises(q.ClosedError):
        asyncio.run(signer.prepare_async())
    secret = q.SecretKey.generate("ed25519")
    with pytest.raises(q.WrongContextError):
        dsig.Signer(secret, "wots")
    assert not secret.closed, "an argument of no value"


def test_wrong_arguments_raise_python_errors_that_name_them() -> None:
    wrong: Any
    for name, wrong in (("groups", object()), ("groups", ["12"])):
        with pytest.raises(TypeError, match=name):
            signer_of(**{name: wrong})
    suites: list[Callable[[], object]] = [
        lambda: dsig.Verifier("rsa"),
        lambda: dsig.Auditor("WOTS-BLAKE3"),
        lambda: dsig.verify_reuse("", b""),
        lambda: dsig.verify_all("3", []),
    ]
    for call in suites:
        with pytest.raises(q.WrongContextError) as caught:
            call()
        assert caught.value.details["what"] == "suite"


def test_sizes_cost_nothing() -> None:
    most = (1 << 64) - 1
    signer = signer_of(low_water=most, lifetime=timedelta.max)
    prepared(signer)
    verifier = verifier_of(signer, announced=most, checked=most, burst=(1 << 32) - 1, interval=timedelta.max)
    auditor, signature = dsig.Auditor(roots=most), signer.sign(b"m", now=NOW)
    verifier.verify(signer.public_key, b"m", signature)
    auditor.check(signer.public_key, b"m", signature)


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


def test_coroutines_prepare_and_announce() -> None:
    async def run() -> None:
        signer = signer_of()
        announced = await signer.prepare_async(NOW)
        assert announced is not None and await signer.prepare_async(NOW) is None
        verifier, key = verifier_of(signer), signer.public_key
        await verifier.announce_async(key, announced.announcement, NOW)
        assert verifier.can_verify_fast(key, signer.sign(b"m", now=NOW))
        with pytest.raises(q.MalformedError):
            await verifier.announce_async(key, b"", NOW)

    asyncio.run(run())
