"""Follows the validators of a chain and verifies everything they report: `python3 watch.py --help`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from time import time_ns
from typing import Any, NoReturn

from chain import MAX_NUMBER, TRANSACTIONS, Chain, Claim, Contradiction, Refused
from link import Link, Lost
from quorate import LightClient, QuorateError

NOTHING_VERIFIED, NOT_PROVED, INVALID_REPORT, FORK = 4, 6, 7, 8  # exit codes
MIN_PAUSE, MAX_PAUSE = 0.25, 5.0
MAX_BLOCK, MAX_PROOF, MAX_TICKET, MAX_EPOCHS = 4 << 20, 16 << 20, 64 << 10, 160 << 20
COLOURS = {"alarm": "1;31", "late": "33", "lost": "33", "proof": "32", "summary": "1"}
HEIGHT = re.compile(rb"id: ?([0-9]{1,15})")


class Watcher:
    """Coordinates the followers and reports events."""

    def __init__(self, chain: Chain, links: list[Link], options: argparse.Namespace) -> None:
        self.chain, self.options = chain, options
        self.followers = [Follower(self, link) for link in links]
        self.done = asyncio.Event()
        self.counts = {"lost": 0, "late": 0, "alarms": 0}
        self.disputed: set[str] = set()
        self.worst = 0

    async def run(self) -> int:
        """Watches until stopped, and returns the exit code."""
        tasks = [asyncio.create_task(follower.run()) for follower in self.followers]
        if self.options.probe:
            tasks.append(asyncio.create_task(self.probe()))
        for task in tasks:
            task.add_done_callback(self.ended)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.done.set)
        try:
            await asyncio.wait_for(self.done.wait(), self.options.duration)
        except TimeoutError:
            pass
        for task in tasks:
            task.cancel()
        failed = [end for end in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(end, Exception)]
        if failed:
            raise failed[0]
        self.summary()
        return self.code()

    def ended(self, task: asyncio.Task[None]) -> None:
        """Ends the program if all validators are refused or a task failed."""
        failed = not task.cancelled() and task.exception() is not None
        if failed or all(follower.state == "refused" for follower in self.followers):
            self.done.set()

    async def probe(self) -> None:
        """Submits a transaction at intervals, to each validator in turn."""
        number = 0
        while True:
            await asyncio.sleep(self.options.probe)
            # A proof leads to the newest epoch, from which blocks of many epochs before cannot be verified.
            if self.chain.client.protocol == "gosig" and not any(follower.caught_up for follower in self.followers):
                continue
            await self.prove(f"put watch-{os.getpid()} {time_ns()}".encode(), number)
            number += 1

    async def prove(self, transaction: bytes, first: int) -> None:
        """Asks the validators in turn until one proves that the transaction is committed."""
        wanted = TRANSACTIONS.leaf(transaction)
        code = "UNREACHABLE"
        count = len(self.followers)
        for follower in (self.followers[(first + number) % count] for number in range(count)):
            if follower.state == "refused":
                continue
            try:
                if await follower.prove(transaction, wanted):
                    return
            except Lost as lost:
                code = lost.code
        self.counts["late"] += 1
        line = f"{wanted.hex()[:16]}…  no validator proved it in time ({code})"
        self.say("late", line, transaction=wanted.hex(), code=code)

    def alarm(self, url: str, error: QuorateError | Refused | Contradiction, of: str) -> None:
        self.counts["alarms"] += 1
        fields = {"validator": url, "code": error.code, "message": f"{of}: {error}"}
        if isinstance(error, Contradiction):
            self.worst = FORK
            fields["evidence"] = error.evidence.hex()
            self.done.set()
        else:
            self.worst = max(self.worst, INVALID_REPORT)
        self.say("alarm", f"{url}: {of}: {error} ({error.code})", **fields)

    def dispute(self, height: int, *urls: str) -> None:
        """Reports two validators with different blocks at one height and no proof. Each is named once."""
        if self.disputed.isdisjoint(urls):
            message = f"{urls[1]} reports a different block, and no proof decides between them"
            self.alarm(urls[0], Refused("WRONG_CONTEXT", message), f"block {height}")
            self.disputed.update(urls)

    def refuse_refuted(self, height: int, digest: str) -> None:
        """Refuses the validators whose earlier reports a proof contradicts."""
        refuted = self.chain.refuted_by(height, digest)
        for follower in self.followers:
            if follower.link.url in refuted and follower.state != "refused":
                message = f"a proof shows that block {height} is {digest[:16]}…, unlike the earlier report"
                follower.refuse(Refused("WRONG_CONTEXT", message), f"block {follower.next}")

    def summary(self) -> None:
        chain = self.chain
        blocks = sum(follower.blocks for follower in self.followers)
        followed = sum(follower.blocks > 0 for follower in self.followers)
        self.say(
            "summary",
            f"{chain.certificates} certificates and {chain.proofs} proofs verified; {blocks} blocks of {followed} of "
            f"{len(self.followers)} validators agree; lost {self.counts['lost']}, late {self.counts['late']}, "
            f"alarms {self.counts['alarms']}",
            certificates=chain.certificates,
            proofs=chain.proofs,
            view=chain.view,
            **self.counts,
            code=self.code(),
            validators=[{"validator": f.link.url, "blocks": f.blocks, "state": f.state} for f in self.followers],
        )

    def code(self) -> int:
        if self.worst:
            return self.worst
        if not any(follower.blocks for follower in self.followers):
            return NOTHING_VERIFIED
        return NOT_PROVED if self.counts["late"] else 0

    def say(self, event: str, line: str, **fields: Any) -> None:
        if self.options.json:
            return show(json.dumps({"event": event, **fields}), sys.stdout)
        stream = sys.stdout if event in ("block", "epoch", "proof", "summary") else sys.stderr
        word = f"{event:<7}"
        if event in COLOURS and stream.isatty() and not os.environ.get("NO_COLOR"):
            word = f"\x1b[{COLOURS[event]}m{word}\x1b[m"
        show(f"{word}  {line}", stream)


class Follower:
    """Follows one validator: reconnects after a failure, and stops once it is refused."""

    def __init__(self, watcher: Watcher, link: Link) -> None:
        self.watcher, self.link = watcher, link
        self.prover = Link(link.url, link.timeout)  # a separate connection, because a proof may take long
        self.next, self.blocks, self.pause = watcher.options.start, 0, MIN_PAUSE
        self.state, self.caught_up = "silent", False
        self.last: Claim | None = None
        self.task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        self.task = asyncio.current_task()
        while self.state != "refused":
            try:
                await self.follow()
            except Lost as lost:
                await self.wait(lost)
            except (QuorateError, Refused, Contradiction) as error:
                self.refuse(error, f"block {self.next}")

    async def follow(self) -> None:
        async with aclosing(self.link.lines("/v1/commits")) as lines:
            async for line in lines:
                if not line.startswith(b"id:"):
                    continue
                if not (found := HEIGHT.fullmatch(line)):
                    raise Refused("MALFORMED", "malformed stream: expected a height after `id:`")
                height = int(found[1])
                self.next = self.next or max(height, 1)
                # Read the blocks missed while disconnected; the stream waits meanwhile.
                while self.next <= min(height, MAX_NUMBER):
                    await self.block(self.next)
                self.caught_up = True

    async def block(self, height: int) -> None:
        answer = await self.link.get(f"/v1/blocks/{height}", MAX_BLOCK)
        epoch = self.watcher.chain.claimed_epoch(answer)
        await self.hand_over(self.link, epoch)
        try:
            self.last, last, signers = await self.watcher.chain.certified(self.last, height, answer)
        except QuorateError as error:
            if not self.watcher.chain.is_forgotten(epoch):
                raise
            self.next, self.last = 0, None
            message = f"block {height} is of epoch {epoch}, which is too old to be verified; the newest block is next"
            raise Lost(error.code, message) from None
        self.next = height + 1
        if not last:
            return
        if not self.blocks and (first := self.watcher.chain.first_missed(last)):
            self.next, self.last = first, None
            return
        if other := self.watcher.chain.agree(last, self.link.url):
            self.watcher.dispute(last.height, self.link.url, other)
        if self.state == "lost":
            text = f"{self.link.url}: followed again from block {last.height}"
            self.watcher.say("back", text, validator=self.link.url, height=last.height)
        self.blocks, self.state, self.pause = self.blocks + 1, "followed", MIN_PAUSE
        if self.watcher.chain.newest(last):
            author = "all" if last.author is None else last.author
            line = (
                f"{last.height:>7}  view {last.view}  {last.digest[:16]}…  by {author}  {last.transactions} "
                f"transactions  signed by {' '.join(map(str, signers))}  {self.link.url}"
            )
            self.watcher.say("block", line, **vars(last), signers=signers, validator=self.link.url)

    async def hand_over(self, link: Link, needed: int) -> None:
        """Follows the changes of the members up to an epoch, as far as this validator knows them."""
        chain, reached = self.watcher.chain, -1
        while reached < chain.client.epoch() < needed:
            reached = chain.client.epoch()
            answer = await link.get(f"/v1/epochs?from={reached + 1}", MAX_EPOCHS)
            for epoch in await chain.hand_over(answer, needed):
                members = len(chain.client.voters(epoch))
                line = f"{epoch:>7}  {members} members  {link.url}"
                self.watcher.say("epoch", line, epoch=epoch, members=members, validator=link.url)

    async def prove(self, transaction: bytes, wanted: bytes) -> bool:
        """Submits a transaction and returns true if this validator proves its commit."""
        await self.prover.post("/v1/transactions", transaction, MAX_TICKET)
        wait = 5.0
        answer = await self.prover.get(f"/v1/transactions/{wanted.hex()}?wait={wait:g}", MAX_PROOF, wait)
        try:
            if self.watcher.chain.client.protocol == "gosig":
                await self.hand_over(self.prover, MAX_NUMBER)
            height, digest = await self.watcher.chain.proof(wanted, answer)
        except (QuorateError, Refused, Contradiction) as error:
            self.refuse(error, f"proof of {wanted.hex()[:16]}…")
            return False
        line = f"{wanted.hex()[:16]}…  is in block {height}, {digest[:16]}…  {self.link.url}"
        fields = {"transaction": wanted.hex(), "height": height, "digest": digest, "validator": self.link.url}
        self.watcher.say("proof", line, **fields)
        self.watcher.refuse_refuted(height, digest)
        return True

    async def wait(self, lost: Lost) -> None:
        self.watcher.counts["lost"] += 1
        self.state = "lost"
        line = f"{self.link.url}: {lost} ({lost.code}); next attempt in {self.pause:g} s"
        self.watcher.say("lost", line, validator=self.link.url, code=lost.code, message=str(lost))
        await asyncio.sleep(self.pause)
        self.pause = min(2 * self.pause, MAX_PAUSE)

    def refuse(self, error: QuorateError | Refused | Contradiction, of: str) -> None:
        self.state = "refused"
        self.watcher.chain.forget(self.link.url)
        self.link.close()
        self.prover.close()
        if self.task and self.task is not asyncio.current_task():
            self.task.cancel()
        self.watcher.alarm(self.link.url, error, of)


class ExitError(Exception):
    """A reason to stop, with its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ExitError(2, f"{message}; see --help")


