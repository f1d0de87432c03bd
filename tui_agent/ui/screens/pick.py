"""A modal list to choose from, narrowed by typing."""

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui_agent.language import _
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.choosing import ChoosingScreen
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.widgets.safe_fields import SafeInput
from tui_agent.values import frozen


@frozen
class Choice:
    """One row. The texts may come from anywhere; they are made safe when shown."""

    id: str
    label: str
    note: str = ""


def matching(choices: Sequence[Choice], words: str) -> list[Choice]:
    """The choices that contain every word, case ignored."""
    wanted = words.casefold().split()
    return [each for each in choices if all(word in f"{each.label} {each.note}".casefold() for word in wanted)]


class PickScreen(ChoosingScreen[str]):
    """Gives the chosen id, or None when it was closed."""

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        explanation: str = "",
        highlighted: Callable[[str], None] | None = None,
    ) -> None:
        """
        Args:
            title: over the list.
            choices: the rows, best first.
            explanation: a line under the title.
            highlighted: told the id of each row the highlight reaches, for a live preview.
        """
        super().__init__()
        self._title = title
        self._choices = choices
        self._explanation = explanation
        self._highlighted = highlighted
        self.set_class(highlighted is not None, "-trying")
        self._shown: list[Choice] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall") as dialog:
            dialog.border_title = content(self._title, single_line=True)
            dialog.border_subtitle = Content(_("Enter choose · Esc close"))
            if self._explanation:
                yield Prose(content(self._explanation), classes="explanation")
            yield SafeInput(placeholder=_("type to narrow"), compact=True)
            yield Rows(markup=False, compact=True)

    def on_mount(self) -> None:
        self._show(self._choices)

    def _show(self, choices: Sequence[Choice]) -> None:
        self._shown = list(choices)
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options([Option(self._row(each)) for each in self._shown])
        rows.highlighted = 0 if self._shown else None
        if not self._shown:
            rows.add_option(Option(Content.styled(_("nothing matches"), MUTED), disabled=True))

    @staticmethod
    def _row(choice: Choice) -> Content:
        first, *further = choice.label.strip().split("\n")
        note = (" …" if further else "") + (f"  {safe(choice.note, single_line=True)}" if choice.note else "")
        return content(first, single_line=True) + Content.styled(note, MUTED)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._show(matching(self._choices, event.value))

    @on(OptionList.OptionHighlighted)
    def _reached(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self._highlighted is not None and event.option_index < len(self._shown):
            self._highlighted(self._shown[event.option_index].id)

    def value_at(self, row: int) -> str | None:
        return self._shown[row].id if row < len(self._shown) else None
