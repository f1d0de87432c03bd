"""Calling the user back when something waits for them and the terminal is not in front."""

from collections.abc import Callable
from typing import Any, Literal

from textual.app import App

from tui_agent.ui.outer_terminal import for_outer_terminal
from tui_agent.ui.safe_text import safe

Way = Literal["off", "bell", "title", "desktop"]

_PUSH_TITLE, _POP_TITLE = "\x1b[22;0t", "\x1b[23;0t"
"""Have the terminal remember its title, and take it up again."""


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
        self._has_title = False
        app.watch(app, "app_focus", self._focus_changed, init=False)

    def call(self, words: str) -> None:
        """Say that something waits."""
        if self._app.app_focus:
            return
        line = safe(words, single_line=True, strict=True)
        match self._how():
            case "bell":
                self._app.bell()
            case "title":
                self._write(f"{'' if self._has_title else _PUSH_TITLE}\x1b]0;tui-agent: {line}\x07")
                self._has_title = True
            case "desktop":
                self._write(for_outer_terminal(f"\x1b]9;tui-agent: {line}\x07"))
            case "off":
                pass

    def over(self) -> None:
        """Nothing waits any more: give the terminal its own title back."""
        if self._has_title:
            self._has_title = False
            self._write(_POP_TITLE)

    def _focus_changed(self, has_focus: bool) -> None:
        if has_focus:
            self.over()

    def _write(self, sequence: str) -> None:
        driver = self._app._driver
        if driver is not None:
            driver.write(sequence)
