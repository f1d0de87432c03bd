"""The list of sessions: found by any word that was said in them, opened, renamed, forked, put away, deleted."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui_agent.archive import Hit
from tui_agent.core.entries import Logged
from tui_agent.errors import TuiAgentError
from tui_agent.language import _, ngettext
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.screens.session_rows import SessionRow, peek_lines, row_text
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.key_hints import fitting_hints
from tui_agent.ui.widgets.lines_view import Line, LinesView
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.widgets.safe_fields import SafeInput
from tui_agent.values import frozen, posted


@frozen
class SessionSource:
    """What the list can ask for and have done."""

    rows: Callable[[], Awaitable[Sequence[SessionRow]]]
    """All of them, the one changed last first."""

    search: Callable[[str], Awaitable[Sequence[Hit]]]
    """Entries of any session that hold some words, newest first."""

    peek: Callable[[str, int | None], Awaitable[Sequence[Logged]]]
    """The newest entries of a session, or those round one of them."""

    rename: Callable[[str, str], Awaitable[None]]
    delete: Callable[[str], Awaitable[None]]
    archive: Callable[[str, bool], Awaitable[None]]
    """Put a session away, or take it out again."""

    directory: str = ""
    """The one that is worked in."""


@frozen
class Chosen:
    """What to do when the list closes."""

    action: Literal["open", "new", "fork"]
    id: str = ""
    seq: int = 0
    """The entry to go to; 0 for none."""


_EDGE = 6
"""Cells of a dialog's edge that hold no words: corners, a piece of the line and a blank on both sides."""


