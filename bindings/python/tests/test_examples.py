"""The documents' examples run."""

from __future__ import annotations

import doctest
from pathlib import Path

HERE = Path(__file__).parent


def test_the_readme_s_examples_run() -> None:
    result = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 20
