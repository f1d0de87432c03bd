"""Asks whether a workspace's instructions file may be sent along, showing it to the byte."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui_agent.agent.instructions import Answer, Offer
from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.widgets.lines_view import Line, LinesView


class InstructionsScreen(Modal[Answer | None]):
    """None means not now: it is asked about again."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("instructions")]
    AUTO_FOCUS = "LinesView"

    def __init__(self, offer: Offer) -> None:
        super().__init__()
        self._offer = offer

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = Content(_("Use these instructions?"))
            dialog.border_subtitle = Content(_("y use them · n never this text · Esc not now"))
            yield Static(Content("\n").join(self._headlines()), classes="explanation")
            yield LinesView(_lines(self._offer.text), exact=True)

    def _headlines(self) -> Iterator[Content]:
        yield content(str(self._offer.path), single_line=True, strict=True).stylize("bold")
        yield Content(
            _("They add about {tokens:,} tokens to each request, as if you had written them.").format(
                tokens=self._offer.tokens
            )
        )
        yield Content(_("You are asked again when the file changes."))

    def action_answer(self, answer: str) -> None:
        match answer:
            case "accepted":
                self.dismiss("accepted")
            case "declined":
                self.dismiss("declined")
            case _:
                self.dismiss(None)


def _lines(text: str) -> Iterator[Line]:
    for line in text.split("\n"):
        yield Line(safe(line, single_line=True, strict=True))
