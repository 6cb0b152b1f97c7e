"""The functions that the generated operations and behaviours call: see `bindings/generator/src/operations.rs`."""

from __future__ import annotations

import atexit
import copy
import inspect
import json
import pickle
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import reduce as reduce
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeVar

import pytest
import quorate
import quorate.bls
import quorate.dsig
import quorate.erasure
import quorate.gossip
import quorate.merkle
import quorate.sortition
import quorate.threshold.bls
import quorate.threshold.coin
import quorate.threshold.ecdsa
import quorate.threshold.seal
import quorate.threshold.tdh2
import quorate.wire

Json = Any
unhex = bytes.fromhex


Result = TypeVar("Result")


def together(threads: int, work: Callable[[int], Result]) -> list[Result]:
    """Starts the work in all threads at the same time; an exception in one is raised here."""
    start = threading.Barrier(threads)

    def started(number: int) -> Result:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(started, range(threads)))


class Refused(Exception):
    """An error of the core's that no function of the package raises here."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def fail(code: str) -> None:
    raise Refused(code)


def unknown(what: str) -> None:
    raise AssertionError(f"an unknown {what}")


def check(holds: bool, what: str) -> None:
    assert holds, what


# How many encodings of each class are also decoded truncated, extended and changed.
DAMAGED = 2
damaged: Counter[type] = Counter()


def again(data: bytes, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> Any:
    """Decodes; the value must encode to the same bytes. Other bytes are refused, or encode to themselves."""
    value = decode(data)
    assert encode(value) == data, "decoded, but encodes to something else"
    damaged[type(value)] += 1
    if damaged[type(value)] <= DAMAGED:
        for bad in (data[: len(data) // 2], data[:-1], data + b"\0", b"\xff" * 1000, bytes(1 << 20)):
            refuses("any", lambda: decode(bad))  # noqa: B023
        step = 1 + len(data) // 20
        for other in (b"", b"\xff" * len(data), *(flipped(data, at) for at in range(0, len(data), step))):
            found = attempt(lambda: decode(other))  # noqa: B023
            assert refused(found) or encode(found) == other, "decoded, but encodes to something else"
    return value


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def some(value: Any, convert: Callable[[Any], Any]) -> Any:
    return None if value is None else convert(value)


# A verdict is a value or an error.


def attempt(step: Callable[[], Any]) -> Any:
    try:
        return step()
    except quorate.QuorateError as error:
        return error


def unwrap(verdict: Any) -> Any:
    if isinstance(verdict, quorate.QuorateError):
        raise verdict
    return verdict


def refused(verdict: Any) -> str | None:
    return verdict.code if isinstance(verdict, quorate.QuorateError) else None


def refuses(code: str, step: Callable[[], Any], culprits: list[int] | None = None) -> None:
    """The step must fail with this error of the core, or with any."""
    error = attempt(step)
    assert isinstance(error, quorate.QuorateError), f"{code} expected, but the result is {error}"
    assert code in ("any", error.code), f"{code} expected, not {error!r}"
    assert culprits is None or list(error.culprits) == culprits, error.culprits


def out_of_range(name: str, step: Callable[[], Any]) -> None:
    with pytest.raises(OverflowError, match=name):
        step()


class OwnError(Exception):
    """The exception of hooks in the tests."""


def own_error() -> None:
    raise OwnError


def throws(what: str, step: Callable[[], Any]) -> None:
    with pytest.raises(OwnError if what == "own" else RecursionError):
        step()


def there(value: Any) -> Any:
    assert value is not None
    return value


def closes(secret: Any, hidden: bytes) -> None:
    """The secret is neither shown nor copied; once it is closed, no property and no function without arguments can be used."""
    for text in (repr(secret), str(secret), f"{secret}"):
        assert hidden.hex()[-24:] not in text and hidden.hex()[:12] not in text and "closed" not in text
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(secret, protocol)
    for copied in (copy.copy, copy.deepcopy, json.dumps, lambda one: type("Sub", (type(one),), {})):
        with pytest.raises(TypeError):
            copied(secret)
    assert not hasattr(secret, "__dict__")
    with secret as same:
        assert same is secret and not secret.closed
    secret.close()
    assert secret.closed and ("closed" in repr(secret) or "gone" in repr(secret))
    for name in dir(secret):
        is_own = not isinstance(inspect.getattr_static(secret, name), (staticmethod, int))
        if not is_own or name.startswith("_") or name.endswith("_async") or name in ("close", "closed"):
            continue
        use = attempt(lambda: getattr(secret, name))  # noqa: B023
        # The behaviours call functions with arguments.
        is_used = refused(use) is None and any(
            each.default is each.empty for each in inspect.signature(use).parameters.values()
        )
        assert is_used or refused(use) == "CLOSED" or refused(attempt(use)) == "CLOSED", name


def culprits(verdict: Any) -> list[int]:
    assert verdict.details == {"members": list(verdict.culprits)}
    return list(verdict.culprits)


def agree(verdicts: list[Any], single: Any) -> None:
    assert verdicts
    for verdict in verdicts:
        assert refused(verdict) == refused(single), "a batch decides otherwise"
        assert refused(single) or equal(verdict, single), "a batch has another result"


def outcome(step: Callable[[], Any]) -> Json:
    result = attempt(step)
    return refused(result) or shown(result)


def wide(value: Any) -> Any:
    """Integers of 64 bits and more, which are text."""
    if value is None:
        return None
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else str(value)


def shown(value: Any) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if value is None or isinstance(value, (bool, int, str, dict)):
        return value
    return [shown(one) for one in value] if isinstance(value, Iterable) else str(value)


def parameters(given: Json) -> quorate.gossip.Parameters:
    times = {"back_off", "send_timeout"}
    chosen: dict[str, Any] = given["parameters"]
    chosen = {name: timedelta(0, 0, one) if name in times else one for name, one in chosen.items()}
    return quorate.gossip.Parameters(**chosen)


def is_whole() -> bool:
    return True


def flipped(data: bytes, at: int) -> bytes:
    """The bytes with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def missing_folder() -> str:
    """The path of a folder that can be created; it is removed at the end."""
    folder = mkdtemp(prefix="quorate-")
    atexit.register(rmtree, folder)
    return str(Path(folder) / "journal")


def damage_journal(path: str) -> None:
    """Changes a bit of the journal's second record."""
    file = Path(path) / "guard.journal"
    file.write_bytes(flipped(file.read_bytes(), 100))
