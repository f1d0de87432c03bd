"""The prompt with what belongs to it: messages that wait, and the completion popup."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui_agent.language import N_, _
from tui_agent.ui.commands import PREFIXES, begins_shell, completions
from tui_agent.ui.messages import Awaited
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.completion import Completion, CompletionPopup
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.values import posted

_PLACEHOLDERS = (
    N_("Ask something. Enter sends, Ctrl+J is a new line, / lists commands."),
    N_("Ask something. Enter sends, / lists commands."),
    N_("Ask something. / lists commands."),
    N_("Ask something."),
)
"""The longest that is shown whole is taken."""

_BESIDE = 5
"""Columns of the prompt that are no room for text: border, padding, and the cursor."""

_LONGEST_SHOWN = 200
_HOW: dict[Awaited, str] = {
    "answer": N_("Esc stops the answer and takes it back"),
    "command": N_("Esc stops the command and takes it back"),
    "model": N_("Esc takes it back into the prompt"),
}
_ROWS = 4
"""Messages that are shown while they wait; each has a row."""


class PromptArea(Vertical):
    """Grows upwards as it needs room."""

    @posted
    class FileSought(Message):
        """An @ and the beginning of a file's name stand at the cursor."""

        typed: str

    @posted
    class FileChosen(Message):
        """A file is to go with the message."""

        path: str

    _offered_for = ""
    """The text whose commands the popup shows."""

    _files_for: str | None = None
    """The beginning of a file's name whose files it shows; None while it shows commands."""

    def compose(self) -> ComposeResult:
        yield Static(id="queued")
        yield CompletionPopup()
        prompt = Prompt(_(_PLACEHOLDERS[0]))
        prompt.complete = self._complete
        yield prompt

    def on_resize(self) -> None:
        prompt = self.query_one(Prompt)
        room = prompt.size.width - _BESIDE
        fitting = next((each for each in map(_, _PLACEHOLDERS) if cell_len(each) <= room), _(_PLACEHOLDERS[-1]))
        prompt.placeholder = Content(fitting)

    def show_waiting(self, waiting: Sequence[str], until: Awaited = "answer") -> None:
        """Show the messages that wait to be sent, and what Esc does while they wait for that."""
        shown = waiting if len(waiting) <= _ROWS else waiting[: _ROWS - 1]
        rows = [
            Content.styled(_("queued  "), "$accent") + content(text.strip()[:_LONGEST_SHOWN], single_line=True)
            for text in shown
        ]
        if len(shown) < len(waiting):
            rows.append(Content.styled(_("and {n} more").format(n=len(waiting) - len(shown)), MUTED))
        if rows:
            rows.append(Content.styled(_(_HOW[until]), MUTED))
        queued = self.query_one("#queued", Static)
        queued.set_class(bool(rows), "-open")
        queued.update(Content("\n").join(rows))

    def close_completion(self) -> bool:
        """Close the popup; whether it was open."""
        was_open = bool(self.query_one(CompletionPopup).choices)
        self._offer(())
        return was_open

    @on(Prompt.Edited)
    def _edited(self, event: Prompt.Edited) -> None:
        """Offer what the typed word may become."""
        mention = self.query_one(Prompt).mention
        if mention is not None:
            self.post_message(self.FileSought(mention))
            return
        self.query_one(Prompt).set_class(begins_shell(event.text), "-shell")
        self._offer_commands(event.text)

    def _offer_commands(self, text: str) -> None:
        self._offered_for, self._files_for = text, None
        if text == "!":
            label, about = PREFIXES[0]
            self._offer([Completion("!", label, _(about), runs=False)])
            return
        self._offer(
            [
                Completion(
                    f"/{command.name} " if command.needs_argument else f"/{command.name}",
                    command.usage,
                    _(command.help),
                    runs=not command.needs_argument,
                )
                for command in completions(text)
            ]
        )

    def offer_files(self, sought: str, paths: Sequence[str]) -> None:
        """Offer files for a mention, if it is still what is typed."""
        if self.query_one(Prompt).mention == sought:
            self._files_for = sought
            self._offer([Completion(path, safe(path, single_line=True, strict=True), is_file=True) for path in paths])

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        self._offer(())

    def _offer(self, choices: Sequence[Completion]) -> None:
        self.query_one(CompletionPopup).offer(choices)
        self.query_one(Prompt).completing = bool(choices)

    def _complete(self, key: str) -> None:
        """Act on a key for the popup in its place between the keys: what was typed before it counts, nothing behind."""
        popup, prompt = self.query_one(CompletionPopup), self.query_one(Prompt)
        mention = prompt.mention
        if mention is None and (self._files_for is not None or prompt.message != self._offered_for):
            # Keys that come in one burst are all in the text before the popup hears of the first.
            self._offer_commands(prompt.message)
        elif mention is not None and mention != self._files_for:
            self._offer(())  # files for the beginning of a name that goes on
        chosen = popup.chosen
        if chosen is None:
            if key == "enter":
                prompt.submit()
        elif key in ("up", "down"):
            popup.step(-1 if key == "up" else 1)
        elif chosen.is_file:
            prompt.take_mention()
            self._offer(())
            self.post_message(self.FileChosen(chosen.text))
        else:
            runs = chosen.runs and key == "enter"
            prompt.write(chosen.text if runs or not chosen.text[-1:].isalpha() else f"{chosen.text} ")
            self._offer(())
            if runs:
                prompt.submit()
