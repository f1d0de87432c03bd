"""Calling the user back when something waits for them and the terminal is not in front."""

from collections.abc import Callable
from typing import Any, Literal

from textual.app import App

from tui_agent.ui.safe_text import safe

Way = Literal["off", "bell", "title", "desktop"]

LONG_SECONDS = 10.0
"""A turn that took longer is worth a call when it has ended."""


class Attention:
    """Calls in the way the settings say; silent while the terminal has the focus, or does not tell."""

    def __init__(self, app: App[Any], how: Callable[[], Way]) -> None:
        """
        Args:
            app: whose terminal it is.
            how: the setting as it is by then.
        """
        self._app = app
        self._how = how

    def call(self, words: str) -> None:
        """Say that something waits."""
        if self._app.app_focus:
            return
        line = safe(words, single_line=True, strict=True)
        match self._how():
            case "bell":
                self._app.bell()
            case "title":
                self._write(f"\x1b]0;tui-agent: {line}\x07")
            case "desktop":
                self._write(f"\x1b]9;tui-agent: {line}\x07")

    def _write(self, sequence: str) -> None:
        driver = self._app._driver
        if driver is not None:
            driver.write(sequence)
