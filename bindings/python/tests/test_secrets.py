"""Keys and guards: they stay closed, are never printed, and leave no copy of a closed key in memory."""

from __future__ import annotations

import copy
import inspect
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import quorate as q
from conftest import Setup
from quorate import dsig
from quorate.threshold import Threshold, Tolerance, bls, coin, ecdsa, seal, tdh2

SECRET = bytes([7]) * 32


def test_a_secret_is_closed_at_the_end_of_its_block(setup: Setup) -> None:
    with setup.secrets[1] as same:
        assert same is setup.secrets[1] and not same.closed
    assert same.closed and "closed" in repr(same)
    with q.Guard(setup.secrets[0], setup.committee.chain) as guard:
        vote, record = guard.sign(setup.committee, setup.statement(1))
        assert vote.signer == 0 and guard.records() == [record]
        with pytest.raises(q.ContradictionError) as caught:
            guard.sign(setup.committee, setup.statement(2))
        assert caught.value.details == {"kind": 1, "signed_view": 9}
        assert guard.last(1) == (3, 9)
    with pytest.raises(q.ClosedError):
        guard.sign(setup.committee, setup.statement(1))


def secrets() -> Iterator[Any]:
    """Each kind of secret, made of the same bytes where it can be."""
    for suite in q.Suite:
        yield q.SecretKey.from_bytes(suite, SECRET)
        yield q.Guard(q.SecretKey.from_bytes(suite, SECRET), q.ChainId.from_name("x"))
    signer = dsig.Signer(q.SecretKey.from_bytes("ed25519", SECRET), log2_batch=2, low_water=1)
    assert signer.prepare() is not None
    yield signer
    committee = q.CommitteeId.from_bytes(bytes(32))
    dealer = ecdsa.TrustedDealer("secp256k1", committee, Tolerance(4, 1))
    party = dealer.deal(3, ecdsa.Plan.for_agreed(3))[0]
    guard = q.Guard(q.SecretKey.from_bytes("ed25519", SECRET), q.ChainId.from_name("x"))
    opener = party.take(party.deal.plan.agreed(3, 1)).sign(guard, b"m").opener
    yield from (dealer, party.take(party.deal.plan.agreed(3, 2)), party, opener)
    yield tdh2.PublicKeys.deal(committee, Threshold(2, 4)).shares[0]
    yield coin.PublicKeys.deal(committee, Threshold(2, 4)).shares[0]
    yield bls.deal("bls-min-sig", committee, Tolerance(4, 1), "agreed")[0]
    yield seal.SealingKey.generate()


def test_secrets_are_closed_and_never_printed_pickled_or_copied() -> None:
    for secret in secrets():
        # A file of presignatures exists only while none was taken.
        is_readable = hasattr(secret, "to_bytes") and not isinstance(secret, ecdsa.Presignatures)
        data = secret.to_bytes().hex() if is_readable else SECRET.hex()
        for text in (repr(secret), str(secret), f"{secret}"):
            assert data[-24:] not in text and data[:12] not in text and "closed" not in text
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="cannot be pickled"):
                pickle.dumps(secret, protocol)
        for copied in (copy.copy, copy.deepcopy, json.dumps):
            with pytest.raises(TypeError):
                copied(secret)
        with pytest.raises(TypeError):
            type("Sub", (type(secret),), {})
        assert not hasattr(secret, "__dict__")
        with secret as same:
            assert same is secret and not secret.closed
        secret.close()
        assert secret.closed and ("closed" in repr(secret) or "gone" in repr(secret))
        refuses_every_use(secret)


def refuses_every_use(secret: Any) -> None:
    """No property and no function without arguments can be used."""
    for name in dir(secret):
        is_own = not isinstance(inspect.getattr_static(secret, name), (staticmethod, int))
        if not is_own or name.startswith("_") or name.endswith("_async") or name in ("close", "closed"):
            continue
        try:
            use = getattr(secret, name)
        except q.ClosedError:
            continue
        # The behaviours call functions with arguments.
        if all(each.default is not each.empty for each in inspect.signature(use).parameters.values()):
            with pytest.raises(q.ClosedError):
                use()


