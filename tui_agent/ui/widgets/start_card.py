"""The card that stands in the chat while no model can be asked: what was looked for, and what can be done."""

from typing import Literal

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.core.columns import padded
from tui_agent.language import N_, _
from tui_agent.ui.safe_text import content
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.rows import Rows
from tui_agent.values import posted

Choice = Literal["again", "key", "local", "tour", "install"]

_CHOICES: tuple[tuple[Choice, str, str], ...] = (
    ("again", N_("Look again"), N_("for a key and for local servers")),
    ("key", N_("Enter a key"), N_("for this run, or for the keyring")),
    ("local", N_("Enter an address"), N_("of an OpenAI-compatible server")),
    ("tour", N_("Take the tour"), N_("two minutes; needs no model")),
    ("install", N_("Copy the command"), N_("to install a small local model:")),
)

_PROMISE = N_("Nothing leaves this machine before you send the first message. What you type now is kept.")


class StartCard(Vertical):
    """Live choices; the prompt can be typed in all the while."""

    @posted
    class Chosen(Message):
        """A choice was made."""

        choice: Choice

    command = ""
    """What installs a model to start with; copied when it is chosen."""

    address = ""
    """The address that was entered last, there to be corrected when it was of no use."""

    @property
    def is_chosen_in(self) -> bool:
        """Whether the choices have the focus: they need no letters."""
        return any(choices.has_focus for choices in self.query(OptionList))

    def explain(self, what: str, meaning: str, todo: str, command: str = "") -> None:
        """Say why no model can be asked, and show the command that installs one, if there is any.

        What the card is made of is mounted when it is needed first.
        """
        self.command = command
        reason = Content("\n").join(content(part) for part in (what, meaning, todo) if part)
        options = [Option(_row(_(title), _(about)), id=choice) for choice, title, about in _CHOICES]
        if not command:
            options = [option for option in options if option.id != "install"]
        if self.children:
            self.query_one("#start-reason", Prose).update(reason)
            listed = self.query_one(OptionList)
            highlighted = listed.highlighted
            listed.set_options(options)
            listed.highlighted = highlighted
            self.query_one("#start-command", Static).update(self._command_line())
            return
        self.mount(
            Static(Content.styled(_("Get started"), "bold $primary")),
            Prose(reason, id="start-reason"),
            Rows(*options, id="start-choices", compact=True),
            Static(self._command_line(), id="start-command"),
            Static(Content.styled(_(_PROMISE), MUTED), id="start-promise"),
        )

    def _command_line(self) -> Content:
        return Content.styled(self.command, "$accent")

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        for choice, _title, _about in _CHOICES:
            if event.option.id == choice:
                self.post_message(self.Chosen(choice))


def _row(title: str, about: str) -> Content:
    return Content.styled(padded(title, 18), "bold") + Content.styled(about, MUTED)
