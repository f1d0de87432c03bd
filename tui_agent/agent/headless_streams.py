"""What every run without a screen shares: exit codes, where answers and notes go, signals, the open archive."""

import asyncio
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import field
from typing import Any, TextIO

from tui_agent.agent import instructions
from tui_agent.agent.export.as_json import json_line, json_text
from tui_agent.agent.services import Services
from tui_agent.core.visible import visible
from tui_agent.threads import lend_unawaited
from tui_agent.values import frozen

DONE, TURN_FAILED, USAGE, LIMIT, NEEDS_APPROVAL = 0, 1, 2, 3, 4
"""Exit codes. A signal ends a run with 128 and its number, as in every shell: Ctrl+C with 130."""

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@frozen
class Streams:
    """Where answers and where notes go; never the same."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    answers: TextIO | None = field(default_factory=lambda: sys.stdin)
    """Where a person's answers come from; None when nobody can be asked."""

    @property
    def is_watched(self) -> bool:
        """Whether answers go to a person's terminal and not into a file or a program."""
        return self.out.isatty()

    @property
    def can_ask(self) -> bool:
        return self.answers is not None and self.answers.isatty()

    def say(self, text: str, end: str = "\n") -> None:
        """Print an answer: as it is for programs, with what a terminal would obey made visible for people."""
        print(visible(text) if self.is_watched else text, end=end, file=self.out, flush=True)

    def show(self, text: str) -> None:
        """Print what is written for people, wherever it goes."""
        print(visible(text), file=self.out, flush=True)

    def print_json(self, value: object) -> None:
        print(json_text(value), file=self.out, flush=True)

    def print_line(self, value: object) -> None:
        """Print JSON as one line of a stream."""
        print(json_line(value), file=self.out, flush=True)

    def note(self, text: str) -> None:
        """Tell what is no answer."""
        print(visible(text), file=self.err, flush=True)

    async def agrees(self, question: str) -> bool:
        """Ask a person; anything but yes is no."""
        if self.answers is None:
            return False
        print(f"{visible(question)} [y/N] ", end="", file=self.err, flush=True)
        return (await _line(self.answers)).strip().lower() in ("y", "yes")


async def _line(answers: TextIO) -> str:
    """The next line; waiting for it can be stopped."""
    try:
        descriptor = answers.fileno()
    except OSError:
        return answers.readline()
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def take() -> None:
        if not line.done():
            line.set_result(answers.readline())

    loop.add_reader(descriptor, take)
    try:
        return await line
    finally:
        loop.remove_reader(descriptor)


async def until_stopped(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end, or until a signal says stop: then what is being done is cancelled and keeps what it has.

    A second signal ends the program on the spot.
    """
    loop = asyncio.get_running_loop()
    lend_unawaited()
    task = asyncio.ensure_future(work)
    received: list[int] = []

    def stop(number: int) -> None:
        received.append(number)
        loop.remove_signal_handler(number)
        task.cancel()

    listening = _signals_that_count()
    for number in listening:
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]
    finally:
        for number in listening:
            loop.remove_signal_handler(number)


def _signals_that_count() -> list[signal.Signals]:
    """Those that nobody has told this process to ignore, as `nohup` does."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]


@asynccontextmanager
async def opened(services: Services) -> AsyncGenerator[Services, None]:
    """Services with the archive open, closed again whatever happens; what was found wrong with it is told."""
    await services.start()
    notices = services.archive.notices
    try:
        await instructions.offer(services)
        yield services
    finally:
        for notice in notices:
            Streams().note(notice)
        await services.close()
