"""The behaviours of `bindings/interface/operations/behaviour`, which are the same in every language."""

from __future__ import annotations

import pytest
from vector_operations import BEHAVIOURS


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_behaviour(name: str) -> None:
    BEHAVIOURS[name]()
