"""The terminal under the interface: Textual's own driver, made to outlive a terminal that is gone.

This must not become a driver of our own: it changes manners of Textual's, each where it says why.
"""

import os
from typing import IO, Any, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """Draws in UTF-8 whatever the locale says, as it reads; goes on when the terminal is closed under it."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        if self._file is not None:
            drawn = os.fdopen(self._file.fileno(), "w", encoding="utf-8", errors="backslashreplace", closefd=False)
            self._file = cast(Any, _LastingFile(drawn))

    def _sigcont_application(self, *_: object) -> None:
        """A terminal that is closed tells its programs to continue; only what was suspended can be resumed."""
        if self._writer_thread is None or not self._writer_thread.is_alive():
            super()._sigcont_application()


class _LastingFile:
    """Takes what is written when nobody can see it any more: else Textual's writer dies and all others wait for it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        try:
            return self._file.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            pass

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()
