"""Exit codes and failures of the program."""

from __future__ import annotations

from enum import IntEnum

HELP = """\
Exit codes:
  0  verified
  1  something failed that has no code below, such as a full disk
  2  the command line is wrong
  3  a file cannot be used
  4  an update was refused: do not use it
  5  every signature is valid, but fewer than two thirds signed an update: do not treat its headers as final"""


class Exit(IntEnum):
    """The exit codes, described in HELP."""

    FAILED = 1
    INPUT = 3
    REFUSED = 4
    WEAK = 5


class Failure(Exception):
    """A failure. Its code is stable, and the same in all languages of this example."""

    def __init__(self, exit: Exit, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.exit = exit
        self.code = code
        self.message = message

    @classmethod
    def input(cls, message: str) -> Failure:
        """A file that cannot be used."""
        return cls(Exit.INPUT, "BAD_INPUT", message)

    @classmethod
    def refused(cls, code: str, message: str) -> Failure:
        """An update that a light client must not use."""
        return cls(Exit.REFUSED, code, message)

    def at(self, place: str) -> Failure:
        """The same, with the place where it happened in front."""
        return Failure(self.exit, self.code, f"{place}: {self.message}")
