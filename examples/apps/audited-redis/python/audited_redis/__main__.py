"""The command line: `python -m audited_redis --help`. Its output is that of `audited-redis call`."""

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
"""Seconds to wait for missing answers after Ctrl-C."""
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
        print_stderr(f"audited-redis: {failure}")
        return int(failure.exit)
    except BrokenPipeError:
        # The reader closed the pipe; Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def command_line() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m audited_redis",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--front", required=True, metavar="HOST:PORT", help="address of the front")
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the client's key file")
    parser.add_argument("--signer", choices=SCHEMES, default="dsig", help="signature scheme (default: dsig)")
    parser.add_argument(
        "--suite", choices=SUITES, default="wots-blake3", help="the suite of DSig (default: wots-blake3)"
    )
    parser.add_argument("--store", type=store, metavar="HEX", help="the store that the front must have")
    parser.add_argument(
        "--connect-timeout", type=seconds, default=5.0, metavar="S", help="seconds for connecting (default: 5)"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=60.0, metavar="S", help="seconds for an answer (default: 60)"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object for each command")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command and its arguments")
    return parser


def store(digits: str) -> bytes:
    """Parses 64 hexadecimal digits."""
    if not re.fullmatch("[0-9a-fA-F]{64}", digits):
        raise argparse.ArgumentTypeError(f"expected 64 hexadecimal digits, got {digits!r}")
    return bytes.fromhex(digits)


def seconds(text: str) -> float:
    """Parses a positive number of seconds."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or float(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text!r}")
    return float(text)


class Program:
    """Sends commands, and prints their outcomes in the same order."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.sending: asyncio.Task[None] | None = None
        self.stopped = False
        self.answers: asyncio.Queue[asyncio.Future[Answer] | None] = asyncio.Queue(WINDOW)
        self.sent = self.printed = 0
        self.exit_code = 0

    async def run(self) -> int:
        """Runs until all commands are answered or the user interrupts the program."""
        work = asyncio.create_task(self.work(Key.load(self.options.key)))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.interrupt, work)
        try:
            await work
        except asyncio.CancelledError:
            print_stderr(f"interrupted; commands without an answer: {self.sent - self.printed}")
            return INTERRUPTED
        return self.exit_code

    def interrupt(self, work: asyncio.Task[None]) -> None:
        """Handles Ctrl-C: the first stops reading, the second exits."""
        if self.stopped or self.sending is None or self.sent == self.printed:
            work.cancel()
        else:
            self.sending.cancel()
            asyncio.get_running_loop().call_later(GRACE, work.cancel)
        self.stopped = True

    async def work(self, key: Key) -> None:
        """Connects, sends the commands and prints their outcomes."""
        options = self.options
        signing = {"scheme": options.signer, "suite": options.suite}
        connection = {"store": options.store, "connect_timeout": options.connect_timeout}
        async with await Client.connect(options.front, key, **signing, **connection) as client:
            self.sending = asyncio.create_task(self.send(client))
            try:
                await self.print_outcomes(client)
                await self.sending
            finally:
                self.sending.cancel()

    async def send(self, client: Client) -> None:
        """Sends all commands and queues their answers."""
        try:
            if self.options.command:
                await self.send_command(client, self.options.command)
            else:
                async for line in lines():
                    if words := split(line):
                        await self.send_command(client, words)
        finally:
            # The outcomes of sent commands are printed before the program exits.
            await self.answers.put(None)

    async def send_command(self, client: Client, words: list[str]) -> None:
        """Sends a command and queues its answer."""
        # Arguments that are not UTF-8 are sent as the bytes that the shell passed.
        answer = await client.send(*(os.fsencode(word) for word in words))
        self.sent += 1
        await self.answers.put(answer)

    async def print_outcomes(self, client: Client) -> None:
        """Prints the outcomes in the order of the commands."""
        while (answer := await self.answers.get()) is not None:
            self.print_outcome(client, await self.wait(answer))
            self.printed += 1

    async def wait(self, answer: asyncio.Future[Answer]) -> Answer | Failure:
        """Waits for the outcome of a command."""
        try:
            return await asyncio.wait_for(answer, self.options.timeout)
        except Failure as failure:
            return failure
        except TimeoutError:
            return Lost(f"no answer in {self.options.timeout:g} s; the command may or may not be executed")

    def print_outcome(self, client: Client, outcome: Answer | Failure) -> None:
        """Prints the outcome of a command."""
        if isinstance(outcome, Answer):
            self.print_reply(client, outcome.sequence, outcome.entry, outcome.reply)
        elif isinstance(outcome, RedisError):
            self.print_reply(client, outcome.sequence, outcome.entry, outcome)
        elif isinstance(outcome, Refused):
            self.exit_code = max(self.exit_code, int(outcome.exit))
            self.print_reply(client, outcome.sequence, None, RedisError(f"{outcome.code} {outcome.message}"))
        else:
            self.exit_code = max(self.exit_code, int(outcome.exit))
            logged = outcome.logged if isinstance(outcome, Lost) else None
            if self.options.json:
                print_json(failed={"code": outcome.code, "message": outcome.message, "logged": logged})
            else:
                print_stderr(f"audited-redis: {outcome}")

    def print_reply(self, client: Client, sequence: int, entry: int | None, reply: Reply) -> None:
        """Prints the front's reply to a command."""
        if self.options.json:
            print_json(entry=entry, sequence=sequence, store=client.store.hex(), reply=json_value(reply))
            return
        for line in reply_lines(reply):
            print(line, flush=True)
        print_stderr(f"entry {entry} of the log" if entry else "refused by the front; nothing was executed")


