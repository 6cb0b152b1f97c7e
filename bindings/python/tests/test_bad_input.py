"""Invalid arguments raise Python's own exceptions, or quorate's with its code; no input ends the process or reveals a
secret.
"""

from __future__ import annotations

import array
import copy
import gc
import itertools
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import quorate as q
from conftest import Setup
from quorate import wire

SECRET = bytes([7]) * 32


def test_errors_are_python_s_kinds_with_details() -> None:
    with pytest.raises(q.MalformedError) as caught:
        q.ChainId.from_bytes(b"")
    assert caught.value.code == "MALFORMED" and isinstance(caught.value, ValueError)
    assert caught.value.details["what"] and caught.value.culprits == ()
    with pytest.raises(q.WrongContextError) as foreign:
        q.SecretKey.generate("rsa")
    assert foreign.value.details["what"] == "suite"
    with pytest.raises(q.TooLargeError) as large:
        wire.Reader(b"\xff" * 4).bytes(1000)
    assert large.value.details["limit"] == 1000
    with pytest.raises(q.MalformedError):
        wire.Reader(b"").raw((1 << 64) - 1)


def test_signer_sets_have_the_operators_of_sets() -> None:
    signers = q.SignerSet(5, [3, 1])
    assert list(signers) == [1, 3] and len(signers) == 2 and 3 in signers and 2 not in signers
    assert list(~signers) == [0, 2, 4] and signers | ~signers == q.SignerSet.full(5) and len(signers & ~signers) == 0
    with pytest.raises(TypeError):
        hash(signers)


class Endless:
    """Claims to be short, and never ends."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self.item)


def test_lists_are_read_only_up_to_their_limit(setup: Setup) -> None:
    committee, secret, huge = setup.committee, setup.secrets[0], range((1 << 63) - 1)
    sets: list[Callable[[], object]] = [lambda: q.SignerSet(4, huge), lambda: committee.signer_set(indices=huge)]
    for make in sets:
        with pytest.raises(q.UnknownSignerError) as unknown:
            make()
        assert unknown.value.details == {"index": 4}
    member: Any = (secret.public_key(), 1)
    endless: list[tuple[type[q.QuorateError], Callable[[], object]]] = [
        (q.DuplicateSignerError, lambda: q.SignerSet(4, Endless(1))),
        (q.DuplicateSignerError, lambda: committee.signer_set(indices=Endless(1))),
        (q.DuplicateSignerError, lambda: committee.verify_raw_each(Endless((1, b"m")), b"")),
        (q.BadCommitteeError, lambda: q.Committee.from_attested(committee.chain, 1, Endless(member), allow_repeats=True)),
    ]
    if setup.suite == q.Suite.ED25519:
        items = Endless((b"m", q.SignerSet(4, [0]), b""))
        endless.append((q.TooLargeError, lambda: committee.verify_raw_batch(items)))
        endless.append((q.TooLargeError, lambda: q.Certificate.verify_batch(committee, Endless(setup.certificate()))))
    for kind, call in endless:
        with pytest.raises(kind) as refused:
            call()
        assert kind is not q.TooLargeError or refused.value.details == {"what": "list", "limit": 1 << 22}
    with pytest.raises(TypeError):
        q.Guard.restore(secret, committee.chain, huge)  # type: ignore[arg-type]
    assert secret.closed, "a guard takes its secret also if it cannot be restored"


def test_any_iterable_but_a_string_is_a_list() -> None:
    assert list(q.SignerSet(5, (member for member in (3, 1)))) == [1, 3]
    assert list(q.SignerSet(5, {1: "", 3: ""})) == [1, 3]
    for wrong in ("", "12", 7, None):
        with pytest.raises(TypeError, match="members"):
            q.SignerSet(5, wrong)  # type: ignore[arg-type]


def test_buffers_of_all_kinds_give_the_same_bytes() -> None:
    data = bytes(range(32))
    expected = q.ChainId.from_bytes(data)
    spread = bytearray(64)
    spread[::2] = data
    buffers: list[Any] = [
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(data)),
        memoryview(spread)[::2],
        memoryview(bytes(reversed(data)))[::-1],
        array.array("B", data),
    ]
    for buffer in buffers:
        assert q.ChainId.from_bytes(buffer) == expected
    with pytest.raises(TypeError):
        q.ChainId.from_bytes(array.array("I", range(8)))
    view = memoryview(data)
    view.release()
    with pytest.raises(ValueError):
        q.ChainId.from_bytes(view)


def test_later_changes_to_a_buffer_have_no_effect() -> None:
    data = bytearray(b"\x01\x02\x03\x04")
    reader = wire.Reader(data)
    data[:] = b"\xff" * 40  # and it can be resized
    assert reader.u32() == 0x04030201


def test_verified_objects_do_not_change(setup: Setup) -> None:
    verified = setup.vote(0).verify(setup.committee)
    with pytest.raises(AttributeError):
        verified.value = setup.vote(1)  # type: ignore[misc]
    assert copy.deepcopy(verified) is verified


def test_errors_survive_pickling(setup: Setup) -> None:
    vote = setup.vote(0)
    with pytest.raises(q.BadSignatureError) as caught:
        q.Vote(vote.statement, 1, vote.signature).verify(setup.committee)
    error, same = caught.value, pickle.loads(pickle.dumps(caught.value))
    assert type(same) is type(error) and str(same) == str(error)
    assert same.culprits == error.culprits == (1,) and same.details == error.details == {"signers": [1]}


def test_equality_hash_and_order_follow_the_bytes(setup: Setup) -> None:
    first, second = (q.ChainId.from_bytes(bytes([n]) * 32) for n in (1, 2))
    assert first < second and len({first, second, q.ChainId.from_bytes(b"\x01" * 32)}) == 2
    assert first != q.CommitteeId.from_bytes(b"\x01" * 32)
    assert bytes(first) == b"\x01" * 32 and str(first) == "01" * 32
    with pytest.raises(TypeError):
        assert first < q.CommitteeId.from_bytes(b"\x02" * 32)
    secret = q.SecretKey.from_bytes(q.Suite.MIN_PK, SECRET)
    keys = {secret.public_key(), q.SecretKey.from_bytes(q.Suite.MIN_PK, SECRET).public_key()}
    assert len(keys) == 1
    assert hash(secret.sign(b"x")) == hash(secret.sign(b"x"))
    assert {secret.public_key(): 1}[secret.public_key()] == 1
    assert {setup.committee: 1}[q.VoteCollector(setup.committee, 1, 9).committee] == 1


def test_the_codes_are_the_classes(setup: Setup) -> None:
    classes = q.QuorateError.__subclasses__()
    assert sorted(q.CODES) == sorted(each.code for each in classes)
    assert q.CODES[-1] == "CLOSED" and len(set(q.CODES)) == len(q.CODES) == 31
    for each in classes:
        words = each.__name__.removesuffix("Error")
        assert "".join("_" + c if c.isupper() else c.upper() for c in words).strip("_") == each.code
        assert getattr(q, each.__name__) is each
    gc.collect()
