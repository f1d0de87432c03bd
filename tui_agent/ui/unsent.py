"""What stands in the prompt and is not sent yet: the text, the pictures with it, and whose place it is to take."""

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import shorten

from textual.content import Content

from tui_agent.core.entries import ImagePart, Part, TextPart
from tui_agent.core.mentions import Mention
from tui_agent.language import _, ngettext
from tui_agent.ui.commands import as_said, together
from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.values import frozen

_TOLD = 60
"""Characters of a command by which it is known again."""


@frozen
class TakenBack:
    """What waited in line and does no more."""

    typed: str
    """As it has to stand in the prompt."""

    parts: tuple[Part, ...] = ()
    in_place_of: int | None = None
    """The earlier message whose place it takes."""


class Unsent:
    """The prompt's text with what belongs to it."""

    def __init__(
        self, prompt: Prompt, directory: Path = Path(), tell: Callable[[str], object] = lambda words: None
    ) -> None:
        """
        Args:
            prompt: where it stands.
            directory: whose files can be named in it.
            tell: told what could not be sent with it.
        """
        self._prompt = prompt
        self._directory = directory
        self._tell = tell
        self._pictures: list[ImagePart] = []
        self._editing: int | None = None
        self.has_noted = False
        """Whether Up shows what was never sent: to be remembered with the rest."""

    @property
    def text(self) -> str:
        """The whole text, long pastes expanded."""
        return self._prompt.message

    @property
    def is_edit(self) -> bool:
        """Whether what is sent next takes the place of an earlier message."""
        return self._editing is not None

    def edit(self, seq: int, text: str, pictures: Sequence[ImagePart] = ()) -> None:
        """Put an earlier message into the prompt, as it has to be typed, and its pictures beside it; what is sent next
        takes its place."""
        self._lay_by()
        self._leave_pictures()
        self._edit(seq, text)
        for each in pictures:
            self.attach(each)

    def _edit(self, seq: int, text: str) -> None:
        self._editing = seq
        self._prompt.write(text)
        self._prompt.border_title = Content(_("editing #{seq} · Esc leaves it as it was").format(seq=seq))
        self._prompt.focus()

    def end_edit(self) -> bool:
        """Leave the earlier message as it was; whether one was being edited."""
        was_editing = self._editing is not None
        self._editing = None
        self._prompt.border_title = None
        if was_editing:
            self._lay_by()
            self._prompt.write("")
            self._leave_pictures()
        return was_editing

    def recall(self, text: str) -> None:
        """Put what was typed once into the prompt."""
        self._lay_by()
        self._prompt.write(text)

    def _lay_by(self) -> None:
        """Let Up bring back first what stands in the prompt, for something else will."""
        text, known = self.text, self._prompt.remembered
        self._prompt.remember([*(each for each in known if each != text), text])
        if text.strip() and text not in known:
            self._tell(_("Up brings back what stood in the prompt."))

    def clear(self) -> None:
        """Empty the prompt: nothing goes with what is written next, and it takes no earlier message's place."""
        self._let_go()
        self._prompt.write("")

    def _let_go(self) -> None:
        self._leave_pictures()
        self._editing = None
        self._prompt.border_title = None

    def _leave_pictures(self) -> None:
        self._pictures.clear()
        self._prompt.border_subtitle = None

    def attach(self, picture: ImagePart) -> None:
        """Send a picture with the next message."""
        self._pictures.append(picture)
        self._show_pictures()

    def detach(self) -> bool:
        """Leave the picture that was attached last out of the next message; whether there was one."""
        if not self._pictures:
            return False
        name = safe(self._pictures.pop().name, single_line=True, strict=True)
        self._show_pictures()
        self._tell(_("[{name}] does not go with the message any more.").format(name=name))
        return True

    def _show_pictures(self) -> None:
        names = " ".join(f"[{safe(each.name, single_line=True, strict=True)}]" for each in self._pictures)
        words = ngettext("with {names} · Esc removes it", "with {names} · Esc removes the last", len(self._pictures))
        self._prompt.border_subtitle = Content(words.format(names=names)) if names else None

    def joined(self, waiting: Sequence[str]) -> str:
        """What waits, as it was typed, before what stands in the prompt: as one text.

        A command that cannot stand in one with a message is told, and is what Up shows first.
        """
        text, commands = together([*waiting, self.text])
        if commands:
            self._prompt.remember([*(each for each in self._prompt.remembered if each not in commands), *commands])
            self.has_noted = True
            listed = "  ".join(shorten(each, _TOLD, placeholder="…") for each in commands)
            self._tell(
                ngettext(
                    "Not run, and no part of the message: {listed}  Up in the empty prompt brings it back.",
                    "Not run, and no part of the message: {listed}  Up in the empty prompt brings them back.",
                    len(commands),
                ).format(listed=listed)
            )
        return text

    def put_back(self, waiting: Sequence[TakenBack]) -> None:
        """What was to be sent or run stands in the prompt again, before what was typed meanwhile."""
        text = self.joined([each.typed for each in waiting])
        messages = [each for each in waiting if each.parts]
        place = messages[0].in_place_of if len(messages) == 1 else None
        if place is not None and self._editing is None:
            self._edit(place, text)
        else:
            self._prompt.write(text)
        for each in waiting:
            for part in each.parts:
                if isinstance(part, ImagePart):
                    self.attach(part)

    def keep_edited(self, summary: str | None) -> None:
        """A summary that was edited and could not be used stands in the prompt: nobody has to write it again."""
        if summary is not None:
            self.put_back([TakenBack(as_said(summary))])
            self._tell(_("The edited summary was not used; its text is in the prompt."))

    def take(self, text: str, mentions: Sequence[Mention] = ()) -> tuple[tuple[Part, ...], int | None]:
        """The parts of the message that is sent now, and the earlier message whose place it takes, if any.

        `mentions` are what may be files in its text.
        """
        if mentions:
            text = self._with_files(text, mentions)
        parts: tuple[Part, ...] = (TextPart(text), *self._pictures)
        seq = self._editing
        self._let_go()
        return parts, seq

    def _with_files(self, text: str, mentions: Sequence[Mention]) -> str:
        from tui_agent.agent.attaching import with_files  # most messages need nothing of it

        message = with_files(self._directory, text, mentions)
        self._pictures += message.pictures
        if message.told:
            self._tell("\n".join(message.told))
        return message.text
