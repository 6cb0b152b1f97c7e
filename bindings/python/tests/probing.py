"""Wrong arguments of every function: whenever a behaviour calls a function with right arguments, it is called with
wrong ones before. Each must be refused by an error that names the parameter and Python's type, and none may have an effect.
A function with an asynchronous form is called so too, and must have the same outcome, although its arguments change before it
is awaited. Results pickle, or say that they do not.
"""

from __future__ import annotations

import ast
import asyncio
import copy
import inspect
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
import quorate as q
import vector_operations

# The calls of one function that are repeated with wrong arguments.
REPEATED = 2
# Words of Rust, and of its macros.
FOREIGN = ("enum", "variant", "Plain", "PyRef", "u8", "u16", "u64", "Vec", "&")

# What Rust prints for a value that Python prints otherwise.
FOREIGN_TEXT = re.compile(r"\b(true|false|Some)\b")

OTHER = q.Suspects()


def replacements(value: Any) -> Iterator[tuple[Any, Any, type[Exception]]]:
    """What may not stand in place of a value: with the part that is wrong, and the kind of error."""
    wrong: list[Any] = [object(), 1.5]
    if isinstance(value, bool):
        wrong += ["text", 5]
    elif isinstance(value, int):
        wrong += ["1", [1]]
        for number in (-1, 1 << 200, -(1 << 200)):
            yield number, number, OverflowError
    elif isinstance(value, bytes) or callable(value):
        wrong += ["text", 5]
    elif isinstance(value, timedelta):
        wrong += ["text", 5]
        yield timedelta(-1), None, ValueError
    elif isinstance(value, str):
        wrong += [5, [1]]
    elif isinstance(value, (list, tuple)):
        wrong += ["text", 5] if isinstance(value, list) else [5]
        if value and isinstance(value, list) and not isinstance(value[0], int):
            # It must be read item by item, and no memory allocated before.
            yield range((1 << 63) - 1), 0, TypeError
        for at, own in enumerate(value if isinstance(value, tuple) else value[:1]):
            for item, part, kind in replacements(own):
                yield type(value)([*value[:at], item, *value[at + 1 :]]), part, kind
    elif isinstance(value, type(OTHER)):
        wrong += ["text", 5]
    else:
        wrong += ["text", 5, OTHER]
    for one in wrong:
        yield one, one, TypeError


def sets_hook(function: Any) -> bool:
    """True for a function that sets a hook, which later calls with wrong arguments would call."""
    return "hook" in (getattr(function, "__text_signature__", None) or "")


@cache
def has_hook(kind: type) -> bool:
    return any(map(sets_hook, vars(kind).values()))


