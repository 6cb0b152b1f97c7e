"""One language of the cross-language matrix: writes a file of new objects per suite, and checks the files of all
languages. What it writes and checks is in `bindings/interface/operations/matrix.rs`.

    python matrix.py write DIR
    python matrix.py read DIR
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from quorate import Suite
from vector_operations import OPERATIONS


def main(arguments: list[str]) -> None:
    match arguments:
        case ["write", folder]:
            for suite in Suite:
                file = OPERATIONS["matrix.write"]({"suite": suite.value})
                (Path(folder) / f"python-{suite.value}.json").write_text(json.dumps(file, indent=2))
        case ["read", folder]:
            paths = sorted(Path(folder).glob("*.json"))
            for path in paths:
                print(path)
                OPERATIONS["matrix.read"](json.loads(path.read_text()))
            print(f"{len(paths)} files read")
        case _:
            sys.exit("usage: matrix.py write|read DIR")


if __name__ == "__main__":
    main(sys.argv[1:])
