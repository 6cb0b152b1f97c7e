"""The documents' examples run."""

from __future__ import annotations

import doctest
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_the_tour_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE.parent / "examples" / "tour.py"))
    assert capsys.readouterr().out == "forged: [1]; certificate of 100 bytes\nsigned by [0, 2, 3]\n"


def test_the_readme_s_examples_run() -> None:
    result = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 20
