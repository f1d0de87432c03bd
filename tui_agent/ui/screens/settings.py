"""All settings: what each is, where that comes from, and changing it in the settings file."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.errors import TuiAgentError
from tui_agent.language import _
from tui_agent.settings.writing import SettingRefused
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.key_hints import KeyHints
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.widgets.safe_fields import SafeInput
from tui_agent.values import frozen, posted


@frozen
class SettingRow:
    """A setting as the list shows it. The texts may come from anywhere; they are made safe when shown."""

    id: str
    group: str
    """The heading it stands under."""

    label: str
    value: str
    """As a variable would hold it."""

    source: str
    """Where the value comes from."""

    is_default: bool
    about: str
    """What it means, what is allowed, what the default is."""

    effect: str
    """When a change of it acts."""

    choices: tuple[Choice, ...] = ()
    """The values there are; empty when it is written freely."""

    fixed: str = ""
    """Why it cannot be changed here; "" when it can."""


@frozen
class SettingsActs:
    """What the list can ask for and have done. What raises says why in words that can be shown."""

    rows: Callable[[], Sequence[SettingRow]]
    change: Callable[[str, str], Awaitable[str]]
    """Write a value; what came of it, in words."""

    reset: Callable[[str], Awaitable[str]]
    """Take a value out of the file; what came of it, in words."""

    preview: Callable[[str, str], None]
    """Show what a value would look like; nothing is written."""


class SettingsScreen(Modal[None]):
    """Grouped; Enter changes the row that is highlighted, letters narrow the list."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("settings")]
    AUTO_FOCUS = "OptionList"

    @posted
    class _Done(Message):
        """A change was made, or could not be."""

        words: str
        failed: bool = False

    def __init__(self, acts: SettingsActs, place: str) -> None:
        """
        Args:
            acts: what is shown and done.
            place: the settings file.
        """
        super().__init__()
        self._acts = acts
        self._place = place
        self._shown: dict[str, SettingRow] = {}

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as dialog:
            dialog.border_title = Content(_("Settings"))
            yield SafeInput(placeholder=_("/ and type to filter"), compact=True, select_on_focus=False)
            yield Rows(markup=False, compact=True)
            yield Prose(id="setting-about")
            yield Static(id="setting-note")
            yield KeyHints(_("Enter change · Del back to default · / filter · Esc close"))

    def on_mount(self) -> None:
        self._show()
        self._note(_("Changes are written to {path}.").format(path=self._place), MUTED)

    def on_resize(self) -> None:
        if self._shown:
            self._show()

    def _show(self) -> None:
        words = self.query_one(Input).value.casefold().split()
        rows = [row for row in self._acts.rows() if all(word in _searched(row) for word in words)]
        before = self._row
        self._shown = {row.id: row for row in rows}
        listed = self.query_one(OptionList)
        listed.clear_options()
        group = ""
        for row in rows:
            if row.group != group:
                listed.add_option(_heading(row.group, is_first=not group))
                group = row.group
            listed.add_option(Option(self._row_text(row), id=row.id))
        if not rows:
            listed.add_option(Option(Content.styled(_("No setting matches."), MUTED), disabled=True))
            self.query_one("#setting-about", Static).update(Content(""))
        else:
            kept = before.id if before is not None and before.id in self._shown else rows[0].id
            listed.highlighted = listed.get_option_index(kept)

    def _row_text(self, row: SettingRow) -> Content:
        width = max(self.query_one(OptionList).scrollable_content_region.width - 2, 20)
        label = min(width // 3, 24)
        value = max(width - label - width // 4 - 2, 8)
        source = Content.styled(safe(row.source, single_line=True, strict=True), MUTED)
        shown = content(row.value or _("(empty)"), single_line=True, strict=True).truncate(
            value, ellipsis=True, pad=True
        )
        name = content(row.label, single_line=True).truncate(label, ellipsis=True, pad=True)
        return name + Content(" ") + shown.stylize("" if row.is_default else "bold") + Content(" ") + source

    @property
    def _row(self) -> SettingRow | None:
        listed = self.query_one(OptionList)
        if listed.highlighted is None:
            return None
        return self._shown.get(listed.get_option_at_index(listed.highlighted).id or "")

    @on(OptionList.OptionHighlighted)
    def _reached(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self._row is not None:
            about = content(self._row.about) + Content(" ") + Content.styled(self._row.effect, MUTED)
            self.query_one("#setting-about", Static).update(about)

    def _note(self, words: str, style: str = "") -> None:
        self.query_one("#setting-note", Static).update(Content.styled(safe(words, single_line=True), style))

    # ── the filter ───────────────────────────────────────────────────────────

    async def _on_key(self, event: events.Key) -> None:
        """A letter that acts on nothing begins the filter; the arrows move in the list."""
        field, listed = self.query_one(Input), self.query_one(OptionList)
        if field.has_focus and event.key in ("down", "up"):
            event.stop()
            listed.focus()
        elif not field.has_focus and event.is_printable and event.character and event.key not in ("space", "slash"):
            event.stop()
            field.focus()
            field.insert_text_at_cursor(event.character)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def action_filter(self) -> None:
        self.query_one(Input).focus()

    def action_close(self) -> None:
        field = self.query_one(Input)
        if field.value:
            field.value = ""
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)

    # ── changing ─────────────────────────────────────────────────────────────

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _chosen(self, event: Message) -> None:
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        row = self._row
        if row is not None and row.fixed:
            self._note(row.fixed, "$warning")
        elif row is not None:
            self._edit(row)

    @work(exclusive=True, group="change", exit_on_error=False)
    async def _edit(self, row: SettingRow) -> None:
        complaint, value = "", row.value
        while True:
            answer = await self._ask(row, value, complaint)
            if answer is None:
                self._acts.preview(row.id, row.value)
                return
            try:
                self.post_message(self._Done(await self._acts.change(row.id, answer)))
                return
            except SettingRefused as error:
                complaint, value = error.what, answer
            except TuiAgentError as error:
                self.post_message(self._Done(str(error), failed=True))
                return

    async def _ask(self, row: SettingRow, value: str, complaint: str) -> str | None:
        if row.choices:
            screen = PickScreen(
                row.label, row.choices, explanation=row.about, highlighted=lambda each: self._acts.preview(row.id, each)
            )
            return await self.app.push_screen_wait(screen)
        about = f"{row.about}\n\n{complaint}" if complaint else row.about
        return await self.app.push_screen_wait(TextPromptScreen(row.label, about, value=value))

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_reset(self) -> None:
        row = self._row
        if row is None or row.fixed:
            return
        try:
            self.post_message(self._Done(await self._acts.reset(row.id)))
        except TuiAgentError as error:
            self.post_message(self._Done(str(error), failed=True))

    @on(_Done)
    def _done(self, event: _Done) -> None:
        event.stop()
        self._show()
        self._note(event.words, "$warning" if event.failed else "$success")


def _heading(text: str, *, is_first: bool) -> Option:
    gap = "" if is_first else "\n"
    return Option(Content(gap) + Content.styled(safe(text, single_line=True), "bold $primary"), disabled=True)


def _searched(row: SettingRow) -> str:
    return f"{row.group} {row.label} {row.value} {row.source} {row.about}".casefold()
