"""One exception class per error code; all are `QuorateError`.

Codes never change their meaning and are the same in all languages. Errors about malformed bytes are also `ValueError`,
as in Python's own decoders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

__all__ = [
    # NAMES
]


class QuorateError(Exception):
    """An error reported by quorate. Match on the class or on `code`.

    `culprits` lists the indices of the members at fault, in ascending order, if the error names any. `details` holds
    the values that the message contains, by name; the description of each class lists its names.
    """

    code: ClassVar[str] = ""

    def __init__(
        self, message: str, culprits: Sequence[int] = (), details: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        super().__init__(message)
        self.message: Final = message
        self.culprits: Final = tuple(culprits)
        self.details: Final[Mapping[str, Any]] = MappingProxyType(dict(details))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.culprits, dict(self.details))


# CLASSES


_BY_CODE: Final[Mapping[str, type[QuorateError]]] = {
    each.code: each for each in QuorateError.__subclasses__()
}


def from_code(code: str, message: str, culprits: Sequence[int], details: Mapping[str, Any]) -> QuorateError:
    """Returns the exception for a code. Called by the native module."""
    return _BY_CODE[code](message, culprits, details)
