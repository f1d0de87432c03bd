"""A scrollable view of many lines of plain text: summaries, differences, exact commands, help."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tui_agent.ui.widgets.wrapping import line_starts
from tui_agent.values import frozen


@frozen
class Line:
    """One line, already safe to show and without tabs."""

    text: str
    style: str = ""
    """`heading`, `dim`, `added`, `removed`, `warning`, `strong`, or "" for plain."""

    hang: int = 0
    """Cells by which its continuation rows are indented."""


class LinesView(ScrollView, can_focus=True):
    """Lines of text, wrapped to the width, drawn only where they are seen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--heading",
        "lines--dim",
        "lines--added",
        "lines--removed",
        "lines--warning",
        "lines--strong",
    }

    follow = var(False)
    """Whether the end stays in view while lines are added."""

    class EndShown(Message):
        """The last row has been on the screen."""

    def __init__(self, lines: Iterable[Line] = (), *, exact: bool = False, id: str | None = None) -> None:  # noqa: A002
        """
        Args:
            lines: what to show at first.
            exact: break lines anywhere instead of between words, so that every space can be seen.
            id: the widget's id.
        """
        super().__init__(id=id)
        self.lines: Sequence[Line] = tuple(lines)
        self.end_was_shown = False
        self._exact = exact
        self._width = 0
        """The width that the rows were made for."""

        self._rows: list[tuple[int, int, int]] = []
        """For each row: index of its line, first and last position in it."""

    def set_lines(self, lines: Iterable[Line]) -> None:
        """Show other lines; the place is kept unless the view follows the end."""
        self.lines = tuple(lines)
        self._wrap()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows that the lines take at a width: a view of automatic height is as high as they are."""
        if width == self._width:
            return len(self._rows)
        return sum(len(self._starts(line, width)) for line in self.lines) if width > 0 else 0

    def _on_resize(self, event: events.Resize) -> None:
        self._wrap()

    def _wrap(self) -> None:
        self._rows = []
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        for index, line in enumerate(self.lines):
            starts = self._starts(line, width)
            self._rows += [(index, start, end) for start, end in pairwise([*starts, len(line.text)])]
        self._width = width
        self.virtual_size = Size(width, len(self._rows))
        if self.follow:
            self.scroll_end(animate=False, force=True)
        self.refresh()
        self.call_after_refresh(self._wrapped)

    def watch_show_vertical_scrollbar(self) -> None:
        self._wrapped()

    def _wrapped(self) -> None:
        """The scroll bar has come or gone by now: if that has changed the width, the rows are made anew."""
        if self.scrollable_content_region.width != self._width:
            self._wrap()
        else:
            self._note_end()

    def _starts(self, line: Line, width: int) -> list[int]:
        """Where the rows of a line begin; those behind the first are narrower by what they are indented."""
        starts = line_starts(line.text, width, anywhere=self._exact)
        if len(starts) == 1 or not line.hang:
            return starts
        second = starts[1]
        following = line_starts(line.text[second:], max(width - line.hang, 2), anywhere=self._exact)
        return [0, *(second + start for start in following)]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._note_end()

    def _note_end(self) -> None:
        height = self.scrollable_content_region.height
        if height and self._rows and self.scroll_offset.y + height >= len(self._rows) and not self.end_was_shown:
            self.end_was_shown = True
            self.post_message(self.EndShown())

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if row >= len(self._rows):
            return Strip.blank(width, base)
        index, start, end = self._rows[row]
        line = self.lines[index]
        style = base + self.get_component_rich_style(f"lines--{line.style}", partial=True) if line.style else base
        segments = [Segment(" " * line.hang, base)] if start and line.hang else []
        segments += self._selected(line.text, index, start, end, style)
        return Strip(segments).adjust_cell_length(width, base).apply_offsets(start, index)

    def _selected(self, text: str, index: int, start: int, end: int, style: Style) -> list[Segment]:
        """The row in up to three segments: before, in and after the selection."""
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is None:
            return [Segment(text[start:end], style)]
        first = min(max(span[0], start), end)
        last = end if span[1] == -1 else min(max(span[1], first), end)
        marked = style + self.screen.get_component_rich_style("screen--selection")
        pieces = [(text[start:first], style), (text[first:last], marked), (text[last:end], style)]
        return [Segment(piece, look) for piece, look in pieces if piece]

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(line.text for line in self.lines)), "\n"
