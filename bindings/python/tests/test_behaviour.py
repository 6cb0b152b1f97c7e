"""The behaviours of `bindings/interface/operations/behaviour`, which are the same in every language, with wrong arguments
too.
"""

from __future__ import annotations

import pytest
from probing import Probe, behaviours

PROBE = Probe()
BEHAVIOURS = behaviours(PROBE)
RAN: set[str] = set()


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_behaviour(name: str) -> None:
    RAN.add(name)
    BEHAVIOURS[name]()


def test_every_function_of_a_behaviour_had_wrong_arguments_too() -> None:
    if RAN != set(BEHAVIOURS):
        pytest.skip("not all behaviours ran")
    assert len(PROBE.probed) > 250
