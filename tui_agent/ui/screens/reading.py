"""A modal that shows a text to read: help, a summary, what changed, a long paste."""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.screens.selecting import SelectingScreen
from tui_agent.ui.widgets.key_hints import KeyHints
from tui_agent.ui.widgets.lines_view import Line, LinesView


class ReadingScreen(Modal[bool], SelectingScreen[bool]):
    """Lines under a title. Gives True only for the extra answer it may offer."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reading")]
    AUTO_FOCUS = "LinesView"

    def __init__(
        self, title: str, lines: Iterable[Line], *, exact: bool = False, hint: str = "", has_extra: bool = False
    ) -> None:
        """
        Args:
            title: over the text.
            lines: the text.
            exact: break lines anywhere, so that every space can be seen.
            hint: the keys, instead of the usual ones.
            has_extra: whether `i` closes the text with the answer True.
        """
        super().__init__()
        self._has_extra = has_extra
        self._title = title
        self._lines = tuple(lines)
        self._exact = exact
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            yield LinesView(self._lines, exact=self._exact)
            if self._hint:
                yield KeyHints(self._hint)
            else:
                dialog.border_subtitle = Content(_("y copy · Esc close"))

    def action_copy(self) -> None:
        self.app.copy_to_clipboard("\n".join(line.text for line in self._lines))

    def action_extra(self) -> None:
        if self._has_extra:
            self.dismiss(True)

    def action_close(self) -> None:
        self.dismiss(False)
