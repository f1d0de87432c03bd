"""What the figures are held against: the least that Textual can do of the same. `python -m` runs it."""

import sys

from textual.app import App, ComposeResult
from textual.widgets import RichLog, TextArea

PLACEHOLDER = "Ask something"
"""What stands in the empty prompt, here and in ours: once it is on the screen, the screen is there."""


MINIMAL = [sys.executable, "-m", "tests.benchmarks.floors"]


class Minimal(App[None]):
    """A transcript over a prompt."""

    CSS = "RichLog { height: 1fr; } TextArea { height: 3; }"
    AUTO_FOCUS = "TextArea"

    def compose(self) -> ComposeResult:
        yield RichLog(wrap=True)
        yield TextArea(placeholder=PLACEHOLDER)


if __name__ == "__main__":
    Minimal().run()
