"""All vectors of spec/vectors, valid and invalid, except those of the example protocols Jolteon and Gosig, of suites
that are not in this build, and of operations that no binding offers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import quorate

sys.path.insert(0, str(Path(__file__).parent))
import vector_support
from quorate import erasure
from vector_operations import OPERATIONS

FOLDER = Path(__file__).parents[3] / "spec" / "vectors"
LEFT_OUT = {"abft.json", "jolteon.json", "gosig.json"}
LEFT_OUT |= set() if erasure.Suite.jerasure(erasure.Packets(8, 0)).is_available() else {"jerasure.json"}
FILES = sorted(path.name for path in FOLDER.glob("*.json") if path.name not in LEFT_OUT)


def is_bound(case: Any) -> bool:
    """Returns true if the binding offers the operation: a guard spends presignatures only when they sign."""
    if case["operation"] == "spending.session":
        return all(step["do"] != "spend" for step in case["input"]["steps"])
    return bool(case["operation"] != "sharing.decode")


def repeated(committee: Any) -> Any:
    """Returns the committee with its members as often as they stand in it."""
    members = [member for member in committee["members"] for _ in range(member.get("times", 1))]
    return committee | {"members": members}


def failures_in(name: str, operations: dict[str, Callable[[Any], Any]]) -> list[str]:
    """The cases of a file that do not give the model's result."""
    file = json.loads((FOLDER / name).read_text())
    assert len(file["cases"]) > 20
    failures = []
    cases = [case for case in file["cases"] if is_bound(case)]
    for case in cases:
        given = dict(case["input"])
        for field in ("committee", "voters", "identities"):
            if isinstance(given.get(field), str):
                given[field] = file["committees"][given[field]]
        if "committee" in given:
            given["committee"] = repeated(given["committee"])
        given["made"] = case.get("output")
        try:
            outcome, output = "ok", operations[case["operation"]](given)
        except (quorate.QuorateError, vector_support.Refused) as error:
            outcome, output = error.code, None
        if (outcome, output) != (case["expect"], case.get("output")):
            failures.append(f"{case['name']}: expected {case['expect']}, got {outcome} {output}")
    print(f"{len(cases)} cases of {name}")
    return failures


@pytest.mark.parametrize("name", FILES)
def test_each_case_gives_the_model_s_result(name: str) -> None:
    assert not failures_in(name, OPERATIONS)


def test_each_operation_has_cases() -> None:
    files = [json.loads((FOLDER / name).read_text()) for name in FILES]
    # `matrix.py` runs the other two.
    used = {case["operation"] for file in files for case in file["cases"]} | {"matrix.write", "matrix.read"}
    assert set(OPERATIONS) <= used
