"""How things fail: a class and a stable code for programs, an exit code for scripts, and what to do for people."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of the program, those of the Rust one."""

    FAILED = 1
    INPUT = 3
    UNREACHABLE = 4
    REFUSED = 5


class Failure(Exception):
    """Why there is no success."""

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
    """No front answers. Nothing was sent."""

    exit = Exit.UNREACHABLE

    def __init__(self, message: str) -> None:
        super().__init__("UNREACHABLE", message)


class Lost(Failure):
    """The answer will not come.

    `logged` is true if the front says that the command is in the log: it was executed, unless the front crashed just
    then. False: it is not, and was not executed. None: it is unknown.
    """

    exit = Exit.UNREACHABLE

    def __init__(self, message: str, logged: bool | None = None) -> None:
        super().__init__("LOST", message)
        self.logged = logged


class BadFront(Failure):
    """What answers is no front, or one that lies: nothing that it says is believed any longer.

    Codes: `NO_FRONT`, `OTHER_STORE`, `BAD_FRAME`, `BAD_ORDER`, `BAD_REPLY`, `ROLLED_BACK`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.exit = Exit.REFUSED if code == "OTHER_STORE" else Exit.UNREACHABLE


class Refused(Failure):
    """The front refused, with a code of its own: the command is not in the log and was not executed."""

    exit = Exit.REFUSED

    def __init__(self, code: str, message: str, sequence: int = 0) -> None:
        super().__init__(code, message)
        self.sequence = sequence


class RedisError(Failure):
    """Redis answered with an error. The command is in the log, as `entry`; in an array an error is a value instead."""

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
