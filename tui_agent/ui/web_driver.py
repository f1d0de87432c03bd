"""Draws on a page instead of a terminal: Textual's own driver, made to outlive its server, and told its size twice."""

import asyncio
import os
import signal
from functools import partial
from typing import Any

from textual.app import App
from textual.drivers import web_driver
from textual.events import Resize
from textual.geometry import Size


class WebDriver(web_driver.WebDriver):
    """Ends the program when the server is gone, as a closed terminal does; Textual's would stay, deaf and unseen.

    It says the size once more, behind what is said of it at the start: Textual 8.2.8 posts the size the page was
    opened with a moment after it has begun to read what the page says, and would forget one that changed early.
    """

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(_write_while_read, self.fileno)

    def start_application_mode(self) -> None:
        super().start_application_mode()
        asyncio.run_coroutine_threadsafe(self._say_size(), asyncio.get_running_loop())

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            os.kill(os.getpid(), signal.SIGHUP)

    async def _say_size(self) -> None:
        if self._size is not None:
            size = Size(*self._size)
            self._app.post_message(Resize(size, size))


def _write_while_read(handle: int, data: bytes) -> int:
    """What is written when nobody can read it any more is written into nothing: what is to be saved still is."""
    try:
        return os.write(handle, data)
    except OSError:
        return len(data)
