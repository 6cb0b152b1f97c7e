"""The command line: `python -m audited_redis --help`. It says what `audited-redis call` says."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from .client import WINDOW, Client
from .failure import BadInput, Failure, Lost, RedisError, Refused
from .keys import Key
from .pending import Answer
from .resp import Reply
from .signing import SCHEMES, SUITES

INTERRUPTED = 130
GRACE = 5.0
"""Seconds that answers may still take after Ctrl-C."""
MAX_INPUT_LINE = 16 << 20

DESCRIPTION = """\
Signs commands for an audited Redis, sends them to its front, and prints the reply of Redis and the number of the log
entry.

To begin, make a key, add it to the front's configuration, and start the front (see README.md):

  audited-redis keygen --out alice.key
  audited-redis front --config front.toml
  %(prog)s --front 127.0.0.1:7379 --key alice.key SET greeting hello

Without COMMAND, commands are read from standard input, one per line, and sent without waiting for answers:

  seq 1 1000 | sed 's/^/RPUSH numbers /' | %(prog)s --front 127.0.0.1:7379 --key alice.key

A line is a list of words separated by blanks, or a JSON array of strings, as in ["SET", "greeting", "hello world"].
"""
EPILOG = """\
Replies go to standard output, everything else to standard error. A lost connection is reopened: commands that are
not in the log are sent again with the same signature, so that none is executed twice; the others are reported as LOST.
Ctrl-C stops reading, waits 5 s for the missing answers, and prints how many did not arrive: these commands may or may
not be executed. A second Ctrl-C exits immediately.

Exit codes:
  0    done; the reply of Redis may be an error
  1    something failed that has no code below
  2    the command line is wrong
  3    a key file or a command cannot be used
  4    the front does not answer, an answer was lost, or the front violates the protocol
  5    the front refused a command, or has another store
  130  interrupted"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    options = command_line().parse_args(arguments)
    try:
        return asyncio.run(Program(options).run())
    except KeyboardInterrupt:
        return INTERRUPTED
    except Failure as failure:
        tell(f"audited-redis: {failure}")
        return int(failure.exit)
    except BrokenPipeError:
        # The reader closed the pipe; Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def command_line() -> argparse.ArgumentParser:
    """What the program understands."""
    parser = argparse.ArgumentParser(
        prog="python -m audited_redis",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--front", required=True, metavar="HOST:PORT", help="address of the front")
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the client's key file")
    parser.add_argument("--signer", choices=SCHEMES, default="dsig", help="how commands are signed (default: dsig)")
    parser.add_argument(
        "--suite", choices=SUITES, default="wots-blake3", help="the suite of DSig (default: wots-blake3)"
    )
    parser.add_argument("--store", type=store, metavar="HEX", help="the store that the front must have")
    parser.add_argument("--patience", type=seconds, default=5.0, metavar="S", help="for connecting (default: 5)")
    parser.add_argument("--timeout", type=seconds, default=60.0, metavar="S", help="for an answer (default: 60)")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each command")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command and its arguments")
    return parser


def store(digits: str) -> bytes:
    """64 hexadecimal digits."""
    if not re.fullmatch("[0-9a-fA-F]{64}", digits):
        raise argparse.ArgumentTypeError("it is not 64 hexadecimal digits")
    return bytes.fromhex(digits)


