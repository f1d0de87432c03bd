"""The bar that finds words in the session on the screen."""

from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from tui_agent.language import _, ngettext
from tui_agent.ui.bindings import bindings
from tui_agent.ui.widgets.key_hints import BETWEEN, packed
from tui_agent.ui.widgets.safe_fields import SafeInput, act_at_once
from tui_agent.values import posted


class FindInput(SafeInput):
    """Its Up, Down and Tab belong to the finding."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("find")]

    async def _on_key(self, event: events.Key) -> None:
        if not event.is_printable:
            event.prevent_default()
            await act_at_once(self, event)

    def action_next(self) -> None:
        self.post_message(FindBar.Stepped(1))

    def action_previous(self) -> None:
        self.post_message(FindBar.Stepped(-1))

    def action_everywhere(self) -> None:
        self.post_message(FindBar.EverywhereWanted(self.value))

    def action_close(self) -> None:
        self.post_message(FindBar.Closed())


LEAST_ROOM = 22
"""Cells that are left for the words and their name."""


class FindBar(Horizontal):
    """Words to find, how many hits there are, and the keys."""

    _count = _older = _at = 0

    @posted
    class Changed(Message):
        """Other words are to be found."""

        words: str

    @posted
    class Stepped(Message):
        """To the next hit (1) or the one before (-1)."""

        step: int

    @posted
    class EverywhereWanted(Message):
        """The words are to be found in all sessions."""

        words: str

    class Closed(Message):
        """Finding is over."""

    @on(Input.Changed)
    def _words_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    def begin(self, words: str = "") -> None:
        """Take the focus, with these words. What the bar is made of is mounted when it is needed first."""
        if not self.children:
            self.mount(
                Static(Content(_("find ")), id="find-label"),
                FindInput(id="find-words", compact=True),
                Static(Content(""), id="find-count"),
            )
        field = self.query_one(FindInput)
        with field.prevent(Input.Changed):
            field.value = words
        field.focus()
        self.post_message(self.Changed(words))  # they may be the same as when it was closed

    def show_count(self, count: int, older: int = 0, at: int = 0) -> None:
        """Say how many hits there are, which of them is shown, and in how many messages further up, not loaded."""
        self._count, self._older, self._at = count, older, at
        self._say()

    def on_resize(self) -> None:
        if self.children:
            self._say()

    def _say(self) -> None:
        """As much of it as leaves room for the words."""
        if not self.query_one(FindInput).value:
            said = _("Tab: all sessions")
        else:
            hits = ngettext("{n} hit", "{n} hits", self._count).format(n=self._count)
            if self._at and self._count > 1:
                hits = _("{at} of {n} hits").format(at=self._at, n=self._count)
            further = BETWEEN + _("{n} further up").format(n=self._older) if self._older else ""
            pieces = Content(hits + further + BETWEEN + _("Enter next · Tab all sessions · Esc")).split(BETWEEN)
            said = next(packed(pieces, self.content_size.width - LEAST_ROOM)).plain
        self.query_one("#find-count", Static).update(Content(said))
