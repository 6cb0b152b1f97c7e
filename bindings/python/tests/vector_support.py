"""The functions that the generated operations and behaviours call: see `bindings/generator/src/operations.rs`."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import reduce as reduce
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

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


def again(data: bytes, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> Any:
    """Decodes; the value must encode to the same bytes."""
    value = decode(data)
    assert encode(value) == data, "decoded, but encodes to something else"
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


def all_refused(items: list[Any], step: Callable[[Any], Any]) -> None:
    for item in items:
        refuses("any", lambda item=item: step(item))  # type: ignore[misc]


def out_of_range(name: str, step: Callable[[], Any]) -> None:
    try:
        result = step()
    except OverflowError as error:
        assert name in str(error), error
    else:
        raise AssertionError(f"{name} was accepted: {result}")


def there(value: Any) -> Any:
    assert value is not None
    return value


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


def yes(holds: bool) -> str:
    return {True: "yes", False: "no"}[holds]


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


def suite(number: int) -> quorate.Suite:
    return next(one for one in quorate.Suite if one.number == number)


def suites() -> list[quorate.Suite]:
    return list(quorate.Suite)


def is_suite(number: int) -> bool:
    return any(one.number == number for one in quorate.Suite)


def suite_named(name: str) -> quorate.Suite:
    return quorate.Suite(name)


def suite_number(one: quorate.Suite) -> int:
    return one.number


def group(number: int) -> quorate.threshold.Group:
    return next(one for one in quorate.threshold.Group if one.number == number)


def parameters(given: Json) -> quorate.gossip.Parameters:
    times = {"back_off", "send_timeout"}
    chosen = {name: timedelta(0, 0, value) if name in times else value for name, value in given["parameters"].items()}
    return quorate.gossip.Parameters(**chosen)


def is_whole() -> bool:
    return True


def is_closed(secret: Any) -> bool:
    return bool(secret.closed)


def microseconds(count: int) -> timedelta:
    return timedelta(microseconds=count)


def joined(parts: list[bytes]) -> bytes:
    return b"".join(parts)


def zeros(count: int) -> bytes:
    return bytes(count)


def filled(value: int, count: int) -> bytes:
    return bytes([value]) * count


def flipped(data: bytes, at: int) -> bytes:
    """The bytes with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def encoded_u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def decoded_u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def with_u16(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + value.to_bytes(2, "little") + data[at + 2 :]


def first(data: bytes, count: int) -> bytes:
    return data[:count]


def slice(items: Any, start: int, end: int) -> Any:
    return items[start:end]


def last(items: list[Any], count: int) -> list[Any]:
    return items[len(items) - count :]


def present(items: list[Any]) -> list[Any]:
    return [one for one in items if one is not None]


least = min
utf8 = str.encode


def missing_folder() -> str:
    """The path of a folder that can be created; it is removed at the end."""
    folder = mkdtemp(prefix="quorate-")
    atexit.register(rmtree, folder)
    return str(Path(folder) / "journal")


def damage_journal(path: str) -> None:
    """Changes a bit of the journal's second record."""
    file = Path(path) / "guard.journal"
    file.write_bytes(flipped(file.read_bytes(), 100))