def seconds(given: str) -> float:
    """A number of seconds above zero."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", given) or float(given) == 0:
        raise argparse.ArgumentTypeError(f"{given!r} is no number of seconds")
    return float(given)


class Program:
    """Sends commands, and prints their outcomes in the same order."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.sending: asyncio.Task[None] | None = None
        self.stopped = False
        self.tickets: asyncio.Queue[asyncio.Future[Answer] | None] = asyncio.Queue(WINDOW)
        self.sent = self.shown = 0
        self.worst = 0

    async def run(self) -> int:
        """Runs until all commands are answered, or the user interrupts."""
        work = asyncio.create_task(self.work(Key.load(self.options.key)))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.interrupt, work)
        try:
            await work
        except asyncio.CancelledError:
            tell(f"interrupted; commands without an answer: {self.sent - self.shown}")
            return INTERRUPTED
        return self.worst

    def interrupt(self, work: asyncio.Task[None]) -> None:
        """Ctrl-C: once to stop, twice to end."""
        if self.stopped or self.sending is None or self.sent == self.shown:
            work.cancel()
        else:
            self.sending.cancel()
            asyncio.get_running_loop().call_later(GRACE, work.cancel)
        self.stopped = True

    async def work(self, key: Key) -> None:
        """Connects, sends and shows."""
        options = self.options
        how = {"scheme": options.signer, "suite": options.suite, "store": options.store, "patience": options.patience}
        async with await Client.connect(options.front, key, **how) as client:
            self.sending = asyncio.create_task(self.send(client))
            try:
                await self.show(client)
                await self.sending
            finally:
                self.sending.cancel()

    async def send(self, client: Client) -> None:
        """Puts what is sent in line."""
        try:
            if self.options.command:
                await self.put(client, self.options.command)
            else:
                async for line in lines():
                    if words := split(line):
                        await self.put(client, words)
        finally:
            # Whatever ends this, what was sent is shown first.
            await self.tickets.put(None)

    async def put(self, client: Client, words: list[str]) -> None:
        """Sends a command."""
        # What the shell gave as bytes that are no UTF-8 goes to Redis as it was.
        ticket = await client.send(*(os.fsencode(word) for word in words))
        self.sent += 1
        await self.tickets.put(ticket)

    async def show(self, client: Client) -> None:
        """Prints the outcomes."""
        while (ticket := await self.tickets.get()) is not None:
            self.outcome(client, await self.wait(ticket))
            self.shown += 1

    async def wait(self, ticket: asyncio.Future[Answer]) -> Answer | Failure:
        """How a command ends."""
        try:
            return await asyncio.wait_for(ticket, self.options.timeout)
        except Failure as failure:
            return failure
        except TimeoutError:
            return Lost(f"no answer in {self.options.timeout:g} s; the command may or may not be executed")

    def outcome(self, client: Client, ended: Answer | Failure) -> None:
        """Prints how a command ended."""
        if isinstance(ended, Answer):
            self.print(client, ended.sequence, ended.entry, ended.reply)
        elif isinstance(ended, RedisError):
            self.print(client, ended.sequence, ended.entry, ended)
        elif isinstance(ended, Refused):
            self.worst = max(self.worst, int(ended.exit))
            self.print(client, ended.sequence, None, RedisError(f"{ended.code} {ended.message}"))
        else:
            self.worst = max(self.worst, int(ended.exit))
            logged = ended.logged if isinstance(ended, Lost) else None
            if self.options.json:
                say_json(failed={"code": ended.code, "message": ended.message, "logged": logged})
            else:
                tell(f"audited-redis: {ended}")

    def print(self, client: Client, sequence: int, entry: int | None, reply: Reply) -> None:
        """Prints what the front says of a command."""
        if self.options.json:
            say_json(entry=entry, sequence=sequence, store=client.store.hex(), reply=plain(reply))
            return
        for line in shown(reply):
            print(line, flush=True)
        tell(f"entry {entry} of the log" if entry else "refused by the front; nothing was executed")


def split(line: str) -> list[str]:
    """The words of a line."""
    if not line.lstrip().startswith("["):
        return line.split()
    try:
        words = json.loads(line)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise BadInput("a line that begins with [ is a JSON array of strings")
    return words


async def lines() -> AsyncIterator[str]:
    """Standard input. A thread reads it, which nothing waits for: Ctrl-C ends the program, not the line."""
    loop = asyncio.get_running_loop()
    found: asyncio.Queue[bytes] = asyncio.Queue(16)

    def read() -> None:
        piece = b"-"
        while piece:
            # Python's own reader has a lock, which the program could not get at its end.
            piece = os.read(sys.stdin.fileno(), 1 << 16)
            try:
                asyncio.run_coroutine_threadsafe(found.put(piece), loop).result()
            except (RuntimeError, CancelledError):
                return  # the program has ended

    threading.Thread(target=read, daemon=True).start()
    rest = b""
    while piece := await found.get():
        *whole, rest = (rest + piece).split(b"\n")
        if len(rest) > MAX_INPUT_LINE:
            raise BadInput(f"a line of more than {MAX_INPUT_LINE} bytes")
        for line in whole:
            yield os.fsdecode(line)
    yield os.fsdecode(rest)


def plain(reply: Reply) -> Any:
    """A reply as JSON has it."""
    if isinstance(reply, RedisError):
        return {"error": reply.text}
    if isinstance(reply, list):
        return [plain(item) for item in reply]
    if isinstance(reply, bytes):
        try:
            return reply.decode()
        except UnicodeDecodeError:
            return {"hex": reply.hex()}
    return reply


def shown(reply: Reply) -> list[str]:
    """As redis-cli shows it to programs: one item per line. What strangers wrote cannot command a terminal."""
    if isinstance(reply, list):
        return [line for item in reply for line in shown(item)]
    if isinstance(reply, RedisError):
        return [f"(error) {escaped(reply.text.encode())}"]
    if reply is None:
        return ["(nil)"]
    return [escaped(reply) if isinstance(reply, bytes) else escaped(str(reply).encode())]


def escaped(data: bytes) -> str:
    """Text as it is, everything else escaped."""
    named = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return "".join(named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)


def say_json(**fields: object) -> None:
    """An object on a line of standard output."""
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def tell(line: str) -> None:
    """A line on standard error."""
    print(escaped(line.encode()).replace("\\'", "'").replace('\\"', '"'), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
