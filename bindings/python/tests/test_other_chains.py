"""What only Python has of other chains' signatures: coroutines, any iterable and buffer."""

from __future__ import annotations

import asyncio

import quorate as q
from conftest import Setup


def test_messages_of_members_are_any_iterable_and_can_be_awaited(setup: Setup) -> None:
    if setup.suite != q.Suite.ED25519:
        return
    committee, votes = setup.committee, [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")]
    proof = b"".join(setup.secrets[member].sign(message).encode() for member, message in votes)
    assert committee.verify_raw_each(dict(votes).items(), bytearray(proof)) == 3
    buffers = [(member, bytearray(message)) for member, message in votes]
    check = committee.verify_raw_each_async(buffers, proof)
    buffers[0][1][:] = b"changed"
    assert asyncio.run(check) == 3
    signers = q.SignerSet(4, [0])
    one = setup.secrets[0].sign(b"m").encode()
    batch = committee.verify_raw_batch_async([(b"m", signers, one), (b"x", q.SignerSet(4, [0]), one)])
    signers.insert(1)  # too late
    weight, bad = asyncio.run(batch)
    assert weight == 1 and isinstance(bad, q.BadSignatureError) and bad.culprits == (0,)
