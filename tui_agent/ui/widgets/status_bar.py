"""The status bar: model, gauge, approval mode, and the button that compacts."""

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from tui_agent.core.events import Gauge
from tui_agent.language import _
from tui_agent.ui.plain import is_plain, mark
from tui_agent.ui.theme import FAINT, MUTED, TINY
from tui_agent.ui.widgets.gauge import bar, compact_number, in_words, roughly, state_word, style_of, tokens_text
from tui_agent.ui.words import word
from tui_agent.values import frozen

SEPARATOR = " │ "

ROOMY = 80
"""Columns from which the bar is long, and the key of the help stands beside a mode in which less is asked."""

LEAST_NAME = 10
"""Cells below which the beginning of a model's name says nothing."""


@frozen
class Status:
    """What the bar says besides the gauge. All texts are safe to show."""

    model: str = ""
    place: str = ""
    """Where the model runs."""

    ready: bool = False
    approval: str = "ask"
    mode: str = "auto"
    """The compaction mode."""

    note: str = ""
    """What is unusual about the model, in a word or two."""


class StatusLine(Widget):
    """Model, gauge, characters, compactions, approval: as much of it, in this order, as the width holds."""

    ALLOW_SELECT = False

    gauge: reactive[Gauge | None] = reactive(None, repaint=False)
    status: reactive[Status] = reactive(Status())

    _painted = Content("")

    def watch_gauge(self) -> None:
        """Most keys change the measure by less than can be seen."""
        if not self._content().is_same(self._painted):
            self.refresh()

    def render(self) -> Content:
        self._painted = self._content()
        return self._painted

    def _content(self) -> Content:
        width = self.content_size.width
        parts = self._parts()
        line = Content("")
        for place, part in enumerate(parts):
            piece = part if place == 0 else Content.styled(mark(SEPARATOR, "; "), FAINT) + part
            if cell_len(line.plain) + cell_len(piece.plain) > width:
                break
            line += piece
        return line or parts[0].truncate(max(width, 0), ellipsis=True)

    def _parts(self) -> list[Content]:
        gauge, status = self.gauge, self.status
        if gauge is None:
            return [self._model_part(status)]
        approval = Content.styled(
            _("approve: {approval}").format(approval=word(status.approval)),
            "$warning" if status.approval == "all" else "",
        )
        measure = self._gauge_part(gauge) if status.approval == "ask" else self._measure_beside(approval, gauge)
        held = [measure] if status.approval == "ask" else [part for part in (measure, approval) if part]
        if self.app.size.width < TINY:
            return held
        parts = [*self._fitting_model(status, held), *held]
        if status.mode != "auto":
            parts.append(Content.styled(_("compaction: {mode}").format(mode=word(status.mode)), MUTED))
        parts.append(Content(_("{characters} ch").format(characters=compact_number(gauge.characters))))
        if gauge.compactions:
            parts.append(Content.styled(mark("⟲ ", _("compactions ")) + str(gauge.compactions), "$accent"))
        if status.approval == "ask":
            parts.append(approval)
        if status.note:
            parts.append(Content.styled(status.note, "$warning"))
        if gauge.freed:
            parts.append(Content.styled(_("F4 frees about {freed}").format(freed=roughly(gauge.freed)), MUTED))
        return parts

    def _measure_beside(self, approval: Content, gauge: Gauge) -> Content:
        """The measure, as long as the width allows: a mode in which less is asked is never what is left out."""
        room = self.content_size.width - cell_len(SEPARATOR) - cell_len(approval.plain)
        bare = self._gauge_part(gauge, cells=0)
        figures = Content.styled(_figures(gauge), style_of(gauge))
        fitting = [each for each in (self._gauge_part(gauge), bare, figures) if cell_len(each.plain) <= room]
        named = (each for each in fitting if cell_len(each.plain) + cell_len(SEPARATOR) + LEAST_NAME <= room)
        return next(named, fitting[0] if fitting else Content(""))

    def _fitting_model(self, status: Status, held: list[Content]) -> list[Content]:
        """The model beside what is held in any case: with its place, by its name, or by the beginning of it."""
        room = self.content_size.width - sum(cell_len(SEPARATOR) + cell_len(part.plain) for part in held)
        model, named = self._model_part(status), self._model_part(status, placed=False)
        if cell_len(model.plain) <= room:
            return [model]
        return [named.truncate(room, ellipsis=True)] if room >= LEAST_NAME else []

    @staticmethod
    def _model_part(status: Status, *, placed: bool = True) -> Content:
        if not status.ready:
            waiting = Content.styled(mark("○ ", _("not connected: ") if status.model else ""), "$warning")
            return waiting + Content(status.model or _("no model"))
        place = Content.styled(f" @ {status.place}", MUTED) if status.place and placed else Content("")
        return Content.styled(mark("● ", _("model ")), "$success") + Content(status.model) + place

    def _gauge_part(self, gauge: Gauge, cells: int | None = None) -> Content:
        if is_plain():
            return Content.styled(in_words(gauge), style_of(gauge))
        if cells is None:
            cells = 12 if self.app.size.width >= ROOMY else 8
        drawn = Content.styled(bar(gauge, cells), style_of(gauge)) + Content(" ") if cells else Content("")
        state = state_word(gauge)
        if state == "over" and gauge.share is not None:
            said = _(" {share:.0%} of the window").format(share=gauge.share)
            return drawn + Content(tokens_text(gauge)) + Content.styled(said, style_of(gauge))
        line = drawn + Content(_figures(gauge))
        return line + Content.styled(f" {word(state)}", style_of(gauge)) if state else line


def _figures(gauge: Gauge) -> str:
    """`~5.1k/8.2k 63%`"""
    return tokens_text(gauge) + (f" {gauge.share:.0%}" if gauge.share is not None else "")


class CompactButton(Static, can_focus=False):
    """The word that compacts when it is clicked."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """It was clicked while enabled."""

    def __init__(self) -> None:
        super().__init__(Content(_("[Compact]")), id="compact")

    def on_click(self) -> None:
        if not self.disabled:
            self.post_message(self.Pressed())


class StatusBar(Horizontal):
    """One row at the bottom of the chat."""

    def __init__(self, status: Status) -> None:
        super().__init__(id="status-bar")
        self._line = StatusLine()
        self._line.set_reactive(StatusLine.status, status)

    def compose(self) -> ComposeResult:
        yield self._line
        yield CompactButton()
        yield Static(Content(_("F1 help")), id="help-hint")

    def show_gauge(self, gauge: Gauge) -> None:
        """Show this measure."""
        self._line.gauge = gauge

    def show_status(self, status: Status) -> None:
        """Show these words."""
        self._line.status = status
        self._make_room()

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """Where it is narrow, a mode in which less is asked stands there and not the key of the help."""
        self.set_class(self._line.status.approval != "ask" and self.app.size.width < ROOMY, "-cramped")

    def allow_compaction(self, allowed: bool) -> None:
        """Enable or disable the button; it is disabled while an approval is pending."""
        self.query_one(CompactButton).disabled = not allowed
