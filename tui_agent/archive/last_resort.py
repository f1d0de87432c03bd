"""What is saved from the reserve when the disk is full, and how the archive gets over it."""

from collections.abc import Callable
from typing import TypeVar

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.worker import Worker
from tui_agent.errors import NotSaved
from tui_agent.language import _

T = TypeVar("T")


class LastResort:
    """The part of the archive that still writes when the disk is full."""

    _worker: Worker
    on_shortage: Callable[[NotSaved], object]
    """Called when the disk was full and something was saved from the reserve: there will not be room for more."""

    def watch(self, on_shortage: Callable[[NotSaved], object]) -> None:
        """Have it told from here on when something is saved from the reserve; at once if that was so at the opening."""
        self.on_shortage = on_shortage
        if self._worker.is_short:
            on_shortage(_shortage())

    async def recover(self) -> None:
        """See whether things can be saved again, the reserve kept back.

        Raises:
            NotSaved: not yet.
        """

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                connection.execute("UPDATE given_out SET upto = upto")
            if self._worker.is_short and not self._worker.reserve.fill():
                raise apsw.FullError("no room for the reserve")
            self._worker.is_short = False

        await self._worker.write(job)

    async def _save(self, job: Callable[[apsw.Connection], T]) -> T:
        """Write what cannot wait until the disk has room."""
        was_short = self._worker.is_short
        result = await self._worker.write(job, at_last=True)
        if self._worker.is_short and not was_short:
            self.on_shortage(_shortage())
        return result


def _shortage() -> NotSaved:
    return NotSaved(
        _("Not saved: the disk is full; only what was begun still is, from a reserve."),
        _("There will not be room for more."),
        _("Free some space."),
    )
