"""Threads that nobody waits for at the end: what a resolver or a keyring has not answered by then, nobody will read.

Python waits for every thread it has lent, and a resolver without a network answers after half a minute.
"""

import asyncio
import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

_NAME = "unawaited"

_MOMENT = 0.05
"""Seconds that an idle thread gets to notice the end."""


class UnawaitedThreads(ThreadPoolExecutor):
    """Lends threads; when it is shut down, what they are at goes on alone."""

    def __init__(self) -> None:
        super().__init__(thread_name_prefix=_NAME)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


def lend_unawaited() -> None:
    """Have the running loop end without waiting for its threads."""
    asyncio.get_running_loop().set_default_executor(UnawaitedThreads())


def end_without_waiting(code: int) -> None:
    """End the program here and now if a thread is still at something; else do nothing, it will end by itself."""
    lent = [thread for thread in threading.enumerate() if thread.name.startswith(_NAME)]
    for thread in lent:
        thread.join(_MOMENT)
    if not any(thread.is_alive() for thread in lent):
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
