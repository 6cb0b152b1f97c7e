"""Runs the program as users do."""

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
from deployment import Deployment, eventually

COMMAND = [sys.executable, "-m", "audited_redis"]


def call(deployment: Deployment, *arguments: str, stdin: str = "", key: str = "alice") -> tuple[int, str, str]:
    """Returns exit code, standard output and standard error."""
    options = ["--front", deployment.listen, "--key", f"{key}.key", "--connect-timeout", "60"]
    ran = subprocess.run(
        [*COMMAND, *options, *arguments], cwd=deployment.path, input=stdin, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.returncode, ran.stdout, ran.stderr


def test_output_equals_that_of_the_rust_program(deployment: Deployment) -> None:
    for line in ("SET a 1", "GET a", "MGET a b", "LPUSH a x", "SET a é\x1b'\"\n", "GET a"):
        words = line.split(" ")
        reports: list[Any] = []
        for flags in ([], ["--json"]):
            python = call(deployment, *flags, *words)
            rust = deployment.run("call", "--front", deployment.listen, "--key", "alice.key", *flags, *words)
            assert python[0] == rust.returncode
            if flags:
                reports = [json.loads(python[1]), json.loads(rust.stdout)]
                for report in reports:
                    report["sequence"] -= reports.index(report)
                    report["entry"] -= reports.index(report)
                assert reports[0] == reports[1]
            else:
                assert python[1] == rust.stdout and python[2].startswith("entry ")
    python = call(deployment, "--json", "--signer", "none", "GET", "a")
    options = ["--front", deployment.listen, "--key", "alice.key", "--json", "--signer", "none"]
    rust = deployment.run("call", *options, "GET", "a")
    assert python[0] == rust.returncode == 5 and json.loads(python[1]) == json.loads(rust.stdout)


def test_commands_from_a_pipe_are_answered_in_order(deployment: Deployment) -> None:
    lines = "".join(f"RPUSH list {number}\n" for number in range(300))
    code, out, err = call(deployment, "--json", stdin=lines + '\n["SET", "two words", "é \\n"]\nGET list\nBLPOP list 0')
    reports = [json.loads(line) for line in out.splitlines()]
    assert [report.get("sequence") for report in reports] == list(range(1, 304)) and code == 5
    assert [report["reply"] for report in reports[:300]] == list(range(1, 301))
    assert reports[301]["reply"]["error"].startswith("WRONGTYPE") and reports[301]["entry"] == 302
    assert reports[302]["reply"]["error"].startswith("NOT_ALLOWED") and reports[302]["entry"] is None
    assert deployment.redis_command("GET", "two words") == "é \n".encode() and deployment.last("alice") == 302
    code, out, err = call(deployment, stdin="PING\n[1]\nPING\n")
    assert (code, out) == (3, "PONG\n") and "array of strings" in err


def test_unusable_input_is_reported_with_its_exit_code(deployment: Deployment) -> None:
    assert call(deployment, "PING", key="none")[0] == 3
    assert call(deployment, "--store", "00" * 32, "PING")[0] == 5
    assert call(deployment, "PING", key="mallory")[0] == 5
    code, _, err = call(deployment, "--front", "127.0.0.1:1", "PING")
    assert code == 4 and "is the front running?" in err
    for wrong in (["--store", "00", "PING"], ["--suite", "hors-f-blake3", "PING"], ["--timeout", "0", "PING"]):
        assert call(deployment, *wrong)[0] == 2
    deployment.freeze(deployment.redis)
    code, out, err = call(deployment, "--json", "--timeout", "0.5", "PING")
    deployment.thaw(deployment.redis)
    failed = json.loads(out)["failed"]
    assert (code, err, failed["code"], failed["logged"]) == (4, "", "LOST", None)


@pytest.fixture
def running(deployment: Deployment) -> Iterator[subprocess.Popen[str]]:
    options = ["--front", deployment.listen, "--key", "alice.key", "--connect-timeout", "60"]
    pipe = subprocess.PIPE
    command, path = [*COMMAND, *options], deployment.path
    process = subprocess.Popen(command, cwd=path, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdin and process.stdout
    process.stdin.write("PING\n")
    process.stdin.flush()
    assert process.stdout.readline() == "PONG\n"
    yield process
    process.kill()
    process.communicate()


def test_ctrl_c_exits_cleanly(running: subprocess.Popen[str]) -> None:
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    out, err = running.communicate()
    assert out == "" and "Traceback" not in err and "without an answer: 0" in err


def test_ctrl_c_waits_for_missing_answers(deployment: Deployment, running: subprocess.Popen[str]) -> None:
    assert running.stdin
    deployment.freeze(deployment.redis)
    size = (deployment.path / "audit.log").stat().st_size
    running.stdin.write("INCR n\n")
    running.stdin.flush()
    eventually(lambda: (deployment.path / "audit.log").stat().st_size > size)
    running.send_signal(signal.SIGINT)
    deployment.thaw(deployment.redis)
    assert running.wait(60) == 130
    out, err = running.communicate()
    assert out == "1\n" and "entry 2 of the log" in err and "Traceback" not in err


def test_a_second_ctrl_c_exits_at_once(deployment: Deployment, running: subprocess.Popen[str]) -> None:
    assert running.stdin and running.stderr
    deployment.freeze(deployment.redis)
    size = (deployment.path / "audit.log").stat().st_size
    running.stdin.write("INCR n\n")
    running.stdin.flush()
    eventually(lambda: (deployment.path / "audit.log").stat().st_size > size)
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        os.sched_yield()
    assert running.wait(60) == 130
    deployment.thaw(deployment.redis)
    assert "without an answer: 1" in running.communicate()[1]


def test_help_explains_the_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    for topic in ("keygen", "front.toml", "SET greeting hello", "standard input", "Exit codes", "Ctrl-C", "--store"):
        assert topic in out
