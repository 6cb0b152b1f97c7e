"""The documents' examples run, and this language reads the files that another one writes."""

from __future__ import annotations

import doctest
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_the_tour_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE.parent / "examples" / "tour.py"))
    assert capsys.readouterr().out == "forged: [1]; certificate of 100 bytes\nsigned by [0, 2, 3]\n"


def test_the_readme_s_examples_run() -> None:
    result = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 20


def test_the_matrix_reads_what_it_writes(tmp_path: Path) -> None:
    for command in ("write", "read"):
        run = subprocess.run(
            [sys.executable, str(HERE / "matrix.py"), command, str(tmp_path)], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
    assert "5 files read" in run.stdout
