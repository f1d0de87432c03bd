"""Waiting for what a test awaits: the one place where time is let pass for something to come true."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE = 30.0
"""Seconds after which it will not come true any more, on however busy a machine."""

_LOOK_SECONDS = 0.01


async def becomes_true(is_so: Callable[[], bool | Awaitable[bool]], seconds: float = PATIENCE) -> bool:
    """Whether it is so, or will be within this time."""
    for _ in range(int(seconds / _LOOK_SECONDS)):
        held = is_so()
        if held if isinstance(held, bool) else await held:
            return True
        await asyncio.sleep(_LOOK_SECONDS)
    return False


def soon(is_so: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """`becomes_true` where no event loop runs."""
    for _ in range(int(seconds / _LOOK_SECONDS)):
        if is_so():
            return True
        time.sleep(_LOOK_SECONDS)
    return False
