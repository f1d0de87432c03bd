"""A modal that shows a text to read: help, a summary, what changed, a long paste."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen

from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content
from tui_agent.ui.widgets.lines_view import Line, LinesView


class ReadingScreen(ModalScreen[None]):
    """Lines under a title."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reading")]
    AUTO_FOCUS = "LinesView"

    @dataclass
    class CopyWanted(Message):
        """The text is to be copied."""

        text: str

    def __init__(self, title: str, lines: Iterable[Line], *, exact: bool = False, hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._lines = tuple(lines)
        self._exact = exact
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            dialog.border_subtitle = Content(self._hint or "y copy · Esc close")
            yield LinesView(self._lines, exact=self._exact)

    def action_copy(self) -> None:
        self.app.post_message(self.CopyWanted("\n".join(line.text for line in self._lines)))

    def action_close(self) -> None:
        self.dismiss(None)
