"""A real redis-server and the real front before it, as operators run them."""

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
PATIENCE = 60.0
Arguments = ParamSpec("Arguments")


def in_a_loop(test: Callable[Arguments, Coroutine[Any, Any, None]]) -> Callable[Arguments, None]:
    """A test that is a coroutine."""

    @functools.wraps(test)
    def run(*arguments: Arguments.args, **named: Arguments.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **named), 300))

    return run


class House:
    """A folder with a Redis in it, and a front before that, for the clients alice and bob; ended by `close`."""

    def __init__(self, accept: str = '["dsig", "eddsa"]') -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="audited-")
        self.path = Path(self.folder.name)
        self.accept, self.scripts, self.listen = accept, False, "127.0.0.1:0"
        self.store = b""
        self.public = {name: self.keygen(name) for name in ("alice", "bob")}
        self.keygen("stranger")
        options = ["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", "redis.sock"]
        self.redis = self.start("redis-server", *options)
        eventually(lambda: self.ask("PING") == "PONG")
        self.front = self.start_front()

    def close(self) -> None:
        """Ends both."""
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
        """Starts the front, from the second time on at the address that it had."""
        lines = [f'listen = "{self.listen}"', 'redis = "unix:redis.sock"', 'log = "audit.log"', "max_age_ms = 600000"]
        lines += ['refusals = "refusals.jsonl"', f"accept = {self.accept}", f"scripts = {str(self.scripts).lower()}"]
        for name, public in self.public.items():
            lines += ["[[client]]", f'name = "{name}"', f'key = "{public}"']
        (self.path / "front.toml").write_text("\n".join(lines))
        front = self.start(PROGRAM, "front", "--json", "--config", "front.toml")
        assert front.stdout
        said = json.loads(front.stdout.readline())
        self.listen, self.store = said["listen"], bytes.fromhex(said["store"])
        return front

    def kill_front(self) -> None:
        """As a crash does."""
        self.front.kill()
        self.front.wait()
        if self.front.stdout:
            self.front.stdout.close()

    def freeze(self, process: subprocess.Popen[str]) -> None:
        """The process does nothing until it is killed or thawed."""
        process.send_signal(signal.SIGSTOP)
        threads = Path(f"/proc/{process.pid}/task")
        # Each thread stops by itself, when it gets to it.
        eventually(lambda: all(") T " in stat.read_text() for stat in threads.glob("*/stat")))

    def thaw(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGCONT)

    def keygen(self, name: str) -> str:
        """Makes a key file and gives the public key."""
        return self.run("keygen", "--out", f"{name}.key").stdout.strip()

    def key(self, name: str) -> Key:
        return Key.load(self.path / f"{name}.key")

    async def client(self, name: str = "alice", **options: Any) -> Client:
        return await Client.connect(self.listen, self.key(name), **({"patience": PATIENCE} | options))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A part of the Rust program."""
        return subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, check=False)

    def audit(self) -> Any:
        """What an auditor finds, once all is well."""
        audited = self.run("audit", "--json", "audit.log", "--clients", "front.toml")
        report = json.loads(audited.stdout)
        assert audited.returncode == 0 and report["ok"], report
        return report

    def last(self, name: str) -> Any:
        """The number of a client's last command, and all before it are there."""
        (signer,) = (signer for signer in self.audit()["signers"] if signer["name"] == name)
        assert signer["last"] == signer["commands"]
        return signer["last"]

    def refusals(self) -> list[str]:
        """The codes of what was refused."""
        path = self.path / "refusals.jsonl"
        return [json.loads(line)["code"] for line in path.read_text().splitlines()]

    def ask(self, *words: str) -> Reply:
        """Redis itself, around the front."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.path / "redis.sock"))
                connection.sendall(encode_command(words))
                reply = b""
                while piece := connection.recv(1 << 16):
                    reply += piece
                    try:
                        return parse_reply(reply)
                    except Malformed:
                        pass  # more is to come
        except OSError:
            pass
        return None


def eventually(holds: Callable[[], bool]) -> None:
    """Waits until something holds."""
    until = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
