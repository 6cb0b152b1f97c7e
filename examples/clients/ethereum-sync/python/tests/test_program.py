"""The program as its users run it: on mainnet's data, on generated chains, and on files with one thing changed.

With the environment's ETHEREUM_SYNC, the Rust program, both must say and make the same.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ethereum_sync.__main__ import main

MAINNET = Path(__file__).resolve().parents[2] / "testdata" / "mainnet"
# Block of slot 7069376, of which `bootstrap.json` is the bootstrap.
TRUSTED = "0x5afc212a7924789b2bc86acad3ab3a6ffb1f6e97253ea50bee7f4f51422c9275"
RUST = os.environ.get("ETHEREUM_SYNC")
FORKS = ["altair", "bellatrix", "capella", "deneb", "electra", "fulu"]
ALL = ["update.json", "finality_update.json", "optimistic_update.json"]

Run = Callable[..., tuple[int, str, str]]
Verify = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program, and checks that the Rust program prints the same except for messages about invalid files."""

    def program(*arguments: object) -> tuple[int, str, str]:
        given = [str(argument) for argument in arguments]
        try:
            code = main(given)
        except SystemExit as ended:
            code = int(ended.code or 0)
        out, err = capsys.readouterr()
        if RUST and "--help" not in given and "generate" not in given:
            rust = subprocess.run([RUST, *given], capture_output=True, encoding="utf-8", check=False)
            assert rust.returncode == code, (rust.stderr, err)
            assert reported(rust.stdout) == reported(out)
        return code, out, err

    return program


def reported(out: str) -> Any:
    """Returns the output without the message for an invalid file, which depends on the JSON library."""
    try:
        report = json.loads(out)
    except ValueError:
        return out
    if report["error"] and report["error"]["code"] == "BAD_INPUT":
        del report["error"]["message"]
    return report


@pytest.fixture
def verify(run: Run) -> Verify:
    """Returns the JSON report and the exit code."""

    def program(*arguments: object) -> tuple[int, Any]:
        code, out, err = run("verify", "--json", *arguments)
        assert out, err
        return code, json.loads(out)

    return program


def code_of(report: Any) -> str:
    return str(report["error"]["code"])


def test_mainnet_is_followed_from_a_bootstrap_through_its_updates(verify: Verify, tmp_path: Path) -> None:
    bootstrap, updates = MAINNET / "bootstrap.json", MAINNET / "updates.json"
    given = ["--bootstrap", bootstrap, "--trusted-root", TRUSTED]
    code, report = verify(*given, updates)
    assert (code, report["error"]) == (0, None)
    assert report["updates"][0]["participants"] == 511
    assert report["updates"][1]["next_committee_of"] == 864
    assert report["finalized"]["slot"] == 7_070_047
    assert report["updates"][1]["finalized"]["execution"][0] == 17_883_995

    # The first update matters only for its next committee.
    first = json.loads(updates.read_text())[0]
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps([first, first]))
    code, report = verify(*given, twice)
    assert (code, code_of(report)) == (4, "IRRELEVANT")

    code, report = verify("--bootstrap", bootstrap, "--trusted-root", TRUSTED.replace("5afc", "5afd"), updates)
    assert (code, code_of(report)) == (4, "TRUSTED_ROOT")


def test_mainnet_is_checked_against_a_committee_that_is_given(run: Run, verify: Verify) -> None:
    committee, finality = MAINNET / "committee-867.json", MAINNET / "finality_update.json"
    given = ["--committee", committee, "--period", 867, finality, MAINNET / "optimistic_update.json"]
    code, report = verify(*given)
    assert (code, report["error"]) == (0, None)
    assert report["optimistic"]["slot"] == 7_109_431
    code, out, _ = run("verify", *given)
    assert code == 0 and "signed slot 7109430 (block" in out and out.endswith("signed is slot 7109431\n")
    code, report = verify("--committee", committee, "--period", 866, finality)
    assert (code, code_of(report)) == (4, "UNKNOWN_COMMITTEE")
    code, report = verify(*given, "--now", 7_109_431)
    assert (code, code_of(report)) == (4, "SLOTS")
    assert len(report["updates"]) == 1, "the first was signed by then"


