"""The transcript: one virtual view of a session, whatever its length."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView

from tui_agent.core.entries import Logged
from tui_agent.core.events import Event


@dataclass(frozen=True, slots=True)
class Current:
    """The message the cursor is on."""

    seq: int
    """Its sequence number; 0 while it is still being written."""

    role: str
    """user, assistant, tool, or note."""

    text: str
    """Its source, byte for byte."""


class Transcript(ScrollView, can_focus=True):
    """What was said, drawn line by line on demand."""

    FOCUS_ON_CLICK = False
    ALLOW_SELECT = True

    density: var[str] = var("comfortable")
    plain: var[bool] = var(False)

    @dataclass
    class OlderWanted(Message):
        """The view is near its upper end and there is more above it."""

        before: int
        """The sequence number of the oldest loaded entry."""

    @dataclass
    class NewBelow(Message):
        """How many messages have arrived below the view while it was scrolled up; 0 when it follows again."""

        count: int

    @dataclass
    class CursorMoved(Message):
        """The cursor over messages stands elsewhere; None when it is gone."""

        current: Current | None

    @dataclass
    class LinkChosen(Message):
        """A link was clicked; the widget never opens one itself."""

        url: str

    @property
    def current(self) -> Current | None:
        """The message under the cursor."""
        return None

    @property
    def following(self) -> bool:
        """Whether the view stays at the end as more arrives."""
        return True

    def load(self, entries: Sequence[Logged], *, more_above: bool) -> None:
        """Show a session from these entries on; what was shown before is gone."""

    def prepend(self, entries: Sequence[Logged], *, more_above: bool) -> None:
        """Add older entries above; the lines in view stay where they are."""

    def apply(self, event: Event) -> None:
        """Show what happened: the one projection for a live turn and for a reopened session."""

    def cursor_up(self) -> None:
        """Move the cursor to the message above; the first call puts it on the last message in view."""

    def cursor_down(self) -> None:
        """Move the cursor to the message below; past the last one it goes away."""

    def clear_cursor(self) -> None:
        """Take the cursor away."""

    def toggle_fold(self) -> None:
        """Fold or open the block under the cursor."""

    def toggle_details(self) -> None:
        """Open all tool and reasoning blocks, or fold them all."""

    def next_code_block(self) -> str | None:
        """The text of the next code block of the current message (else of the last answer); None if it has none."""
        return None

    def jump_to(self, seq: int) -> bool:
        """Show the message with this sequence number and flash it; False if it is not loaded."""
        return False

    def follow(self) -> None:
        """Go to the end and stay there."""

    def find(self, query: str) -> int:
        """Highlight `query` (case ignored) in what is loaded, show the hit nearest to the end; how many there are."""
        return 0

    def find_next(self) -> None:
        """Show the next hit below, or the first."""

    def find_previous(self) -> None:
        """Show the next hit above, or the last."""

    def clear_find(self) -> None:
        """Take the highlights away."""
