"""A line over the prompt: what is going on, for how long, how to stop it, and how much is new below."""

from collections.abc import Callable
from time import monotonic

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui_agent.language import _
from tui_agent.ui.plain import is_plain
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.wrapping import line_starts

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

_MOST_ROWS = 3
"""Rows at most of what does not fit in one, as the reason of a retry."""


class ActivityLine(Widget):
    """Blank while nothing happens; it keeps its row, so that nothing jumps."""

    ALLOW_SELECT = False

    words: reactive[str] = reactive("")
    """What is going on; "" for nothing. Safe to show."""

    hint: reactive[str] = reactive("")
    new_below: reactive[int] = reactive(0)

    class EndWanted(Message):
        """The note about new messages was clicked."""

    def __init__(self, *, animated: bool = True) -> None:
        super().__init__(id="activity")
        self.clock: Callable[[], float] = monotonic
        """Seconds from any moment on."""

        self._animated = animated
        self._since = 0.0
        self._held_at: float | None = None
        """Since when the user is waited for; None when not."""

        self._height = 1
        """The rows that were asked for."""

    def start(self, words: str, hint: str = "") -> None:
        """Say what is going on; the clock runs on while something is."""
        if not self.words:
            self._since = self.clock()
        self.words, self.hint = words, hint
        self.auto_refresh = None if is_plain() else 0.1 if self._animated else 1.0

    def hold(self, words: str) -> None:
        """Wait for the user and say so; "" when that is over. The wait does not count as time the work takes."""
        if words:
            self.start(words)
            self._held_at = self.clock() if self._held_at is None else self._held_at
        elif self._held_at is not None:
            self._since += self.clock() - self._held_at
            self._held_at = None

    def stop(self) -> None:
        """Nothing is going on."""
        self.words, self.hint, self._held_at = "", "", None
        self.auto_refresh = None

    def on_click(self) -> None:
        if self.new_below:
            self.post_message(self.EndWanted())

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._height = len(self._rows(width))
        return self._height

    def render(self) -> Content:
        rows = self._rows(self.content_size.width)
        if len(rows) != self._height:
            self._height = len(rows)  # asked for once, whether there is room or not
            self.call_after_refresh(self.refresh, layout=True)
        return Content("\n").join(rows)

    def _rows(self, width: int) -> list[Content]:
        """What is going on, broken to the width; at the right of its first row how much is new."""
        left = self._doing() if self.words else Content("")
        right, room = Content(""), width
        if self.new_below:
            right = Content.styled(_(" ↓ {n} new · Ctrl+End ").format(n=self.new_below), "$background on $primary")
            room = max(width - cell_len(right.plain) - 1, 0)
        starts = line_starts(left.plain, room) if room else [0]
        first, *others = (row.rstrip().truncate(room, ellipsis=True) for row in left.divide(starts[1:_MOST_ROWS]))
        return [first.truncate(room + 1, pad=True) + right if self.new_below else first, *others]

    def _doing(self) -> Content:
        if is_plain():
            return Content(f"{self.words}. {self.hint}" if self.hint else self.words)
        elapsed = self.clock() - self._since
        frame = _FRAMES[int(elapsed * 10) % len(_FRAMES)] if self._animated else "·"
        seconds = f" {elapsed:.0f} s" if elapsed >= 1 and self._held_at is None else ""
        line = Content.styled(f"{frame} ", "$primary") + Content(self.words) + Content.styled(seconds, MUTED)
        return line + Content.styled(f" · {self.hint}", MUTED) if self.hint else line
