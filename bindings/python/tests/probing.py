"""Wrong arguments of every function: whenever a behaviour calls a function with right arguments, it is called with
wrong ones before. Each must be refused by an error that names the parameter and Python's type, and none may have an effect.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import quorate as q
import vector_operations

# The calls of one function that are repeated with wrong arguments.
REPEATED = 2
# Functions that set a hook, which later calls with wrong arguments would call.
HOOKS = {"detect_copies", "check_revocation"}
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
    elif isinstance(value, (bytes, timedelta)):
        wrong += ["text", 5]
    elif isinstance(value, str):
        wrong += [5, [1]]
    elif isinstance(value, (list, tuple)):
        wrong += ["text", 5] if isinstance(value, list) else [5]
        for item, part, kind in replacements(value[0]) if value else ():
            yield type(value)([item, *value[1:]]), part, kind
    elif isinstance(value, type(OTHER)):
        wrong += ["text", 5]
    else:
        wrong += ["text", 5, OTHER]
    for one in wrong:
        yield one, one, TypeError


class Probe:
    """Calls functions of the package also with wrong arguments."""

    def __init__(self) -> None:
        self.probed: Counter[str] = Counter()
        self.hooked: list[object] = []

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        owner = getattr(function, "__self__", None)
        # Static methods, which Python's own types do not have here, have neither an owner nor a module.
        is_static = inspect.isbuiltin(function) and owner is None
        home = getattr(function, "__module__", None) or type(owner).__module__
        is_native = (inspect.isbuiltin(function) or inspect.isclass(function)) and (is_static or "quorate" in home)
        name = f"{home}.{function}" if owner is None else f"{type(owner)}.{function.__name__}"
        is_safe = not any(owner is one for one in self.hooked) and self.probed[name] < REPEATED
        if is_native and is_safe and given:
            self.probed[name] += 1
            self.refuses(function, given, named)
        if getattr(function, "__name__", "") in HOOKS:
            self.hooked.append(owner)
        result = function(*given, **named)
        # Containers show their elements.
        assert "quorate" not in type(result).__module__ or not FOREIGN_TEXT.search(repr(result)), repr(result)
        return result

    def refuses(self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> None:
        parameters = list(inspect.signature(function).parameters.values())
        takes_secret = any(hasattr(one, "closed") for one in given)
        for at, value in enumerate(given):
            # A secret that a function takes is closed whatever a list contains.
            if value is None or callable(value) or (isinstance(value, list) and takes_secret):
                continue
            name, default = parameters[at].name, parameters[at].default
            missing = [(None, None, TypeError)] if default is inspect.Parameter.empty else []
            for wrong, part, kind in [*replacements(value), *missing]:
                with pytest.raises(kind) as caught:
                    function(*given[:at], wrong, *given[at + 1 :], **named)
                # Tracebacks show notes.
                text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
                assert name in text, (function, name, wrong, text)
                shown = "None" if part is None else type(part).__name__
                assert kind is OverflowError or shown in text, (function, part, text)
                assert not any(foreign in text for foreign in FOREIGN), text


class Calls(ast.NodeTransformer):
    """Makes each call a call of `probe`."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        return ast.Call(ast.Name("probe", ast.Load()), [node.func, *node.args], node.keywords)


def behaviours(probe: Probe) -> dict[str, Callable[[], None]]:
    """The behaviours, whose calls are those of the probe."""
    tree = Calls().visit(ast.parse(inspect.getsource(vector_operations)))
    names: dict[str, Any] = {"probe": probe.call}
    exec(compile(ast.fix_missing_locations(tree), vector_operations.__file__, "exec"), names)
    found: dict[str, Callable[[], None]] = names["BEHAVIOURS"]
    return found
