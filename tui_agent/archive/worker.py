"""The one thread that owns the one connection."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import apsw

from tui_agent.archive.faults import as_read_errors, as_write_errors, is_full
from tui_agent.archive.opening import Opened, suspect
from tui_agent.archive.reserve import Reserve
from tui_agent.errors import ArchiveDamaged, ArchiveError, ArchiveUnavailable, NotSaved
from tui_agent.language import _
from tui_agent.paths import identity_of

T = TypeVar("T")

_Job = tuple[Callable[[], Any], bool, "asyncio.Future[Any] | None"]
"""What to run, whether it is run although nobody waits for it any more, and who waits, if anybody does."""


class Worker:
    """Runs jobs one after the other on a thread of its own and hands their results to the event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: Opened | None = None
        self._files: dict[Path, tuple[int, int] | None] = {}
        """Device and number of the file that was opened, and of the log beside it where there is one."""

        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_closed = False
        self.reserve = Reserve(path)
        self.is_short = False
        """Whether the reserve was given up and is not back yet."""

        # A daemon: a process that ends without closing must end all the same, as if it had been killed.
        threading.Thread(target=self._work, name="archive", daemon=True).start()

    @property
    def read_only(self) -> bool:
        """Whether the file was opened for reading alone."""
        return self._opened is not None and self._opened.read_only

    async def open(self, job: Callable[[], Opened]) -> Opened:
        """Open the file on the thread that will use it."""

        def keep() -> Opened:
            self._opened = job()
            beside = self.path.with_name(f"{self.path.name}-wal")
            self._files = {path: identity_of(path) for path in (self.path, beside) if path.exists()}
            self.is_short = self._opened.is_short
            return self._opened

        return await self._ask(keep, is_write=True)

    async def read(self, job: Callable[[apsw.Connection], T]) -> T:
        """The result of a job that only reads. Cancelled before its time has come, it is never run.

        Raises:
            ArchiveUnavailable, ArchiveDamaged
        """

        def guarded() -> T:
            with self._damage_noted(), as_read_errors(self.path):
                return job(self._connection())

        return await self._ask(guarded, is_write=False)

    async def write(self, job: Callable[[apsw.Connection], T], *, at_last: bool = False) -> T:
        """The result of a job that writes. Once asked for it is carried out to its end, awaited or not.

        With `at_last`, a job that leaves nothing behind when it fails: on a full disk the reserve is given up for it.

        Raises:
            NotSaved, ArchiveDamaged
        """

        def guarded() -> T:
            if self.read_only:
                raise NotSaved(
                    _("Not saved: the archive was opened read-only."),
                    _("Nothing of it was kept."),
                    _("Check the free space and the permissions of the data directory, then restart."),
                )
            self._refuse_if_gone()
            with self._damage_noted(), as_write_errors(self.path):
                return self._at_last(job) if at_last else job(self._connection())

        return await self._ask(guarded, is_write=True)

    def later(self, job: Callable[[apsw.Connection], object]) -> None:
        """Run a job of housekeeping after all that was asked for; a driver's error in it is dropped."""

        def guarded() -> None:
            with suppress(ArchiveError), self._damage_noted(), as_write_errors(self.path):
                job(self._connection())

        self._jobs.put((guarded, True, None))

    async def close(self) -> None:
        """Finish what was asked for, then close. Closing twice is allowed."""
        if self._is_closed:
            return
        closing = self._ask(self._disconnect, is_write=True)
        self._is_closed = True
        self._jobs.put(None)
        await closing

    def _ask(self, job: Callable[[], T], *, is_write: bool) -> "asyncio.Future[T]":
        if self._is_closed:
            raise ArchiveUnavailable(_("The archive {path} is closed.").format(path=self.path))
        waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((job, is_write, waiting))
        return waiting

    def _work(self) -> None:
        while (asked := self._jobs.get()) is not None:
            job, is_write, waiting = asked
            if waiting is not None and waiting.cancelled() and not is_write:
                continue
            try:
                result = job()
            except BaseException as error:
                _deliver(waiting, None, error)
            else:
                _deliver(waiting, result, None)

    @contextmanager
    def _damage_noted(self) -> Iterator[None]:
        try:
            yield
        except ArchiveDamaged:
            suspect(self.path)
            raise

    def _refuse_if_gone(self) -> None:
        """A file that was removed or replaced takes every write without an error, and nobody ever finds it again."""
        gone = next((path for path, known in self._files.items() if identity_of(path) != known), None)
        if gone is not None:
            raise NotSaved(
                _("Not saved: {path} was removed, moved or replaced.").format(path=gone),
                _("Nothing of it was kept; what was said before is still here."),
                _("Put it back, or keep what is here with /export and restart."),
            )

    def _at_last(self, job: Callable[[apsw.Connection], T]) -> T:
        try:
            return job(self._connection())
        except (apsw.FullError, apsw.IOError, OSError) as error:
            if not is_full(error) or not self.reserve.spend():
                raise
            self.is_short = True
            return job(self._connection())

    def _disconnect(self) -> None:
        opened, self._opened = self._opened, None
        if opened is None:
            return
        # Closing tidies up; what cannot be tidied now is tidied when the file is opened next.
        with suppress(apsw.Error):
            opened.connection.close()
        if not opened.read_only:
            self.reserve.fill()
        if opened.presence is not None:
            opened.presence.release(remove=False)

    def _connection(self) -> apsw.Connection:
        if self._opened is None:
            raise ArchiveUnavailable(_("The archive {path} is closed.").format(path=self.path))
        return self._opened.connection


def _deliver(waiting: "asyncio.Future[Any] | None", result: Any, error: BaseException | None) -> None:
    if waiting is None:
        return

    def settle() -> None:
        if waiting.done():  # nobody waits any more
            return
        if error is None:
            waiting.set_result(result)
        else:
            waiting.set_exception(error)

    try:
        waiting.get_loop().call_soon_threadsafe(settle)
    except RuntimeError:  # the event loop has ended
        return
