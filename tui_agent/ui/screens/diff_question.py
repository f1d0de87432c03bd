"""A question about changes of files, with the changes as a diff."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.widgets.lines_view import Line, LinesView
from tui_agent.ui.widgets.prose import Prose


class DiffQuestion(Modal[bool]):
    """Shows exactly what would be written and waits for a yes or a no."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("confirm")]
    AUTO_FOCUS = "LinesView"

    def __init__(self, title: str, explanation: str, diff: str) -> None:
        super().__init__()
        self._title = title
        self._explanation = explanation
        self._diff = diff

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            dialog.border_subtitle = Content(_("y yes · n no"))
            yield Prose(content(self._explanation), classes="explanation")
            yield LinesView(diff_lines(self._diff), exact=True)

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


def diff_lines(diff: str) -> Iterator[Line]:
    """Every line of a unified diff as it is, with tabs and all that is hidden made visible."""
    for line in diff.split("\n"):
        style = {"+": "added", "-": "removed", "@": "dim"}.get(line[:1], "")
        yield Line(safe(line, single_line=True, strict=True), style if line[:1] != "@" or line[:2] == "@@" else "")