class SessionsScreen(Modal[Chosen | None]):
    """Newest first; single letters act while the list has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sessions")]
    AUTO_FOCUS = "OptionList"

    def __init__(self, source: SessionSource) -> None:
        super().__init__()
        self._source = source
        self._all: Sequence[SessionRow] = ()
        self._shown: list[SessionRow] = []
        self._hits: dict[str, Hit] = {}
        """By session: the newest place where the words that are sought stand."""

        self._listed: list[tuple[SessionRow, Hit | None]] = []
        self._texts: dict[SessionRow, Content] = {}
        self._only_here = False
        self._put_away = False
        """Whether those are shown that were put away, instead of the others."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = Content(_("Sessions"))
            yield SafeInput(
                placeholder=_("/ and words of the title, or of anything said"), compact=True, select_on_focus=False
            )
            with Horizontal(id="sessions-body"):
                yield Rows(markup=False, compact=True)
                yield LinesView(id="sessions-peek")

    def on_mount(self) -> None:
        self._reload()

    def on_resize(self) -> None:
        self.call_after_refresh(self._say_what_is_shown)

    @work(exclusive=True, group="rows", exit_on_error=False)
    async def _reload(self) -> None:
        try:
            self._all = await self._source.rows()
        except TuiAgentError as error:
            self._tell(error)
        self._show()

    async def _change(self, change: Awaitable[None]) -> None:
        """Have something done, and show what there is then."""
        try:
            await change
        except TuiAgentError as error:
            self._tell(error)
        self._reload()

    def _tell(self, error: TuiAgentError) -> None:
        self.notify(safe(str(error)), severity="warning", timeout=12, markup=False)

    def _show(self) -> None:
        wanted = self.query_one(Input).value.casefold().split()
        self._shown = [row for row in self._all if self._fits(row, wanted)]
        self._say_what_is_shown()
        listed = [(row, self._place_in(row)) for row in self._shown]
        if listed and listed == self._listed:
            return  # a letter more often changes nothing, and the answer of the search nothing that the titles did not
        self._listed = listed
        rows = self.query_one(OptionList)
        place = rows.highlighted or 0
        rows.clear_options()
        rows.add_options([Option(self._text_of(*each)) for each in listed])
        if self._shown:
            rows.highlighted = min(place, len(self._shown) - 1)
        else:
            rows.add_option(Option(Content.styled(self._why_none(bool(wanted)), MUTED), disabled=True))
            self.query_one(LinesView).set_lines([])

    def _place_in(self, row: SessionRow) -> Hit | None:
        """Where in it the words that are sought stand, if anywhere besides its title."""
        hit = self._hits.get(row.id)
        return hit if hit is not None and hit.seq else None

    def _text_of(self, row: SessionRow, hit: Hit | None) -> Content:
        """How a row is drawn; made once, for a filter that narrows lists many of them again at each letter."""
        if hit is not None:
            return row_text(row, hit)
        if row not in self._texts:
            self._texts[row] = row_text(row, None)
        return self._texts[row]

    def _fits(self, row: SessionRow, wanted: Sequence[str]) -> bool:
        is_near = not self._only_here or row.directory == self._source.directory
        is_listed = is_near and row.is_archived == self._put_away
        return is_listed and (row.id in self._hits or all(word in row.title.casefold() for word in wanted))

    def _why_none(self, is_sought: bool) -> str:
        if is_sought:
            return _("Nothing found in titles or messages.")
        if self._put_away:
            return _("Nothing was put away. z shows the others.")
        return (
            _("None in this directory. h shows all.")
            if self._only_here
            else _("No sessions yet. Press Esc and type your first message.")
        )

    def _say_what_is_shown(self) -> None:
        dialog = self.query_one(".dialog")
        title = _("Sessions put away") if self._put_away else _("Sessions")
        dialog.border_title = Content(title + (_(" · of this directory") if self._only_here else ""))
        away = _("a take out") if self._put_away else _("a put away")
        keys = [_("Enter open"), _("n new"), _("f fork"), _("r rename"), away, _("d delete"), _("h here"), _("z away")]
        dialog.border_subtitle = Content(fitting_hints(keys, dialog.outer_size.width - _EDGE))

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
        is_bound = event.key in self.active_bindings
        if event.is_printable and event.character and not is_bound and event.key != "space":
            event.stop()
            field.focus()
            field.insert_text_at_cursor(event.character)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._hits = {}
        self._show()
        self._seek(event.value.strip())

    @work(exclusive=True, group="seek", exit_on_error=False)
    async def _seek(self, words: str) -> None:
        if words:
            self.post_message(self._Found(words, await self._source.search(words)))

    @posted
    class _Found(Message):
        """Words were looked for in everything that was said."""

        words: str
        hits: Sequence[Hit]

    @on(_Found)
    def _show_found(self, event: _Found) -> None:
        event.stop()
        if event.words == self.query_one(Input).value.strip():
            for hit in reversed(event.hits):
                self._hits[hit.session_id] = hit
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
        place = self._place_in(row)
        entries = await self._source.peek(row.id, None if place is None else place.seq)
        self.post_message(self._Peeked(row.id, tuple(peek_lines(entries))))

    @posted
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
            hit = self._hits.get(self._row.id)
            self.dismiss(Chosen("open", self._row.id, hit.seq if hit is not None else 0))

    def action_fork(self) -> None:
        if self._row is not None:
            self.dismiss(Chosen("fork", self._row.id))

    def action_only_here(self) -> None:
        self._only_here = not self._only_here
        self._show()

    def action_show_put_away(self) -> None:
        self._put_away = not self._put_away
        self._show()

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_put_away(self) -> None:
        if self._row is not None:
            await self._change(self._source.archive(self._row.id, not self._row.is_archived))

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
            await self._change(self._source.rename(row.id, title.strip()))

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_delete(self) -> None:
        row = self._row
        if row is not None and await self.app.push_screen_wait(delete_question(row)):
            await self._change(self._source.delete(row.id))


def delete_question(row: SessionRow) -> ConfirmScreen:
    """Says what deleting a session takes away."""
    return ConfirmScreen(
        _("Delete this session?"),
        (row.title or _("untitled"))
        + "\n\n"
        + ngettext(
            "{n} message, with all its summaries, pins and the index that finds it, is removed from this machine "
            "for good. Files that tools changed stay as they are.",
            "{n} messages, with all their summaries, pins and the index that finds them, are removed from this machine "
            "for good. Files that tools changed stay as they are.",
            row.messages,
        ).format(n=row.messages),
        yes=_("Delete"),
    )
