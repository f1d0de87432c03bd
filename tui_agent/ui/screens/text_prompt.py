"""A modal that asks for one line of text."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.safe_fields import SafeInput


class TextPromptScreen(Modal[str | None]):
    """Gives the line, or None when it was closed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("picking")]
    AUTO_FOCUS = "Input"

    def __init__(self, title: str, explanation: str = "", *, value: str = "", secret: bool = False) -> None:
        super().__init__()
        self._title = title
        self._explanation = explanation
        self._value = value
        self._secret = secret

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            dialog.border_subtitle = Content(_("Enter accept · Esc cancel"))
            if self._explanation:
                yield Prose(content(self._explanation), classes="explanation")
            yield SafeInput(self._value, password=self._secret, compact=True)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    def action_choose(self) -> None:
        self.dismiss(self.query_one(Input).value)

    def action_move(self, step: int) -> None:
        """There is only one line."""

    def action_close(self) -> None:
        self.dismiss(None)
