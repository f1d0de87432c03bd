"""The popup over the prompt that lists what a typed word may become."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from tui_agent.ui.theme import MUTED
from tui_agent.values import frozen

MOST_ROWS = 8


@frozen
class Completion:
    """One thing the word may become. All texts are safe to show."""

    text: str
    """What the prompt will hold."""

    label: str
    help: str = ""
    runs: bool = True
    """Whether choosing it with Enter also sends it."""

    is_file: bool = False
    """Whether it is a file to attach."""


class CompletionPopup(Widget):
    """Choices with one-line help; the prompt keeps the focus."""

    ALLOW_SELECT = False

    choices: reactive[tuple[Completion, ...]] = reactive((), layout=True)
    highlighted: reactive[int] = reactive(0)

    def offer(self, choices: Sequence[Completion]) -> None:
        """Show these choices; none closes the popup."""
        self.highlighted = 0
        self.choices = tuple(choices)
        self.set_class(bool(choices), "-open")

    def step(self, direction: int) -> None:
        """Move the highlight, round at the ends."""
        if self.choices:
            self.highlighted = (self.highlighted + direction) % len(self.choices)

    @property
    def chosen(self) -> Completion | None:
        """The highlighted choice; None while there is none."""
        return self.choices[self.highlighted] if self.choices else None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(len(self.choices), MOST_ROWS)

    def render(self) -> Content:
        width = self.content_size.width
        first = max(0, min(self.highlighted - MOST_ROWS // 2, len(self.choices) - MOST_ROWS))
        shown = self.choices[first : first + MOST_ROWS]
        column = max((cell_len(choice.label) for choice in self.choices), default=0) + 2
        return Content("\n").join(
            self._row(choice, column, width, is_highlighted=first + place == self.highlighted)
            for place, choice in enumerate(shown)
        )

    @staticmethod
    def _row(choice: Completion, column: int, width: int, *, is_highlighted: bool) -> Content:
        mark = "› " if is_highlighted else "  "
        label = mark + choice.label + " " * (column - cell_len(choice.label))
        row = Content.styled(label, "bold") + Content.styled(choice.help, "" if is_highlighted else MUTED)
        row = row.truncate(width, ellipsis=True, pad=True)
        return row.stylize("$block-cursor-foreground on $block-cursor-background") if is_highlighted else row
