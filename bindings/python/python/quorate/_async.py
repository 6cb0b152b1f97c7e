"""Off the event loop's thread. The native methods let the interpreter go, so other coroutines run meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


async def run(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What `call` gives, from a thread of the event loop's default executor."""
    return await asyncio.to_thread(call, *arguments)