class Chain:
    """A generated chain in a temporary folder."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder = folder
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert main(["generate", "--out", str(folder), *map(str, options)]) == 0
        assert out.getvalue().startswith("wrote 7 files to ")

    def arguments(self, updates: list[str]) -> list[object]:
        path = self.folder
        given = ["--network", path / "network.json", "--bootstrap", path / "bootstrap.json"]
        return [*given, "--trusted-root", f"@{path / 'trusted-root.txt'}", *(path / name for name in updates)]


@pytest.mark.parametrize("fork", FORKS)
def test_generated_chains_of_every_fork_verify(fork: str, verify: Verify, tmp_path: Path) -> None:
    chain = Chain(tmp_path / "chain", "--fork", fork)
    code, report = verify(*chain.arguments(ALL))
    assert (code, report["error"]) == (0, None)
    assert report["updates"][2]["participants"] == 500
    code, report = verify(*chain.arguments(ALL[1:]))
    assert (code, code_of(report)) == (4, "UNKNOWN_COMMITTEE")


@pytest.mark.skipif(RUST is None, reason="ETHEREUM_SYNC does not name the Rust program")
@pytest.mark.parametrize("options", [["--fork", "altair", "--absent", "0"], ["--seed", "18446744073709551615", "--absent", "171"]])
def test_both_programs_make_the_same_files(options: list[str], tmp_path: Path) -> None:
    assert RUST is not None
    ours, theirs = tmp_path / "python", tmp_path / "rust"
    Chain(ours, *options)
    subprocess.run([RUST, "generate", "--out", str(theirs), *options], check=True, capture_output=True)
    made = sorted(path.name for path in theirs.iterdir())
    assert made == sorted(path.name for path in ours.iterdir()) and len(made) == 7
    for name in made:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_two_thirds_must_have_signed(verify: Verify, tmp_path: Path) -> None:
    code, report = verify(*Chain(tmp_path / "enough", "--absent", 170).arguments(ALL[:1]))
    assert (code, report["updates"][0]["participants"]) == (0, 342)
    code, report = verify(*Chain(tmp_path / "few", "--absent", 171).arguments(ALL[:1]))
    assert (code, code_of(report)) == (5, "BELOW_TWO_THIRDS")
    assert report["updates"][0]["supermajority"] is False
    assert report["finalized"]["slot"] < report["updates"][0]["finalized"]["slot"]


def flip(holder: Any, name: Any) -> None:
    """Changes the last digit of a text."""
    text = holder[name]
    holder[name] = text[:-1] + ("1" if text[-1] == "0" else "0")


def put(holder: Any, name: Any, value: Any) -> None:
    holder[name] = value


Change = Callable[[Any], Any]
BOOTSTRAP: list[tuple[str, Change]] = [
    ("TRUSTED_ROOT", lambda d: flip(d["header"]["beacon"], "state_root")),
    ("CURRENT_COMMITTEE_BRANCH", lambda d: flip(d["current_sync_committee_branch"], 3)),
    ("CURRENT_COMMITTEE_BRANCH", lambda d: d["current_sync_committee"]["pubkeys"].reverse()),
    ("COMMITTEE_SIZE", lambda d: d["current_sync_committee"]["pubkeys"].pop()),
    ("EXECUTION_BRANCH", lambda d: flip(d["header"]["execution"], "block_number")),
    ("BAD_INPUT", lambda d: put(d, "current_sync_committee_branch", None)),
]
UPDATE: list[tuple[str, Change]] = [
    ("BAD_SIGNATURE", lambda d: flip(d["attested_header"]["beacon"], "proposer_index")),
    ("EXECUTION_BRANCH", lambda d: flip(d["attested_header"]["execution"], "logs_bloom")),
    ("EXECUTION_BRANCH", lambda d: d["attested_header"].pop("execution")),
    ("EXECUTION_BRANCH", lambda d: put(d["attested_header"]["execution"], "extra_data", "0x" + "00" * 33)),
    ("FINALITY_BRANCH", lambda d: flip(d["finalized_header"]["beacon"], "proposer_index")),
    ("FINALITY_BRANCH", lambda d: flip(d["finality_branch"], 6)),
    ("FINALITY_BRANCH", lambda d: d["finality_branch"].pop()),
    ("NEXT_COMMITTEE_BRANCH", lambda d: flip(d["next_sync_committee_branch"], 0)),
    ("NEXT_COMMITTEE_BRANCH", lambda d: flip(d["next_sync_committee"]["pubkeys"], 511)),
    ("SLOTS", lambda d: put(d, "signature_slot", d["attested_header"]["beacon"]["slot"])),
    ("MALFORMED", lambda d: put(d["sync_aggregate"], "sync_committee_bits", d["sync_aggregate"]["sync_committee_bits"][:-2])),
    ("BELOW_QUORUM", lambda d: put(d["sync_aggregate"], "sync_committee_bits", "0x" + "00" * 64)),
    ("BAD_SIGNATURE", lambda d: put(d["sync_aggregate"], "sync_committee_bits", "0x" + "ff" * 64)),
    ("INFINITY", lambda d: put(d["sync_aggregate"], "sync_committee_signature", "0xc0" + "00" * 95)),
    ("MALFORMED", lambda d: put(d["sync_aggregate"], "sync_committee_bits", "00" * (8 << 20))),
    ("BAD_INPUT", lambda d: put(d, "signature_slot", 5)),
    ("BAD_INPUT", lambda d: put(d, "signature_slot", "\ud800")),
    ("BAD_INPUT", lambda d: put(d["attested_header"]["beacon"], "state_root", "0x\udfff" + "00" * 31)),
    ("BAD_INPUT", lambda d: put(d, "signature_slot", "1" * 5000)),
    ("BAD_INPUT", lambda d: put(d, "signature_slot", "\u0661")),
    ("BAD_INPUT", lambda d: put(d["attested_header"]["beacon"], "state_root", "0x " + "00" * 31)),
    ("BAD_INPUT", lambda d: put(d["next_sync_committee"], "pubkeys", "0x")),
    ("BAD_INPUT", lambda d: d.pop("sync_aggregate")),
]


def test_whatever_is_changed_is_refused_for_what_it_is(verify: Verify, tmp_path: Path) -> None:
    chain = Chain(tmp_path / "chain", "--fork", "fulu")
    for name, cases in (("bootstrap.json", BOOTSTRAP), ("update.json", UPDATE)):
        path = chain.folder / name
        before = path.read_text()
        for number, (expected, change) in enumerate(cases):
            changed = copy.deepcopy(json.loads(before))
            change(changed["data"])
            path.write_text(json.dumps(changed))
            code, report = verify(*chain.arguments(["update.json"]))
            assert code_of(report) == expected, f"case {number} of {name}: {report['error']}"
            assert code == (3 if expected == "BAD_INPUT" else 4), f"case {number} of {name}"
        path.write_text(before)


MEMORY = """
from resource import RUSAGE_SELF, getrusage
from ethereum_sync.text import any_bytes
before = getrusage(RUSAGE_SELF).ru_maxrss
assert len(any_bytes("0x" + "00" * (8 << 20))) == 8 << 20
print(getrusage(RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_long_text_costs_little_memory() -> None:
    # In a process of its own: the most that was ever used is all that can be asked for.
    done = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True)
    assert int(done.stdout) < 100 << 10, "kilobytes"


def test_a_wrong_command_line_or_file_is_told(run: Run, tmp_path: Path) -> None:
    bootstrap, updates = MAINNET / "bootstrap.json", MAINNET / "updates.json"
    code, _, err = run("verify", updates)
    assert code == 2 and "--bootstrap" in err
    for wrong in ([], ["--trusted-root", TRUSTED, "--period", "7"], ["--trusted-root", TRUSTED, "--now", "-1"]):
        code, _, err = run("verify", "--bootstrap", bootstrap, *wrong, updates)
        assert code == 2, (wrong, err)
    committee = ["verify", "--committee", MAINNET / "committee-867.json", "--period", 867]
    code, _, err = run(*committee, "--trusted-root", TRUSTED, updates)
    assert code == 2 and "--trusted-root" in err
    for trusted, expected in (("0x12", "32 bytes"), ("@/no/such/file", "No such file")):
        code, _, err = run("verify", "--bootstrap", bootstrap, "--trusted-root", trusted, updates)
        assert code == 3 and expected in err
    given = ["verify", "--bootstrap", bootstrap, "--trusted-root", TRUSTED]
    code, _, err = run(*given, "/no/such/file")
    assert code == 3 and "No such file" in err
    odd = tmp_path / "odd.json"
    for content in (b"", b"\xff", b"[" * 100_000, b"{}", b"7", b"[[]]", b'{"data": null}'):
        odd.write_bytes(content)
        code, _, err = run(*given, odd)
        assert code == 3 and "odd.json" in err, content[:10]
    for network in ('{"name": "x"}', '{"name": "x", "more": 1}', '{"name": "x", "\\ud800": 1}'):
        odd.write_text(network)
        code, _, err = run(*given, "--network", odd, updates)
        assert code == 3
    code, out, _ = run("--help")
    assert code == 0 and "Exit codes" in out
