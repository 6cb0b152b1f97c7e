"""Failures: each has a class and a stable code for programs, an exit code for scripts, and a message for users."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the program, equal to those of the Rust program."""

    FAILED = 1
    INPUT = 3
    UNREACHABLE = 4
    REFUSED = 5


class Failure(Exception):
    """Base class of all failures."""

    exit: Exit = Exit.FAILED

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message


class BadInput(Failure):
    """A key file or a command that cannot be used. Nothing was sent."""

    exit = Exit.INPUT

    def __init__(self, message: str) -> None:
        super().__init__("BAD_INPUT", message)


class Unreachable(Failure):
    """The front does not answer. The command was not sent."""

    exit = Exit.UNREACHABLE

    def __init__(self, message: str) -> None:
        super().__init__("UNREACHABLE", message)


class Lost(Failure):
    """The answer is lost.

    `logged` is True if the front reports the command in its log: it was executed, unless the front crashed before
    that. False: the command is not in the log and was not executed. None: unknown.
    """

    exit = Exit.UNREACHABLE

    def __init__(self, message: str, logged: bool | None = None) -> None:
        super().__init__("LOST", message)
        self.logged = logged


class BadFront(Failure):
    """The server is not a front, or violates the protocol. The client does not contact it again.

    Codes: `NO_FRONT`, `OTHER_STORE`, `BAD_FRAME`, `BAD_ORDER`, `BAD_REPLY`, `ROLLED_BACK`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.exit = Exit.REFUSED if code == "OTHER_STORE" else Exit.UNREACHABLE


class Refused(Failure):
    """The front refused the command, with the front's code: it is not in the log and was not executed."""

    exit = Exit.REFUSED

    def __init__(self, code: str, message: str, sequence: int = 0) -> None:
        super().__init__(code, message)
        self.sequence = sequence


class RedisError(Failure):
    """Redis answered with an error. The command is in the log, as `entry`. An error inside an array is a value."""

    def __init__(self, text: str, sequence: int = 0, entry: int = 0) -> None:
        code, _, message = text.partition(" ")
        super().__init__(code, message)
        self.text = text
        self.sequence = sequence
        self.entry = entry

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RedisError) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)
