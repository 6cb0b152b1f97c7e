"""Runs calls outside the event loop's thread. The native methods release the interpreter, so other coroutines run
meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


async def run(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Returns the result of `call`, run on a thread of the event loop's default executor."""
    return await asyncio.to_thread(call, *arguments)
