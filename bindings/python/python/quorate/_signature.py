"""Default values that the signature of a native class cannot contain."""

from __future__ import annotations

import inspect
from typing import Any


def show_defaults(kind: type, **defaults: Any) -> None:
    """Shows these default values in the class's signature."""
    signature = inspect.signature(kind)
    shown = [each.replace(default=defaults.get(each.name, each.default)) for each in signature.parameters.values()]
    setattr(kind, "__signature__", signature.replace(parameters=shown))
