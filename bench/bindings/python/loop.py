"""The main loop of a contender in Python: it lists its operations, and then runs and times the requested ones.

The protocol is that of `bench/src/bindings/contender.rs`: one line in, one line out.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Work = Callable[[], object]


def world() -> dict[str, Any]:
    """Reads the inputs of all contenders."""
    found: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    return found


def refuses(work: Work) -> bool:
    """Returns whether a library refuses, with an exception or with False."""
    try:
        return work() is False
    except Exception:
        return True


def require(holds: bool, what: str) -> None:
    """Ends the contender if a check fails: a figure of wrong code is worse than none."""
    if not holds:
        raise SystemExit(f"{what}: wrong verdict")


def serve(about: str, operations: dict[str, Work]) -> None:
    """Answers each line `OPERATION RUNS WARM-UPS` with the processor time of the runs in nanoseconds."""
    print(json.dumps({"about": about, "operations": list(operations)}), flush=True)
    for line in sys.stdin:
        name, runs, warm_ups = line.split()
        work = operations[name]
        for _ in range(int(warm_ups)):
            work()
        repeat = range(int(runs))
        began = time.thread_time_ns()
        for _ in repeat:
            work()
        print(time.thread_time_ns() - began, flush=True)
