"""Runs the cases of `spec/vectors/jolteon.json` with this folder's parser: `python3 vectors_test.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from jolteon import Block, Committees, Finality, Input, Refused, decode_batch
from quorate import ChainId, Committee, PublicKey, QuorateError, Suite

VECTORS = Path(__file__).parents[4] / "spec/vectors/jolteon.json"
SUITES = {1: Suite.MIN_SIG, 2: Suite.MIN_PK, 3: Suite.ED25519}
# Cases that a watcher does not need: messages between validators, their records, and leader election.
SKIPPED = {"jolteon.message", "jolteon.record", "jolteon.sequences", "jolteon.leaders"}


def committee(file: dict[str, Any], name: str) -> Committee:
    data = file["committees"][name]
    members = [
        (PublicKey.decode(SUITES[data["suite"]], bytes.fromhex(m["public_key"])), int(m["weight"]))
        for m in data["members"]
    ]
    chain = ChainId.from_bytes(bytes.fromhex(data["chain"]))
    return Committee.from_attested(chain, int(data["epoch"]), members)


def block_of(encoded: str, committees: Committees) -> Block:
    data = Input(bytes.fromhex(encoded))
    block = Block.read(data, committees)
    data.reader.finish()
    return block


def run(file: dict[str, Any], operation: str, given: dict[str, Any]) -> dict[str, Any] | None:
    if operation == "jolteon.batch":
        header, digest, leaves = decode_batch(bytes.fromhex(given["batch"]))
        return {"header": header.hex(), "digest": digest.hex(), "transactions": [leaf.hex() for leaf in leaves]}
    committees = Committees(committee(file, given["voters"]), committee(file, given["identities"]))
    if operation == "jolteon.genesis":
        return {"digest": committees.genesis(bytes.fromhex(given["state_root"])).hex()}
    block = block_of(given["block"], committees)
    if operation == "jolteon.block":
        block.check_author(committees)
        return {
            "digest": block.digest.hex(),
            "view": str(block.view),
            "height": str(block.height),
            "author": block.author,
            "parent": block.parent.hex(),
            "batches": [batch.digest.hex() for batch in block.payload],
        }
    assert operation == "jolteon.finality", operation
    data = Input(bytes.fromhex(given["proof"]))
    proof = Finality.read(data, committees)
    data.reader.finish()
    proof.verify(block, committees)
    return None


def main() -> None:
    file = json.loads(VECTORS.read_text())
    cases = [case for case in file["cases"] if case["operation"] not in SKIPPED]
    wrong = []
    for case in cases:
        try:
            found, output = "ok", run(file, case["operation"], case["input"])
        except (Refused, QuorateError) as error:
            found, output = error.code, None
        expected = case["expect"], case.get("output")
        if (found, output) != expected:
            wrong.append(f"{case['name']}: {found} {output}, not {expected}")
    for line in wrong:
        print(line)
    if len(cases) < 90:
        sys.exit(f"expected at least 90 cases, got {len(cases)}")
    print(f"{len(cases) - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