def split(line: str) -> list[str]:
    """Splits a line into words."""
    if not line.lstrip().startswith("["):
        return line.split()
    try:
        words = json.loads(line)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise BadInput("a line that begins with [ must be a JSON array of strings")
    return words


async def lines() -> AsyncIterator[str]:
    """Yields the lines of standard input. A daemon thread reads them, so that a pending read does not delay Ctrl-C."""
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue(16)

    def read() -> None:
        chunk = b"-"
        while chunk:
            # Not `sys.stdin.read`: the interpreter waits for its lock at exit.
            chunk = os.read(sys.stdin.fileno(), 1 << 16)
            try:
                asyncio.run_coroutine_threadsafe(chunks.put(chunk), loop).result()
            except (RuntimeError, CancelledError):
                return  # the program has ended

    threading.Thread(target=read, daemon=True).start()
    rest = b""
    while chunk := await chunks.get():
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_INPUT_LINE:
            raise BadInput(f"a line exceeds {MAX_INPUT_LINE} bytes")
        for line in whole:
            yield os.fsdecode(line)
    yield os.fsdecode(rest)


def json_value(reply: Reply) -> Any:
    """Converts a reply to a value for `json.dumps`."""
    if isinstance(reply, RedisError):
        return {"error": reply.text}
    if isinstance(reply, list):
        return [json_value(item) for item in reply]
    if isinstance(reply, bytes):
        try:
            return reply.decode()
        except UnicodeDecodeError:
            return {"hex": reply.hex()}
    return reply


def reply_lines(reply: Reply) -> list[str]:
    """Formats a reply as redis-cli does for programs, one item per line, without control characters."""
    if isinstance(reply, list):
        return [line for item in reply for line in reply_lines(item)]
    if isinstance(reply, RedisError):
        return [f"(error) {escaped(reply.text.encode())}"]
    if reply is None:
        return ["(nil)"]
    return [escaped(reply) if isinstance(reply, bytes) else escaped(str(reply).encode())]


def escaped(data: bytes) -> str:
    """Escapes quotes, backslashes, and all bytes that are not printable ASCII."""
    named = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return "".join(named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)


def print_json(**fields: object) -> None:
    """Prints a JSON object as one line on standard output."""
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def print_stderr(line: str) -> None:
    """Prints a line on standard error, without control characters."""
    print(escaped(line.encode()).replace("\\'", "'").replace('\\"', '"'), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
