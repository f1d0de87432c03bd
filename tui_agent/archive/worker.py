"""The one thread that owns the one connection."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from tui_agent.archive.faults import as_read_errors, as_write_errors
from tui_agent.archive.opening import Opened
from tui_agent.errors import ArchiveUnavailable, NotSaved

T = TypeVar("T")


class Worker:
    """Runs jobs one after the other on a thread of its own and hands their results to the event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only = False
        self._connection: apsw.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")

    async def open(self, job: Callable[[], Opened]) -> Opened:
        """Open the file on the thread that will use it."""

        def keep() -> Opened:
            opened = job()
            self._connection = opened.connection
            self.read_only = opened.read_only
            return opened

        return await self.run(keep)

    async def read(self, job: Callable[[apsw.Connection], T]) -> T:
        """The result of a job that only reads. Cancelled before its time has come, it is never run.

        Raises:
            ArchiveUnavailable, ArchiveDamaged
        """

        def guarded() -> T:
            with as_read_errors(self.path):
                return job(self._opened())

        return await self.run(guarded)

    async def write(self, job: Callable[[apsw.Connection], T]) -> T:
        """The result of a job that writes. Once asked for it is carried out to its end, awaited or not.

        Raises:
            NotSaved, ArchiveDamaged
        """

        def guarded() -> T:
            if self.read_only:
                raise NotSaved(
                    "Not saved: the archive was opened read-only.",
                    "Nothing of it was kept.",
                    "Check the permissions of the data directory, then restart.",
                )
            with as_write_errors(self.path):
                return job(self._opened())

        return await asyncio.shield(self.run(guarded))

    async def run(self, job: Callable[[], T]) -> T:
        """The result of any job on the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, job)

    async def close(self) -> None:
        """Finish what was asked for, then close. Closing twice is allowed."""
        try:
            await asyncio.shield(self.run(self.disconnect))
        except RuntimeError:  # closed already
            return
        self._thread.shutdown(wait=True)

    def disconnect(self) -> None:
        """Close the connection; on the worker's thread only."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> apsw.Connection:
        if self._connection is None:
            raise ArchiveUnavailable(f"The archive {self.path} is closed.")
        return self._connection