def arguments() -> argparse.Namespace:
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("url", nargs="*")
    parser.add_argument("--genesis", type=Path)
    parser.add_argument("--from", dest="start", type=height, default=0)
    parser.add_argument("--probe", type=seconds(0), default=1.0)
    parser.add_argument("--timeout", type=seconds(0.001), default=10.0)
    parser.add_argument("--duration", type=seconds(0.001))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--help", action="store_true")
    options = parser.parse_args()
    if options.url and not options.genesis:
        parser.error("validators on the command line need --genesis FILE")
    return options


def seconds(least: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or float(text) < least:
            raise argparse.ArgumentTypeError(f"invalid duration {text!r}: expected a number of seconds")
        return float(text)

    return read


def height(text: str) -> int:
    if not re.fullmatch("[0-9]{1,15}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"invalid height {text!r}: expected an integer from 1")
    return int(text)


def testnet() -> tuple[list[str], Path]:
    """The most recently started testnet, as the program `quorate` finds it."""
    named = os.environ.get("QUORATE_TESTNET")
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state")
    file = Path(named) / "testnet.json" if named else state / "quorate/testnet.json"
    try:
        found = json.loads(file.read_text())
        return list(found["http"]), Path(found["genesis"])
    except (OSError, ValueError, KeyError, TypeError):
        text = "no testnet is running; start one with `quorate testnet`, or name validators and --genesis"
        raise ExitError(NOTHING_VERIFIED, text) from None


def prepare(options: argparse.Namespace) -> tuple[Chain, list[Link]]:
    urls, file = (options.url, options.genesis) if options.url else testnet()
    file = options.genesis or file
    try:
        client = LightClient.from_genesis(file.read_text())
    except (OSError, UnicodeDecodeError, QuorateError) as error:
        raise ExitError(3, f"{file}: {error}") from None
    try:
        return Chain(client), [Link(url, options.timeout) for url in urls]
    except ValueError as error:
        raise ExitError(2, str(error)) from None


def show(line: str, stream: Any) -> None:
    try:
        print(line, file=stream, flush=True)
    except BrokenPipeError:
        # The reader closed the pipe, as in `watch | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        os.kill(os.getpid(), signal.SIGTERM)


async def watch(options: argparse.Namespace) -> int:
    return await Watcher(*prepare(options), options).run()


def main() -> int:
    try:
        options = arguments()
        if options.help:
            text = Path(__file__).parents[1].joinpath("help.txt").read_text()
            print(text.replace("{program}", "python3 watch.py"), end="")
            return 0
        return asyncio.run(watch(options))
    except ExitError as stop:
        print(f"watch: {stop}", file=sys.stderr)
        return stop.code


if __name__ == "__main__":
    sys.exit(main())
