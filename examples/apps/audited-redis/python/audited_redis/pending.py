"""Commands that wait for their answers, and what the front may answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from .failure import BadFront, Failure, Lost, RedisError
from .link import refused
from .resp import Malformed, Reply, parse_reply
from .wire import Executed, Refusal, Welcome


@dataclass(frozen=True, slots=True)
class Answer:
    """What Redis answered to a command."""

    sequence: int
    """The client's number of the command."""
    entry: int
    """The number of its entry in the log."""
    reply: Reply


@dataclass(frozen=True, slots=True)
class Waiting:
    """A command under way."""

    frame: bytes
    """As it was signed: what is sent again is the same, so that it is executed once at most."""
    answer: asyncio.Future[Answer]


class Pending:
    """Numbers without gaps, and for each command exactly one outcome."""

    def __init__(self) -> None:
        self.by_number: dict[int, Waiting] = {}
        """Ascending."""
        self.next = 1
        self.changed = asyncio.Event()
        self._accepted = 0  # what is in the log, as the front says; the end of that may be lost with it
        self._answered = 0  # what was answered, and is on disk therefore
        self._entry = 0
        self._refused: int | None = None

    def ready(self) -> bool:
        """Whether the next number is known: after a refusal, when every command has its answer."""
        if self._refused is not None and not self.by_number:
            self.next, self._refused = self._accepted + 1, None
        return self._refused is None

    def add(self, frame: bytes) -> asyncio.Future[Answer]:
        """The command with the next number is sent."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.by_number[self.next] = Waiting(frame, answer)
        self.next += 1
        return answer

    def begin(self, last: int) -> None:
        """The first connection: earlier programs with this key sent this number of commands."""
        self._accepted, self.next = last, last + 1

    def resume(self, last: int) -> Iterable[bytes]:
        """Another connection: what to send again."""
        if last < self._answered:
            message = f"the front has our commands to number {last}, but answered number {self._answered}"
            raise BadFront("ROLLED_BACK", f"{message}; its log has lost entries")
        if last >= self.next:
            raise Lost("another program uses this key; give each its own")
        self._accepted = last
        logged = [number for number in self.by_number if number <= last]
        self._fail(logged, Lost("the command is in the log, but its answer is lost with the connection", True))
        if self._refused is not None or next(iter(self.by_number), last + 1) != last + 1:
            # They were signed with numbers that never come.
            self._fail(list(self.by_number), Lost("the connection is lost; the command was not executed", False))
        self._refused, self.next = None, last + 1 + len(self.by_number)
        self.changed.set()
        return [waiting.frame for waiting in self.by_number.values()]

    def take(self, frame: Welcome | Executed | Refusal) -> None:
        """What the front says. Raises what ends the connection."""
        if isinstance(frame, Executed):
            self._executed(frame)
        elif isinstance(frame, Refusal):
            self._refusal(frame)
        else:
            raise BadFront("BAD_ORDER", "the front welcomes us twice")
        self.changed.set()

    def fail(self, failure: Failure) -> None:
        """No answer comes any longer."""
        self._fail(list(self.by_number), failure)
        self.changed.set()

    def _executed(self, frame: Executed) -> None:
        first = next(iter(self.by_number), None)
        if first != frame.sequence or (self._refused is not None and frame.sequence > self._refused):
            raise BadFront("BAD_ORDER", f"the front answers command {frame.sequence}, which is not the next")
        if frame.entry <= self._entry:
            raise BadFront("BAD_ORDER", f"entry {frame.entry} of the log after entry {self._entry}")
        self._accepted = self._answered = frame.sequence
        self._entry = frame.entry
        answer = self.by_number.pop(frame.sequence).answer
        if answer.done():
            return  # the caller has stopped waiting
        try:
            reply = parse_reply(frame.reply)
        except Malformed as reason:
            place = f"the reply to command {frame.sequence}, entry {frame.entry} of the log"
            answer.set_exception(BadFront("BAD_REPLY", f"{place}, is no RESP2 that is accepted here: {reason}"))
            return
        if isinstance(reply, RedisError):
            answer.set_exception(RedisError(reply.text, frame.sequence, frame.entry))
        else:
            answer.set_result(Answer(frame.sequence, frame.entry, reply))

    def _refusal(self, frame: Refusal) -> None:
        failure = refused(frame)
        if frame.sequence == 0 or isinstance(failure, BadFront):
            raise failure
        if frame.sequence not in self.by_number:
            raise BadFront("BAD_ORDER", f"the front refuses command {frame.sequence}, which has no answer to come")
        self._refused = min(frame.sequence, self._refused or frame.sequence)
        self._fail([frame.sequence], failure)

    def _fail(self, numbers: Iterable[int], failure: Failure) -> None:
        for number in numbers:
            answer = self.by_number.pop(number).answer
            if not answer.done():
                answer.set_exception(failure)