# The child must hold no other copy: it gets the key masked, unmasks it byte by byte in place, and wipes its own.
CHILD = """
import sys
import quorate as q

suite, way, masked = sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])
data = bytearray(32)
for at in range(32):
    data[at] = masked[at] ^ 0x5A
secret = q.SecretKey.from_bytes(suite, data)
for at in range(32):
    data[at] = 0
print("made", flush=True)
sys.stdin.readline()
chain = q.ChainId.from_name("memory")
committee = q.Committee(chain, 0, [(q.UnverifiedKey.prove(secret).verify(), 1)])
statement = committee.statement(1, 1, bytes(32))
if way == "close":
    q.Vote.sign_unguarded(secret, committee, statement)
    secret.close()
else:
    guard = q.Guard(secret, chain)
    guard.sign(committee, statement)
    guard.close()
print("closed", flush=True)
sys.stdin.readline()
"""


# As above, for the secrets of threshold blocks.
THRESHOLD_CHILD = """
import sys
import quorate as q
from quorate.threshold import Tolerance, coin, ecdsa, seal

way, masked = sys.argv[1], bytes.fromhex(sys.argv[2])
committee = q.CommitteeId.from_bytes(bytes(32))
generator = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
data = bytearray(b"\\x02" + bytes(32) + generator + bytes(34)) if way == "share" else bytearray(32)
for at in range(32):
    data[at - 32] = masked[at] ^ 0x5A
if way == "seal":
    secret = seal.SealingKey.from_bytes(data)
elif way == "share":
    with coin.KeyShare.from_bytes(data) as first:
        key = data[33:65] = first.verification_key
    secret = coin.KeyShare.from_bytes(data)
else:
    secret = ecdsa.TrustedDealer.from_bytes("ristretto255", committee, Tolerance(4, 1), data)
for at in range(32):
    data[at - 32] = 0
print("made", flush=True)
sys.stdin.readline()
if way == "seal":
    secret.open(b"", secret.public.seal(b"", b"content"))
elif way == "share":
    # One of one, so that the member's key is the committee's.
    keys = coin.PublicKeys.decode(b"\\x02" + bytes(32) + key + b"\\1\\0\\1\\0" + key)
    secret.coin_share(coin.Coin.from_name(keys, coin.CoinName(1, 1, 1, 1)))
else:
    secret.deal(1, ecdsa.Plan.for_agreed(2))
secret.close()
print("closed", flush=True)
sys.stdin.readline()
"""


def found(pid: int, key: bytes) -> int:
    """Counts the occurrences of either half of the key in a process's memory, in either byte order."""
    parts = [half[::step] for half in (key[:16], key[16:]) for step in (1, -1)]
    hits = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if not rights.startswith("rw") or "[v" in line:
                continue
            start, end = (int(address, 16) for address in span.split("-"))
            try:
                memory.seek(start)
                data = memory.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue
            hits += sum(data.count(part) for part in parts)
    return hits


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("way", ["close", "hand over"])
@pytest.mark.parametrize("suite", list(q.Suite), ids=str)
def test_a_closed_secret_leaves_no_copy_in_memory(suite: q.Suite, way: str) -> None:
    key = bytes([1]) + os.urandom(31)  # below the order of the BLS groups
    masked = bytes(byte ^ 0x5A for byte in key).hex()
    look_into([sys.executable, "-c", CHILD, suite.value, way, masked], key)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("way", ["seal", "share", "dealer"])
def test_a_closed_threshold_secret_leaves_no_copy_in_memory(way: str) -> None:
    key = os.urandom(31) + bytes([1])  # below the order of the group
    look_into([sys.executable, "-c", THRESHOLD_CHILD, way, bytes(byte ^ 0x5A for byte in key).hex()], key)


def look_into(arguments: list[str], key: bytes) -> None:
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "made\n"
        try:
            before = found(child.pid, key)
        except PermissionError:
            child.kill()
            pytest.skip("this system forbids reading another process's memory")
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "closed\n"
        after = found(child.pid, key)
        child.stdin.close()
    assert before >= 2, "the search finds what is there"
    assert after == 0
