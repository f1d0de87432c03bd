"""A plain text that grows, as a layout of which only the last line is ever made again."""

from tui_agent.ui.widgets.lines import Layout, Row, Run, Runs

LIMIT = 4000
"""Characters after which a line is closed where it stands."""


class PlainLines:
    """A layout that text is fed into, line by line."""

    def __init__(self, layout: Layout, style: str, *, lead: Runs = ()) -> None:
        self._layout = layout
        self._style = style
        self._lead = lead
        self._tail = ""
        self._closed = (len(layout.rows), len(layout.lines))

    def feed(self, text: str) -> None:
        """Add to the text; it must be safe to show."""
        self._layout.cut(*self._closed)
        *lines, self._tail = (self._tail + text).split("\n")
        for line in lines:
            self._layout.extend([*self._pieces(line), self._row(line[self._cut(line) :])])
        cut = self._cut(self._tail)
        self._layout.extend(self._pieces(self._tail))
        self._tail = self._tail[cut:]
        self._closed = (len(self._layout.rows), len(self._layout.lines))
        if self._tail:
            self._layout.extend([self._row(self._tail)])

    def finish(self) -> None:
        """The text is complete; its last line stays."""
        self._closed = (len(self._layout.rows), len(self._layout.lines))

    def _cut(self, line: str) -> int:
        return max(0, len(line) - 1) // LIMIT * LIMIT

    def _pieces(self, line: str) -> list[Row]:
        """What stands of a line that is too long, up to its last stretch."""
        rows = [self._row(line[begin : begin + LIMIT]) for begin in range(0, self._cut(line), LIMIT)]
        for row in rows:
            row.glued = True
        return rows

    def _row(self, text: str) -> Row:
        return Row((Run(text, self._style),), lead=self._lead, hang=self._lead)
