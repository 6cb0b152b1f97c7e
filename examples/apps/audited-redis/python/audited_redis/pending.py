"""Commands in flight, and the checks on the front's answers."""

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
    """Redis' answer to a command."""

    sequence: int
    """Sequence number of the command."""
    entry: int
    """Number of its entry in the log."""
    reply: Reply


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command in flight."""

    frame: bytes
    """The signed frame. It is sent again unchanged, so that the command is executed at most once."""
    answer: asyncio.Future[Answer]


class PendingCommands:
    """Assigns sequence numbers without gaps, and gives each command exactly one outcome."""

    def __init__(self) -> None:
        self.by_sequence: dict[int, PendingCommand] = {}
        """In ascending order."""
        self.next = 1
        self.changed = asyncio.Event()
        self._accepted = 0  # last in the log as the front reports; a crash may lose the end of the log
        self._answered = 0  # last that was answered, so that it is on disk
        self._entry = 0
        self._refused: int | None = None

    def ready(self) -> bool:
        """Returns whether the next number is known: after a refusal, when all commands are answered."""
        if self._refused is not None and not self.by_sequence:
            self.next, self._refused = self._accepted + 1, None
        return self._refused is None

    def add(self, frame: bytes) -> asyncio.Future[Answer]:
        """Adds the command with the next sequence number."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.by_sequence[self.next] = PendingCommand(frame, answer)
        self.next += 1
        return answer

    def start(self, last: int) -> None:
        """Starts the first connection, after `last` commands that earlier programs sent with this key."""
        self._accepted, self.next = last, last + 1

    def resume(self, last: int) -> Iterable[bytes]:
        """Continues on a new connection and returns the frames to send again."""
        if last < self._answered:
            message = f"the front's log ends at sequence number {last}, but it answered number {self._answered}"
            raise BadFront("ROLLED_BACK", f"{message}: it has lost entries")
        if last >= self.next:
            raise Lost("another program uses this key; give each program its own key")
        self._accepted = last
        logged = [number for number in self.by_sequence if number <= last]
        self._fail(logged, Lost("the command is in the log, but its answer is lost with the connection", True))
        if self._refused is not None or next(iter(self.by_sequence), last + 1) != last + 1:
            # The front never accepts their sequence numbers.
            self._fail(list(self.by_sequence), Lost("the connection is lost; the command was not executed", False))
        self._refused, self.next = None, last + 1 + len(self.by_sequence)
        self.changed.set()
        return [pending.frame for pending in self.by_sequence.values()]

    def receive(self, frame: Welcome | Executed | Refusal) -> None:
        """Handles a frame of the front. Raises the failures that end the connection."""
        if isinstance(frame, Executed):
            self._executed(frame)
        elif isinstance(frame, Refusal):
            self._refusal(frame)
        else:
            raise BadFront("BAD_ORDER", "the front sent a second welcome")
        self.changed.set()

    def fail(self, failure: Failure) -> None:
        """Fails all commands in flight."""
        self._fail(list(self.by_sequence), failure)
        self.changed.set()

    def _executed(self, frame: Executed) -> None:
        first = next(iter(self.by_sequence), None)
        if first != frame.sequence or (self._refused is not None and frame.sequence > self._refused):
            raise BadFront("BAD_ORDER", f"expected the answer to command {first}, got {frame.sequence}")
        if frame.entry <= self._entry:
            raise BadFront("BAD_ORDER", f"entry {frame.entry} of the log after entry {self._entry}")
        self._accepted = self._answered = frame.sequence
        self._entry = frame.entry
        answer = self.by_sequence.pop(frame.sequence).answer
        if answer.done():
            return  # the caller has stopped waiting
        try:
            reply = parse_reply(frame.reply)
        except Malformed as reason:
            place = f"the reply to command {frame.sequence}, entry {frame.entry} of the log"
            answer.set_exception(BadFront("BAD_REPLY", f"{place}, is malformed RESP2: {reason}"))
            return
        if isinstance(reply, RedisError):
            answer.set_exception(RedisError(reply.text, frame.sequence, frame.entry))
        else:
            answer.set_result(Answer(frame.sequence, frame.entry, reply))

    def _refusal(self, frame: Refusal) -> None:
        failure = refused(frame)
        if frame.sequence == 0 or isinstance(failure, BadFront):
            raise failure
        if frame.sequence not in self.by_sequence:
            raise BadFront("BAD_ORDER", f"the front refused command {frame.sequence}, which is not in flight")
        self._refused = min(frame.sequence, self._refused or frame.sequence)
        self._fail([frame.sequence], failure)

    def _fail(self, numbers: Iterable[int], failure: Failure) -> None:
        for number in numbers:
            answer = self.by_sequence.pop(number).answer
            if not answer.done():
                answer.set_exception(failure)
