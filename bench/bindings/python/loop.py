"""What every contender in Python does: it says what it can do, and then runs what it is told to, under its own clock.

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
    """The keys and signatures that all contenders get."""
    found: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    return found


def refuses(work: Work) -> bool:
    """Whether a library says no: by an exception, or by an answer that is no."""
    try:
        return work() is False
    except Exception:
        return True


def require(holds: bool, what: str) -> None:
    """Ends the contender, for a figure of something that is wrong is worse than none."""
    if not holds:
        raise SystemExit(f"{what}: wrong verdict")


def serve(about: str, operations: dict[str, Work]) -> None:
    """Answers each line `OPERATION RUNS WARM-UPS` with the nanoseconds that the runs took on the processor."""
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
