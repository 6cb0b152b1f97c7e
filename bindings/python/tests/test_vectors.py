"""All vectors of spec/vectors, valid and invalid, except those of the example protocols Jolteon and Gosig, of suites
that are not in this build, and of operations that no binding offers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import quorate

sys.path.insert(0, str(Path(__file__).parent))
import operations
import threshold_operations
from quorate import erasure

FOLDER = Path(__file__).parents[3] / "spec" / "vectors"
LEFT_OUT = {"jolteon.json", "gosig.json"}
LEFT_OUT |= set() if erasure.Suite.jerasure(erasure.Packets(8, 0)).is_available() else {"jerasure.json"}
FILES = sorted(path.name for path in FOLDER.glob("*.json") if path.name not in LEFT_OUT)
# Their randomness cannot be chosen: the model's output is verified.
CHECKED = ["dsig.sign", "tdh2.encrypt", "tdh2.share", "coin.share"]


@pytest.mark.parametrize("name", FILES)
def test_each_case_gives_the_model_s_result(name: str) -> None:
    file = json.loads((FOLDER / name).read_text())
    assert len(file["cases"]) > 20
    failures = []
    cases = [case for case in file["cases"] if threshold_operations.is_bound(case)]
    for case in cases:
        given = dict(case["input"])
        if isinstance(given.get("committee"), str):
            given["committee"] = file["committees"][given["committee"]]
        if case["operation"] in CHECKED and "output" in case:
            given["made"] = case["output"]
        try:
            outcome, output = "ok", operations.run(case["operation"], given)
        except quorate.QuorateError as error:
            outcome, output = error.code, None
        if (outcome, output) != (case["expect"], case.get("output")):
            failures.append(f"{case['name']}: expected {case['expect']}, got {outcome} {output}")
    assert not failures, "\n".join(failures[:20])
    print(f"{len(cases)} cases of {name}")


def test_no_file_is_left_out() -> None:
    assert len(FILES) == 21 - len(LEFT_OUT)


def test_there_is_a_class_for_each_code() -> None:
    classes = {each.code for each in quorate.QuorateError.__subclasses__()}
    assert classes == set(quorate.CODES) and len(quorate.CODES) == 25
