"""A question with two answers; the harmless one has the focus."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button

from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.widgets.prose import Prose


class ConfirmScreen(Modal[bool]):
    """Says exactly what would happen and waits for a yes or a no."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("confirm")]
    AUTO_FOCUS = "#no"

    def __init__(self, title: str, explanation: str, *, yes: str, no: str = "") -> None:
        super().__init__()
        self._title = title
        self._explanation = explanation
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            yield Prose(content(self._explanation), classes="explanation")
            with Horizontal(classes="buttons"):
                yield Button(Content(self._no or _("Cancel")), id="no", compact=True)
                yield Button(Content(f"{self._yes} (y)"), id="yes", compact=True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
