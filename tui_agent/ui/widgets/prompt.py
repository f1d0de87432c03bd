"""The prompt: where text is written before it is sent. Enter sends; nothing else does."""

import re
from collections.abc import Callable, Sequence
from math import inf
from time import monotonic
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult, Selection

from tui_agent.core.mentions import Mention
from tui_agent.ui.bindings import bindings
from tui_agent.ui.bursts import TYPED_AHEAD
from tui_agent.ui.commands import runs_something
from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.chips import CHIP_CHARACTERS, Chips
from tui_agent.ui.widgets.safe_fields import Location, SafeTextArea, act_at_once
from tui_agent.values import posted

_MENTION = re.compile(r"(?:^|\s)@([^\s@]*)$")

MOST_ROWS = 10
"""The prompt grows to this many rows and scrolls beyond."""

MOST_BLINKS = 10
"""After so many the cursor stands still until the next key: each costs a paint, all night long."""


class Prompt(SafeTextArea):
    """A text field that grows, remembers what was sent, and keeps long pastes as chips."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("prompt")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--chip"}

    @posted
    class Submitted(Message):
        """Enter was pressed on a text that is not blank; long pastes are expanded in it."""

        text: str
        is_typed: bool = True
        """Whether its beginning could be seen in the prompt: what is hidden in a long paste is never a command."""

        mentions: tuple[Mention, ...] = ()
        """What may be files, by their names."""

    @posted
    class Edited(Message):
        """The text is another; long pastes are expanded in it."""

        text: str

    @posted
    class ChipOpened(Message):
        """A long paste is to be looked at."""

        mark: str

    class LeaveWanted(Message):
        """End of input on an empty prompt."""

    class SearchWanted(Message):
        """What was sent before is to be searched."""

    class EditorWanted(Message):
        """The text is to be edited in an outside editor."""

    def __init__(self, placeholder: str) -> None:
        self._chips = Chips()
        super().__init__(id="prompt", placeholder=Content(placeholder), highlight_cursor_line=False)
        self.completing = False
        """Whether the completion popup is open; it then gets Up, Down, Tab and Enter."""

        self.complete: Callable[[str], None] = lambda key: None
        """Has the popup act on `up`, `down`, `accept` or `enter`, at once: the next key may be here already."""

        self.chip_above = CHIP_CHARACTERS
        """Longer pastes become chips; 0 for none."""

        self._sent: list[str] = []
        self._place = 0
        """Where in `_sent` the shown text stands; its length for the text that is being written."""

        self._written = ""
        """The text that was being written when the walk through `_sent` began."""

        self._recalled = ""
        """What the walk put into the field; any other text ends the walk."""

        self._blinks = 0
        self.typed_at = -inf
        """When a letter was typed last that is not sent yet, in the seconds of `monotonic`."""

    # ── what stands in it ────────────────────────────────────────────────────

    @property
    def message(self) -> str:
        """The whole text, long pastes expanded."""
        return self._chips.expand(self.text)

    def write(self, text: str) -> None:
        """Replace the text; a long one becomes a chip. The cursor goes to its end."""
        self._chips = Chips()
        self.load_text(self._short(text))
        self.move_cursor(self.document.end)

    def add(self, text: str) -> None:
        """Put text at the cursor, as if it had been pasted."""
        result = self.replace(self._short(text), *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def add_file(self, name: str, text: str, sent: str | None = None) -> None:
        """Put a file's text at the cursor, as a chip with its name and size; `sent` is it with what is put round it."""
        mark = self._chips.add(text if sent is None else sent, safe(name, single_line=True, strict=True), text)
        result = self.replace(f"{mark} ", *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    @property
    def mention(self) -> str | None:
        """What stands between an @ that begins a word and the cursor; None when there is no such thing."""
        row, column = self.cursor_location
        matched = _MENTION.search(self.document.get_line(row)[:column])
        return matched[1] if matched is not None else None

    def take_mention(self) -> None:
        """Remove the mention at the cursor, for what is put in its place."""
        mention = self.mention
        if mention is not None:
            row, column = self.cursor_location
            self.delete((row, column - len(mention) - 1), (row, column), maintain_selection_offset=False)

    def paste_of(self, mark: str) -> str:
        """The long paste behind a mark; "" when there is none."""
        return self._chips.pastes.get(mark, "")

    def open_chip(self, mark: str) -> None:
        """Put a long paste's text in the place of its mark, unless that is gone."""
        if mark in self._chips.pastes:
            self.load_text(self.text.replace(mark, safe(self._chips.pastes.pop(mark))))
            self.move_cursor(self.document.end)

    def remember(self, sent: Sequence[str]) -> None:
        """What Up and Down walk through, oldest first."""
        self._sent = [text for text in sent if text.strip()]
        self._place = len(self._sent)

    @property
    def remembered(self) -> tuple[str, ...]:
        """What was sent before, oldest first."""
        return tuple(self._sent)

    def _short(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return self._chips.add(text) if 0 < self.chip_above < len(text) else safe(text)

    # ── keys ─────────────────────────────────────────────────────────────────

    def type_ahead(self, event: events.Key) -> None:
        """Take a key that was pressed when something appeared over the prompt."""
        if event.key == "backspace":
            self.action_delete_left()
        elif event.is_printable and event.character:
            self.add(event.character)

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable:
            self.typed_at = monotonic()
        if not event.is_printable:
            event.prevent_default()
            await act_at_once(self, event)

    def _replace_via_keyboard(self, insert: str, start: Location, end: Location) -> EditResult | None:
        return super()._replace_via_keyboard(self._short(insert), start, end)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        if event.text.endswith(TYPED_AHEAD):
            event.prevent_default()
            self._take_typed_ahead(event.text.removesuffix(TYPED_AHEAD))

    def _take_typed_ahead(self, text: str) -> None:
        """Lines that came at once are sent one by one, or stay as text when any of them would run something."""
        lines = re.split(r"\r\n?", text)
        self._type(lines[0])
        if any(map(runs_something, [self.message, *lines[1:]])):
            self._type("\n".join(["", *lines[1:]]))
            return
        for line in lines[1:]:
            self.submit()
            self._type(line)

    def _type(self, text: str) -> None:
        result = self.replace(safe(text), *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def action_send(self) -> None:
        if self.completing:
            self.complete("enter")
            return
        self.submit()

    def submit(self) -> None:
        """Send the text and empty the prompt."""
        text = self.message
        if not text.strip():
            return
        # A command of the shell is run only as it was seen; others may take a long paste as what they are about.
        is_typed = self.text == text if text.startswith("!") else self.text[:1] == text[:1]
        mentions = self._chips.mentions(self.text) if "@" in self.text else ()
        self.remember([*(each for each in self._sent if each != text), text])
        self.write("")
        self.typed_at = -inf
        self.post_message(self.Submitted(text, is_typed, mentions))

    def action_newline(self) -> None:
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_history(self, step: int) -> None:
        if self.completing:
            self.complete("up" if step < 0 else "down")
        elif step < 0 and self.navigator.is_first_wrapped_line(self.cursor_location):
            self._walk(-1)
        elif step > 0 and self.navigator.is_last_wrapped_line(self.cursor_location):
            self._walk(1)
        elif step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()

    def _walk(self, step: int) -> None:
        place = self._place + step
        if not 0 <= place <= len(self._sent):
            return
        if self._place == len(self._sent):
            self._written = self.message
        self.write(self._written if place == len(self._sent) else self._sent[place])
        self._place, self._recalled = place, self.text

    def action_search_history(self) -> None:
        self.post_message(self.SearchWanted())

    def action_edit_outside(self) -> None:
        self.post_message(self.EditorWanted())

    def action_complete(self) -> None:
        if self.completing:
            self.complete("accept")
        else:
            has_choices = any(part.id == "start-choices" for part in self.screen.focus_chain)
            self.screen.focus_next("#start-choices" if has_choices else "*")

    def action_end_of_input(self) -> None:
        if self.text:
            self.action_delete_right()
        else:
            self.post_message(self.LeaveWanted())

    # ── chips ────────────────────────────────────────────────────────────────

    def chip_at_cursor(self) -> bool:
        """Open the chip at the cursor, if there is one; whether there was."""
        row, column = self.cursor_location
        for start, end, mark in self._chips.spans(self.document.get_line(row)):
            if start <= column <= end:
                self.post_message(self.ChipOpened(mark))
                return True
        return False

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self.chip_at_cursor()

    def validate_selection(self, selection: Selection) -> Selection:
        """Keep the cursor out of the inside of chips, so that none is broken by an edit."""
        if not self._chips.pastes:
            return selection
        return Selection(self._outside_chips(selection.start), self._outside_chips(selection.end))

    def _outside_chips(self, location: Location) -> Location:
        row, column = location
        came_from = self.selection.end
        for start, end, _ in self._chips.spans(self.document.get_line(row)):
            if start < column < end:
                leftwards = came_from[0] == row and came_from[1] >= end
                return row, start if leftwards else end
        return location

    def _delete_via_keyboard(self, start: Location, end: Location) -> EditResult | None:
        """Delete a chip whole when a part of it would go."""
        first, last = sorted((start, end))
        last = min(last, self.document.end)  # "to the next line" goes beyond the last one
        for left, right, _ in self._chips.spans(self.document.get_line(first[0])):
            if first[1] < right and (last[0] > first[0] or last[1] > left):
                first = (first[0], min(first[1], left))
                last = max(last, (first[0], right))
        for left, right, _ in self._chips.spans(self.document.get_line(last[0])):
            if left < last[1] < right:
                last = (last[0], right)
        return super()._delete_via_keyboard(first, last)

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if self._chips.pastes:
            style = self.get_component_rich_style("prompt--chip")
            for start, end, _ in self._chips.spans(line.plain):
                line.stylize(style, start, end)
        return line

    # ── the cursor ───────────────────────────────────────────────────────────

    def _restart_blink(self) -> None:
        self._blinks = 0
        super()._restart_blink()

    def _toggle_cursor_blink_visible(self) -> None:
        self._blinks += 1
        if self._blinks > MOST_BLINKS:
            self._pause_blink(visible=True)
        else:
            super()._toggle_cursor_blink_visible()

    # ── height ───────────────────────────────────────────────────────────────

    def on_mount(self) -> None:
        self._fit_height()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.text != self._recalled:
            self._place = len(self._sent)
        self._fit_height()
        self.post_message(self.Edited(self.message))

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()  # every key moves the cursor, and nobody above asks where it is

    def on_resize(self) -> None:
        self._fit_height()

    def _fit_height(self) -> None:
        """Ask for layout only when the number of wrapped rows has changed."""
        rows = min(max(self.wrapped_document.height, 1), MOST_ROWS) + self.gutter.height
        if self.styles.height is None or self.styles.height.value != rows:
            self.styles.height = rows
