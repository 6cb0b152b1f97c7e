"""The behaviours of `bindings/interface/operations/behaviour`, which are the same in every language, with wrong arguments
too.
"""

from __future__ import annotations

from typing import Any

import pytest
import quorate
from probing import Probe, operations
from test_vectors import failures_in

PROBE = Probe()
OPERATIONS, BEHAVIOURS = operations(PROBE)
RAN: set[str] = set()


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_behaviour(name: str) -> None:
    RAN.add(name)
    BEHAVIOURS[name]()


@pytest.mark.parametrize("name", ["bls.json", "light.json"])
def test_vectors_of_blocks_without_behaviours(name: str) -> None:
    assert not failures_in(name, OPERATIONS)


def test_every_function_of_a_behaviour_had_wrong_arguments_too() -> None:
    if RAN != set(BEHAVIOURS):
        pytest.skip("not all behaviours ran")
    assert len(PROBE.probed) > 250 and len(PROBE.pickled) > 40
    # Those of signers and verifiers change their object: see `test_dsig.py`.
    assert PROBE.awaited | {"prepare_async", "announce_async"} == asynchronous(quorate)


def asynchronous(module: Any) -> set[str]:
    """The names of all asynchronous functions of a package."""
    found = {name for name in vars(module) if name.endswith("_async") and name != "_async"}
    for name, each in vars(module).items():
        is_part = isinstance(each, type) or getattr(each, "__name__", "").startswith(f"{module.__name__}.")
        if is_part and not name.startswith("_"):
            found |= asynchronous(each)
    return found
