"""Whether what is said can be saved. While it cannot, a bar says so for as long as it lasts, and nothing is sent."""

import asyncio
from collections.abc import Awaitable, Callable

from textual.widgets import Static

from tui_agent.errors import NotSaved
from tui_agent.language import _
from tui_agent.ui.safe_text import content
from tui_agent.ui.screens.chat import ChatScreen

AGAIN_SECONDS = 2.0
"""How long after a failed write the next one is tried."""


class Safekeeping:
    """Shows that writes fail, tries again until one succeeds, and says when it is over."""

    def __init__(
        self, screen: ChatScreen, save: Callable[[], Awaitable[None]], saved_again: Callable[[], None]
    ) -> None:
        """
        Args:
            save: makes a write; raises `NotSaved` while that cannot be done.
            saved_again: called when a write has succeeded.
        """
        self._screen = screen
        self._save = save
        self._saved_again = saved_again
        self._is_safe = asyncio.Event()
        self._is_safe.set()
        self._is_given_up = False

    @property
    def is_failing(self) -> bool:
        """Whether the last write failed."""
        return not self._is_safe.is_set()

    def failed(self, error: NotSaved) -> None:
        """A write has failed: say so, and try until one succeeds."""
        bar = self._screen.query_one("#unsaved", Static)
        words = _("NOT SAVED: {saved} {todo}").format(saved=error.what.removeprefix(_("Not saved: ")), todo=error.todo)
        bar.update(
            content(_("{words} Nothing is sent until saving works; it is retried automatically.").format(words=words))
        )
        bar.add_class("-open")
        if not self.is_failing:
            self._is_safe.clear()
            self._is_given_up = False
            self._screen.run_worker(self._try_on(), group="unsaved", exclusive=True, exit_on_error=False)

    async def patience(self, error: NotSaved) -> bool:
        """Wait for the disk with something that cannot be had again; False when the user did not want to wait."""
        self.failed(error)
        if self._is_given_up:
            return False
        try:
            await self._is_safe.wait()
        except asyncio.CancelledError:
            self._is_given_up = True
            raise
        return True

    async def _try_on(self) -> None:
        while self.is_failing:
            await asyncio.sleep(AGAIN_SECONDS)
            try:
                await self._save()
            except NotSaved as error:
                self.failed(error)
            else:
                self._is_safe.set()
        self._screen.query_one("#unsaved", Static).remove_class("-open")
        self._saved_again()
