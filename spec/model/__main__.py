"""`python3 -m model --write` writes the vectors; `--check` fails unless the files are equal to the model's output.

Run it in the folder `spec/`. It needs only Python 3.9 or later.
"""

import argparse
import sys
import time
from pathlib import Path

from . import conformance
from .cases import (
    abft,
    aggregate,
    bls,
    certificate,
    coin,
    committee,
    dsig,
    ed25519,
    erasure,
    evidence,
    gosig,
    gossip,
    guard,
    jolteon,
    light,
    merkle,
    public,
    sortition,
    tdh2,
    threshold,
    timeout,
    vote,
    wire,
)

SPEC = Path(__file__).resolve().parent.parent


def files():
    """Path and text of every file that the model generates."""
    blocks = (wire, bls, ed25519, merkle, committee, vote, certificate, timeout, evidence, guard, jolteon, dsig)
    others = (tdh2, coin, threshold, erasure, sortition, aggregate, gossip, gosig, abft, light)
    for make in [module.book for module in blocks + others] + [erasure.jerasure]:
        book = make()
        yield SPEC / "vectors" / f"{book.block}.json", book.text(), len(book.cases)
    yield SPEC / "conformance.json", *conformance.text()


def main():
    parser = argparse.ArgumentParser(prog="python3 -m model", description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write spec/vectors and spec/conformance.json")
    mode.add_argument("--check", action="store_true", help="compare them with the model's output")
    write = parser.parse_args().write
    start, cases, differing = time.monotonic(), public.check(SPEC / "vectors" / "public"), []
    print(f"{cases:5} published test vectors pass")
    for path, text, count in files():
        cases += count
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            differing.append(path.name)
        print(f"{count:5} {path.name}", flush=True)
    if differing:
        sys.exit(f"these files differ from the model's output: {', '.join(differing)}; see spec/vectors/README.md")
    print(f"the model agrees with all {cases} cases in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
