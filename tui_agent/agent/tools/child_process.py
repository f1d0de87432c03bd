"""Runs a program without a terminal, in a session of its own, and leaves nothing of it behind."""

import asyncio
import codecs
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tui_agent.agent.tools.gate import gated
from tui_agent.agent.tools.guarding import ProcessGuard
from tui_agent.agent.tools.guarding_child import Family
from tui_agent.agent.tools.left_out import KeyFilter
from tui_agent.agent.tools.text_files import size_in_words
from tui_agent.values import frozen

GUARD = ProcessGuard()
"""One for the whole program: a process that dies takes all that it has started with it."""

_HEAD = _TAIL = 1024 * 1024
"""Bytes kept of the beginning and of the end of what a program prints."""

_AT_ONCE = 256 * 1024
_GRACE = 0.3
"""Seconds between asking processes to end and ending them."""

_LINGER = 0.1
"""Seconds that processes left in the background get to finish on their own."""

_REPORT_EVERY = 0.1
_LONGEST_REPORT = 2000


@frozen
class Finished:
    """How a program ended, and what it printed."""

    output: str
    """Both streams in the order they came, undecodable bytes replaced; the middle of very much is left out."""

    code: int | None
    """The exit code, negative for a signal; None when it was stopped."""

    timed_out: bool = False
    stopped: bool = False
    """Whether it was ended because it had printed as much as was wanted, or was told to stop."""

    left_running: bool = False
    """Whether it had left processes in the background, which were ended."""


async def run_program(
    arguments: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    given: bytes | None = None,
    most_bytes: int | None = None,
    report: Callable[[str], None] = lambda _: None,
    secret: str = "",
    guard: ProcessGuard = GUARD,
    stop: asyncio.Event | None = None,
) -> Finished:
    """Run the program to its end, to the time limit, until it has printed `most_bytes`, or until `stop` is set.

    `given` is what it reads; without it there is nothing to read. A program that is not there ends with 127. Where it
    prints `secret`, that is neither reported nor kept.
    Cancelling ends the whole session of processes before the cancellation goes on; it ends too when this program does.

    Raises:
        OSError, ValueError: it could not be started.
    """
    held = gated(arguments, environment, reads=given is not None)
    readable, writable = os.pipe()
    printed = _Printed(readable, most_bytes, report, stop or asyncio.Event(), KeyFilter(secret))
    guard.start()
    try:
        try:
            process = await asyncio.create_subprocess_exec(
                *held.arguments,
                stdin=subprocess.PIPE,
                stdout=writable,
                stderr=writable,
                cwd=directory,
                start_new_session=True,
            )
        finally:
            os.close(writable)
        with guard.over(process.pid):
            _let_through(process, held.word + (given or b""))
            return await _watched(process, printed, seconds)
    finally:
        printed.close()


def _let_through(process: asyncio.subprocess.Process, given: bytes) -> None:
    if process.stdin is not None:
        process.stdin.write(given)
        process.stdin.close()


async def _watched(process: asyncio.subprocess.Process, printed: "_Printed", seconds: float) -> Finished:
    family = Family(process.pid)
    ended = asyncio.ensure_future(process.wait())
    enough = asyncio.ensure_future(printed.enough.wait())
    try:
        await asyncio.wait((ended, enough), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            stopped = printed.enough.is_set()
            await _end(family, ended)
            printed.drain()
            return Finished(printed.text(), None, timed_out=not stopped, stopped=stopped)
        printed.drain()
        left_running = await _has_left_processes(family)
        printed.drain()
        return Finished(printed.text(), ended.result(), left_running=left_running)
    finally:
        enough.cancel()
        if not ended.done():
            await _end(family, ended)
        family.end()


async def _end(family: Family, ended: "asyncio.Future[int]") -> None:
    """Ask the processes to end, and end them after a moment; a second cancellation only shortens the moment."""
    family.signal(signal.SIGTERM)
    try:
        await asyncio.wait((ended,), timeout=_GRACE)
    finally:
        family.end()
    await asyncio.wait((ended,), timeout=_GRACE)


async def _has_left_processes(family: Family) -> bool:
    if not family.signal(0):
        return False
    await asyncio.sleep(_LINGER)
    return family.signal(0)


class _Printed:
    """Takes in what a program prints and keeps its beginning and its end."""

    def __init__(
        self,
        readable: int,
        most_bytes: int | None,
        report: Callable[[str], None],
        enough: asyncio.Event,
        secrets: KeyFilter,
    ) -> None:
        self.enough = enough
        self._secrets = secrets
        self._readable = readable
        self._most = most_bytes
        self._report = report
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unreported = ""
        self._reported_at = 0.0
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0
        os.set_blocking(readable, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(readable, self._take)

    def close(self) -> None:
        self._loop.remove_reader(self._readable)
        os.close(self._readable)

    def drain(self) -> None:
        """Take what is still in the pipe, and no more than a pipe can hold many times over."""
        for _ in range(64):
            if not self._take():
                return

    def text(self) -> str:
        """All of it, when no more is to come."""
        self._keep(self._secrets.rest())
        head, tail = bytes(self._head), bytes(self._tail)
        if not self._dropped:
            return (head + tail).decode("utf-8", "replace")
        note = f"\n[{size_in_words(self._dropped)} left out here]\n"
        return f"{head.decode('utf-8', 'replace')}{note}{tail.decode('utf-8', 'replace')}"

    def _take(self) -> bool:
        """One piece from the pipe; False when there is none for now, or ever."""
        try:
            piece = os.read(self._readable, _AT_ONCE)
        except BlockingIOError:
            return False
        if not piece:
            self._loop.remove_reader(self._readable)
            return False
        if piece := self._secrets.passing(piece):
            self._keep(piece)
            self._tell(piece)
        return True

    def _keep(self, piece: bytes) -> None:
        room = _HEAD - len(self._head)
        self._head += piece[:room]
        self._tail += piece[max(room, 0) :]
        over = len(self._tail) - _TAIL
        if over > _AT_ONCE or (over > 0 and len(piece) < _AT_ONCE):
            del self._tail[:over]
            self._dropped += over
        total = len(self._head) + len(self._tail) + self._dropped
        if self._most is not None and total >= self._most:
            self.enough.set()

    def _tell(self, piece: bytes) -> None:
        """Report at most ten times a second, so that a flood of output does not flood the screen."""
        self._unreported = (self._unreported + self._decoder.decode(piece))[-_LONGEST_REPORT:]
        now = time.monotonic()
        if now - self._reported_at >= _REPORT_EVERY:
            self._reported_at = now
            self._report(self._unreported)
            self._unreported = ""