def outcome_of(call: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """The result, or the error. An error can be a result too."""
    try:
        return call(), None
    except Exception as error:
        return None, error


def is_same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return one.code == other.code if isinstance(one, q.QuorateError) else bool(one == other)


class Probe:
    """Calls functions of the package also with wrong arguments."""

    def __init__(self) -> None:
        self.probed: Counter[str] = Counter()
        self.awaited: set[str] = set()
        self.pickled: Counter[type] = Counter()
        self.hooked: list[object] = []

    def call(self, holder: Any, called: Any, *given: Any, **named: Any) -> Any:
        """Calls the function of this name of the holder; without a holder, the function itself."""
        function = called if holder is None else getattr(holder, called)
        owner = getattr(function, "__self__", None)
        # Static methods, which Python's own types do not have here, have neither an owner nor a module.
        is_static = inspect.isbuiltin(function) and owner is None
        home = getattr(function, "__module__", None) or type(owner).__module__
        is_native = (inspect.isbuiltin(function) or inspect.isclass(function)) and (is_static or "quorate" in home)
        name = f"{home}.{function}" if owner is None else f"{type(owner)}.{function.__name__}"
        is_safe = not any(owner is one for one in self.hooked)
        # Two calls of an object with hooks may differ.
        is_stateful = has_hook(type(owner))
        form = None if is_stateful or not isinstance(called, str) else getattr(holder, f"{called}_async", None)
        is_new = is_native and is_safe and self.probed[name] < REPEATED
        if is_new:
            self.probed[name] += 1
            for one in (function, form):
                if one is not None:
                    self.refuses(one, given, named)
        if sets_hook(function):
            self.hooked.append(owner)
        result, error = outcome_of(lambda: function(*given, **named))
        if is_new and form is not None:
            self.awaited.add(f"{called}_async")
            later, refused = outcome_of(lambda: awaited(form, tuple(map(changeable, given)), named, changed))
            # Two calls may have different random results.
            assert (type(later), type(refused)) == (type(result), type(error)), (name, later, refused)
            is_random = not called.startswith(("verif", "disperse", "decode", "open"))
            assert is_random or is_same(later, result), (name, later, result)
        if error is not None:
            raise error
        for one in result if isinstance(result, list) else [result]:
            is_value = "quorate" in type(one).__module__ and not isinstance(one, Exception)
            if is_value and self.pickled[type(one)] < REPEATED:
                self.pickles(one)
        # Containers show their elements.
        assert "quorate" not in type(result).__module__ or not FOREIGN_TEXT.search(repr(result)), repr(result)
        return result

    def refuses(self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> None:
        parameters = list(inspect.signature(function).parameters.values())
        takes_secret = any(hasattr(one, "closed") for one in given)
        for at, value in enumerate(given):
            # A secret that a function takes is closed whatever a list contains.
            if value is None or (isinstance(value, list) and takes_secret):
                continue
            name, default = parameters[at].name, parameters[at].default
            missing = [(None, None, TypeError)] if default is inspect.Parameter.empty else []
            for wrong, part, kind in [*replacements(value), *missing]:
                with pytest.raises(kind) as caught:
                    awaited(function, (*given[:at], wrong, *given[at + 1 :]), named)
                # Tracebacks show notes.
                text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
                if callable(value):
                    continue  # Python itself refuses to call it, in its own words.
                assert name in text, (function, name, wrong, text)
                shown = "None" if part is None else type(part).__name__
                assert kind is not TypeError or shown in text, (function, part, text)
                assert not any(foreign in text for foreign in FOREIGN), text

    def pickles(self, value: Any) -> None:
        """A value survives pickling and copying; what needs a committee to decode, a secret or a verified object does not."""
        kind = type(value)
        decode = getattr(kind, "decode", None)
        needs = set(inspect.signature(decode).parameters) - {"suite", "group", "data", "bytes"} if decode else {"decode"}
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            made, error = outcome_of(lambda: pickle.loads(pickle.dumps(value, protocol)))  # noqa: B023
            if error is not None:
                assert isinstance(error, TypeError) and needs, (kind, error)
                # The message says what to do instead.
                assert re.search("cannot be pickled( or copied)?[:;] ?[a-z]", str(error)), (kind, error)
            else:
                may_not = hasattr(value, "closed") or kind.__name__.startswith("Verified")
                assert made == value and type(made) is kind and not may_not, (kind, made)
                assert copy.copy(value) == copy.deepcopy(value) == value
                self.pickled[kind] += 1


def changeable(value: Any) -> Any:
    """The same argument, with bytes and sets that nothing else refers to."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(changeable, value))
    if isinstance(value, bytes):
        return bytearray(value)
    return copy.copy(value) if isinstance(value, q.SignerSet) else value


def changed(value: Any) -> None:
    """Changes all that `changeable` has made."""
    if isinstance(value, (list, tuple)):
        for item in value:
            changed(item)
    elif isinstance(value, bytearray):
        value[:] = b"changed"
    elif isinstance(value, q.SignerSet):
        for member in ~value:
            value.insert(member)


def awaited(
    function: Callable[..., Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
    meanwhile: Callable[[Any], None] = lambda _: None,
) -> Any:
    """The result of a function; of one that returns a coroutine, after something happened to its arguments."""

    async def run() -> Any:
        result = function(*given, **named)
        meanwhile(given)
        return await result if inspect.isawaitable(result) else result

    return asyncio.run(run()) if function.__name__.endswith("_async") else function(*given, **named)


class Calls(ast.NodeTransformer):
    """Makes each call a call of `probe`."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        called = [ast.Constant(None), node.func]
        if isinstance(node.func, ast.Attribute):
            called = [node.func.value, ast.Constant(node.func.attr)]
        return ast.Call(ast.Name("probe", ast.Load()), [*called, *node.args], node.keywords)


def operations(probe: Probe) -> tuple[dict[str, Callable[[Any], Any]], dict[str, Callable[[], None]]]:
    """The operations and the behaviours, whose calls are those of the probe."""
    tree = Calls().visit(ast.parse(inspect.getsource(vector_operations)))
    names: dict[str, Any] = {"probe": probe.call}
    exec(compile(ast.fix_missing_locations(tree), vector_operations.__file__, "exec"), names)
    return names["OPERATIONS"], names["BEHAVIOURS"]
