"""A real redis-server with the real front before it."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, ParamSpec

from audited_redis import Client, Key, Reply
from audited_redis.resp import Malformed, encode_command, parse_reply

PROGRAM = os.environ.get("AUDITED_REDIS", "audited-redis")
TIMEOUT = 60.0
Arguments = ParamSpec("Arguments")


def async_test(test: Callable[Arguments, Coroutine[Any, Any, None]]) -> Callable[Arguments, None]:
    """Runs a coroutine as a test."""

    @functools.wraps(test)
    def run(*arguments: Arguments.args, **named: Arguments.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **named), 300))

    return run


class Deployment:
    """A folder with a redis-server and a front before it, with clients `alice` and `bob`. `close` stops both."""

    def __init__(self, accept: str = '["dsig", "eddsa"]') -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="audited-")
        self.path = Path(self.folder.name)
        self.accept, self.scripts, self.listen = accept, False, "127.0.0.1:0"
        self.store = b""
        self.public = {name: self.keygen(name) for name in ("alice", "bob")}
        self.keygen("mallory")
        options = ["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", "redis.sock"]
        self.redis = self.start("redis-server", *options)
        eventually(lambda: self.redis_command("PING") == "PONG")
        self.front = self.start_front()

    def close(self) -> None:
        """Stops the processes and removes the folder."""
        for process in (self.front, self.redis):
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
        self.folder.cleanup()

    def start(self, *command: str) -> subprocess.Popen[str]:
        out = subprocess.PIPE if command[0] == PROGRAM else subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.path, stdin=subprocess.DEVNULL, stdout=out, text=True)

    def start_front(self) -> subprocess.Popen[str]:
        """Starts the front; a restarted front keeps its address."""
        lines = [f'listen = "{self.listen}"', 'redis = "unix:redis.sock"', 'log = "audit.log"', "max_age_ms = 600000"]
        lines += ['refusals = "refusals.jsonl"', f"accept = {self.accept}", f"scripts = {str(self.scripts).lower()}"]
        for name, public in self.public.items():
            lines += ["[[client]]", f'name = "{name}"', f'key = "{public}"']
        (self.path / "front.toml").write_text("\n".join(lines))
        front = self.start(PROGRAM, "front", "--json", "--config", "front.toml")
        assert front.stdout
        ready = json.loads(front.stdout.readline())
        self.listen, self.store = ready["listen"], bytes.fromhex(ready["store"])
        return front

    def kill_front(self) -> None:
        """Kills the front as a crash does."""
        self.front.kill()
        self.front.wait()
        if self.front.stdout:
            self.front.stdout.close()

    def freeze(self, process: subprocess.Popen[str]) -> None:
        """Stops a process until it is killed or thawed."""
        process.send_signal(signal.SIGSTOP)
        threads = Path(f"/proc/{process.pid}/task")
        # Waits for all threads: each one stops at a different time.
        eventually(lambda: all(is_stopped(stat) for stat in threads.glob("*/stat")))

    def thaw(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGCONT)

    def keygen(self, name: str) -> str:
        """Creates a key file and returns the public key."""
        return self.run("keygen", "--out", f"{name}.key").stdout.strip()

    def key(self, name: str) -> Key:
        return Key.load(self.path / f"{name}.key")

    async def client(self, name: str = "alice", **options: Any) -> Client:
        return await Client.connect(self.listen, self.key(name), **({"connect_timeout": TIMEOUT} | options))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of the Rust program."""
        return subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, check=False)

    def audit(self) -> Any:
        """Audits the log, expects no findings, and returns the report."""
        audited = self.run("audit", "--json", "audit.log", "--clients", "front.toml")
        report = json.loads(audited.stdout)
        assert audited.returncode == 0 and report["ok"], report
        return report

    def last(self, name: str) -> Any:
        """Returns the last sequence number of a client, and expects all commands before it in the log."""
        (signer,) = (signer for signer in self.audit()["signers"] if signer["name"] == name)
        assert signer["last"] == signer["commands"]
        return signer["last"]

    def refusals(self) -> list[str]:
        """Returns the codes of the recorded refusals."""
        path = self.path / "refusals.jsonl"
        return [json.loads(line)["code"] for line in path.read_text().splitlines()]

    def redis_command(self, *words: str) -> Reply:
        """Sends a command to Redis directly, bypassing the front."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.path / "redis.sock"))
                connection.sendall(encode_command(words))
                reply = b""
                while chunk := connection.recv(1 << 16):
                    reply += chunk
                    try:
                        return parse_reply(reply)
                    except Malformed:
                        pass  # the reply is incomplete
        except OSError:
            pass
        return None


def is_stopped(stat: Path) -> bool:
    try:
        return ") T " in stat.read_text()
    except OSError:  # the thread has just ended
        return False


def eventually(condition: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
