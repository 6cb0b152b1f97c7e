"""Keys and guards: they stay closed, are never printed, and leave no copy of a closed key in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import quorate as q
from conftest import Setup


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
