"""Finds words in all sessions, folded messages too."""

from collections.abc import Awaitable, Callable, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui_agent.archive import Hit
from tui_agent.errors import TuiAgentError
from tui_agent.language import _
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.choosing import ChoosingScreen
from tui_agent.ui.screens.session_rows import snippet
from tui_agent.ui.theme import MUTED
from tui_agent.ui.times import day_and_time
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.widgets.safe_fields import SafeInput
from tui_agent.ui.words import word
from tui_agent.values import posted


class SearchScreen(ChoosingScreen[tuple[str, int]]):
    """Gives the session and the entry that was chosen (0: the session's title), or None."""

    @posted
    class _Found(Message):
        words: str
        hits: Sequence[Hit]
        problem: str = ""

    def __init__(self, search: Callable[[str], Awaitable[Sequence[Hit]]], words: str = "") -> None:
        super().__init__()
        self._search = search
        self._words = words
        self._hits: Sequence[Hit] = ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = Content(_("Search all sessions"))
            dialog.border_subtitle = Content(_("Enter go there · Esc close"))
            yield SafeInput(self._words, placeholder=_("words, or a phrase in quotes"), compact=True)
            yield Rows(markup=False, compact=True)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._find(event.value.strip())

    @work(exclusive=True, group="search", exit_on_error=False)
    async def _find(self, words: str) -> None:
        try:
            self.post_message(self._Found(words, await self._search(words) if words else ()))
        except TuiAgentError as error:
            self.post_message(self._Found(words, (), str(error)))

    @on(_Found)
    def _show(self, event: _Found) -> None:
        event.stop()
        if event.words != self.query_one(Input).value.strip():
            return
        self._hits = event.hits
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options([Option(_row(hit)) for hit in self._hits])
        if self._hits:
            rows.highlighted = 0
        else:
            said = event.problem or (_("Nothing found.") if event.words else _("Folded messages are found too."))
            rows.add_option(Option(Content.styled(safe(said, single_line=True), MUTED), disabled=True))

    def value_at(self, row: int) -> tuple[str, int] | None:
        return (self._hits[row].session_id, self._hits[row].seq) if row < len(self._hits) else None


def _row(hit: Hit) -> Content:
    title = content(hit.session_title or _("untitled"), single_line=True, strict=True)
    about = Content.styled(f"  {word(hit.kind)} · {day_and_time(hit.at)}", MUTED)
    return title.stylize("bold") + about + Content("\n  ") + snippet(hit)
