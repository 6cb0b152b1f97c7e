"""The program as its users run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from audited_redis.__main__ import main
from house import House, eventually

COMMAND = [sys.executable, "-m", "audited_redis"]


def call(house: House, *arguments: str, given: str = "", key: str = "alice") -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    options = ["--front", house.listen, "--key", f"{key}.key", "--patience", "60"]
    ran = subprocess.run(
        [*COMMAND, *options, *arguments], cwd=house.path, input=given, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.returncode, ran.stdout, ran.stderr


def test_it_says_what_the_rust_program_says(house: House) -> None:
    for line in ("SET a 1", "GET a", "MGET a b", "LPUSH a x", "SET a é\x1b'\"\n", "GET a"):
        words = line.split(" ")
        said: list[Any] = []
        for json_too in ([], ["--json"]):
            ours = call(house, *json_too, *words)
            rust = house.run("call", "--front", house.listen, "--key", "alice.key", *json_too, *words)
            assert ours[0] == rust.returncode
            if json_too:
                said = [json.loads(ours[1]), json.loads(rust.stdout)]
                for report in said:
                    report["sequence"] -= said.index(report)
                    report["entry"] -= said.index(report)
                assert said[0] == said[1]
            else:
                assert ours[1] == rust.stdout and ours[2].startswith("entry ")
    ours = call(house, "--json", "--signer", "none", "GET", "a")
    rust = house.run("call", "--front", house.listen, "--key", "alice.key", "--json", "--signer", "none", "GET", "a")
    assert ours[0] == rust.returncode == 5 and json.loads(ours[1]) == json.loads(rust.stdout)


def test_commands_from_a_pipe_are_answered_in_their_order(house: House) -> None:
    lines = "".join(f"RPUSH list {number}\n" for number in range(300))
    code, out, err = call(house, "--json", given=lines + '\n["SET", "two words", "é \\n"]\nGET list\nBLPOP list 0')
    reports = [json.loads(line) for line in out.splitlines()]
    assert [report.get("sequence") for report in reports] == list(range(1, 304)) and code == 5
    assert [report["reply"] for report in reports[:300]] == list(range(1, 301))
    assert reports[301]["reply"]["error"].startswith("WRONGTYPE") and reports[301]["entry"] == 302
    assert reports[302]["reply"]["error"].startswith("NOT_ALLOWED") and reports[302]["entry"] is None
    assert house.ask("GET", "two words") == "é \n".encode() and house.last("alice") == 302
    code, out, err = call(house, given="PING\n[1]\nPING\n")
    assert (code, out) == (3, "PONG\n") and "array of strings" in err


def test_what_cannot_be_used_is_said_with_its_code(house: House) -> None:
    assert call(house, "PING", key="none")[0] == 3
    assert call(house, "--store", "00" * 32, "PING")[0] == 5
    assert call(house, "PING", key="stranger")[0] == 5
    code, _, err = call(house, "--front", "127.0.0.1:1", "PING")
    assert code == 4 and "is the front running?" in err
    for wrong in (["--store", "00", "PING"], ["--suite", "hors-f-blake3", "PING"], ["--timeout", "0", "PING"]):
        assert call(house, *wrong)[0] == 2
    house.freeze(house.redis)
    code, out, err = call(house, "--json", "--timeout", "0.5", "PING")
    house.thaw(house.redis)
    failed = json.loads(out)["failed"]
    assert (code, err, failed["code"], failed["logged"]) == (4, "", "LOST", None)


@pytest.fixture
def running(house: House) -> Iterator[subprocess.Popen[str]]:
    options = ["--front", house.listen, "--key", "alice.key", "--patience", "60"]
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, *options], cwd=house.path, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdin and process.stdout
    process.stdin.write("PING\n")
    process.stdin.flush()
    assert process.stdout.readline() == "PONG\n"
    yield process
    process.kill()
    process.communicate()


def test_ctrl_c_ends_it_cleanly(running: subprocess.Popen[str]) -> None:
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    out, err = running.communicate()
    assert out == "" and "Traceback" not in err and "without an answer: 0" in err


def test_ctrl_c_waits_for_answers_that_are_due(house: House, running: subprocess.Popen[str]) -> None:
    assert running.stdin
    house.freeze(house.redis)
    size = (house.path / "audit.log").stat().st_size
    running.stdin.write("INCR n\n")
    running.stdin.flush()
    eventually(lambda: (house.path / "audit.log").stat().st_size > size)
    running.send_signal(signal.SIGINT)
    house.thaw(house.redis)
    assert running.wait(60) == 130
    out, err = running.communicate()
    assert out == "1\n" and "entry 2 of the log" in err and "Traceback" not in err


def test_a_second_ctrl_c_ends_it_at_once(house: House, running: subprocess.Popen[str]) -> None:
    assert running.stdin and running.stderr
    house.freeze(house.redis)
    size = (house.path / "audit.log").stat().st_size
    running.stdin.write("INCR n\n")
    running.stdin.flush()
    eventually(lambda: (house.path / "audit.log").stat().st_size > size)
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        os.sched_yield()
    assert running.wait(60) == 130
    house.thaw(house.redis)
    assert "without an answer: 1" in running.communicate()[1]


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    for taught in ("keygen", "front.toml", "SET greeting hello", "standard input", "Exit codes", "Ctrl-C", "--store"):
        assert taught in out
