"""The list of sessions: open, rename, delete, with a look inside."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui_agent.core.entries import AssistantSaid, Logged, UserSaid, said_text
from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.plain import mark
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.theme import MUTED
from tui_agent.ui.times import day_and_time
from tui_agent.ui.widgets.lines_view import Line, LinesView
from tui_agent.ui.widgets.safe_fields import SafeInput


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the list shows it."""

    id: str
    title: str
    updated: str
    messages: int
    directory: str = ""
    is_open: bool = False
    """Whether it is the one behind the list."""


@dataclass(frozen=True, slots=True)
class SessionSource:
    """What the list can ask for and have done."""

    rows: Callable[[], Awaitable[Sequence[SessionRow]]]
    peek: Callable[[str], Awaitable[Sequence[Logged]]]
    """The newest entries of a session."""

    rename: Callable[[str, str], Awaitable[None]]
    delete: Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What to do when the list closes."""

    action: Literal["open", "new"]
    id: str = ""


class SessionsScreen(ModalScreen[Chosen | None]):
    """Newest first; single letters act while the list has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sessions")]
    AUTO_FOCUS = "OptionList"

    def __init__(self, source: SessionSource) -> None:
        super().__init__()
        self._source = source
        self._all: Sequence[SessionRow] = ()
        self._shown: list[SessionRow] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = Content(_("Sessions"))
            dialog.border_subtitle = Content(_("Enter open · n new · r rename · d delete · / filter"))
            yield SafeInput(placeholder=_("/ and type to filter by title"), compact=True, select_on_focus=False)
            with Horizontal(id="sessions-body"):
                yield OptionList(markup=False, compact=True)
                yield LinesView(id="sessions-peek")

    def on_mount(self) -> None:
        self._reload()

    @work(exclusive=True, group="rows", exit_on_error=False)
    async def _reload(self) -> None:
        self._all = await self._source.rows()
        self._show()

    def _show(self) -> None:
        wanted = self.query_one(Input).value.casefold().split()
        self._shown = [row for row in self._all if all(word in row.title.casefold() for word in wanted)]
        rows = self.query_one(OptionList)
        place = rows.highlighted or 0
        rows.clear_options()
        rows.add_options([Option(_row_text(row)) for row in self._shown])
        if self._shown:
            rows.highlighted = min(place, len(self._shown) - 1)
        else:
            none = _("No session has such a title.") if wanted else _("No sessions yet. Esc, type something, Enter.")
            rows.add_option(Option(Content.styled(none, MUTED), disabled=True))
            self.query_one(LinesView).set_lines([])

    @property
    def _row(self) -> SessionRow | None:
        index = self.query_one(OptionList).highlighted
        return self._shown[index] if index is not None and index < len(self._shown) else None

    # ── the filter ───────────────────────────────────────────────────────────

    async def _on_key(self, event: events.Key) -> None:
        """A letter that acts on nothing begins the filter."""
        field = self.query_one(Input)
        if field.has_focus:
            if event.key == "down":
                event.stop()
                self.query_one(OptionList).focus()
            return
        is_bound = event.key in self._bindings.key_to_bindings
        if event.is_printable and event.character and not is_bound and event.key != "space":
            event.stop()
            field.focus()
            field.insert_text_at_cursor(event.character)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_resume()

    def action_filter(self) -> None:
        self.query_one(Input).focus()

    # ── a look inside ────────────────────────────────────────────────────────

    @on(OptionList.OptionHighlighted)
    def _reached(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self._row is not None:
            self._peek(self._row)

    @work(exclusive=True, group="peek", exit_on_error=False)
    async def _peek(self, row: SessionRow) -> None:
        entries = await self._source.peek(row.id)
        self.post_message(self._Peeked(row.id, tuple(_peek_lines(entries))))

    @dataclass
    class _Peeked(Message):
        """The newest entries of a session have been read."""

        id: str
        lines: tuple[Line, ...]

    @on(_Peeked)
    def _show_peek(self, event: _Peeked) -> None:
        event.stop()
        if self._row is not None and self._row.id == event.id:
            view = self.query_one(LinesView)
            view.follow = True
            view.set_lines(event.lines)

    # ── what can be done ─────────────────────────────────────────────────────

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_resume()

    def action_resume(self) -> None:
        if self._row is not None:
            self.dismiss(Chosen("open", self._row.id))

    def action_new(self) -> None:
        self.dismiss(Chosen("new"))

    def action_close(self) -> None:
        field = self.query_one(Input)
        if field.has_focus and field.value:
            field.value = ""
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_rename(self) -> None:
        row = self._row
        if row is None:
            return
        title = await self.app.push_screen_wait(TextPromptScreen(_("Rename the session"), value=row.title))
        if title and title.strip():
            await self._source.rename(row.id, title.strip())
            self._reload()

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_delete(self) -> None:
        row = self._row
        if row is not None and await self.app.push_screen_wait(delete_question(row)):
            await self._source.delete(row.id)
            self._reload()


def delete_question(row: SessionRow) -> ConfirmScreen:
    """Says what deleting a session takes away."""
    return ConfirmScreen(
        _("Delete this session?"),
        f"{row.title or _('untitled')}\n\n"
        + _(
            "{n} messages, with all their summaries, pins and the index that finds them, are removed from this machine "
            "for good. Files that tools changed stay as they are."
        ).format(n=row.messages),
        yes=_("Delete"),
    )


def _row_text(row: SessionRow) -> Content:
    here = mark("● ", _("open: ")) if row.is_open else mark("  ")
    title = content(row.title or _("untitled"), single_line=True, strict=True)
    directory = safe(row.directory, single_line=True, strict=True)
    size = _("{n} messages").format(n=row.messages)
    about = f"    {day_and_time(row.updated)} · {size} · {directory}"
    return Content(here) + title + Content("\n") + Content.styled(about, MUTED)


def _peek_lines(entries: Sequence[Logged]) -> list[Line]:
    lines = []
    for logged in entries:
        match logged.entry:
            case UserSaid():
                lines.append(Line(f"{_('you')}  {day_and_time(logged.at)}", "heading"))
            case AssistantSaid():
                lines.append(Line(f"{_('agent')}  {day_and_time(logged.at)}", "heading"))
            case _:
                continue
        lines += [Line(safe(line, single_line=True)) for line in said_text(logged.entry)[:2000].split("\n")]
        lines.append(Line(""))
    return lines
