"""Draws on a page instead of a terminal; Textual's way of it, which forgets the size of a page that changes early."""

import asyncio

from textual.drivers import web_driver
from textual.events import Resize
from textual.geometry import Size


class WebDriver(web_driver.WebDriver):
    """Says the size once more, behind what is said of it at the start.

    Textual 8.2.8 posts the size the page was opened with a moment after it has begun to read what the page says.
    """

    def start_application_mode(self) -> None:
        super().start_application_mode()
        asyncio.run_coroutine_threadsafe(self._say_size(), asyncio.get_running_loop())

    async def _say_size(self) -> None:
        if self._size is not None:
            size = Size(*self._size)
            self._app.post_message(Resize(size, size))
