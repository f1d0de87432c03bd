"""Rows of text, the lines they are wrapped into, and the strips these are drawn as.

A row is one line of text before wrapping. It knows nothing of widths and colours: styles are names, and a `Look`
says what they mean in the theme of the moment. Every cell drawn carries the place in its row that it stands for,
so that a selection survives scrolling, resizing and older messages being loaded above.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_agent.ui.widgets.wrapping import TAB, line_starts, width_of
from tui_agent.values import mutable

GUTTER = 2
"""Cells left of every line, for the cursor and for marks."""

MARGIN = 1
"""Cells kept free at the right."""

ROW_BITS = 20
"""A place is (x, y): x an offset in a row's text, y the block's key and the row's number in this many bits."""

Action = Literal["", "fold", "more"]
"""What a click on a row does."""


class Run(NamedTuple):
    """A stretch of text in one style."""

    text: str
    style: str = ""
    """Names of styles, separated by spaces; later ones win."""

    link: str = ""
    """Where a click on it leads; "" for nowhere."""


Runs = tuple[Run, ...]


@mutable
class Row:
    """One line of text before wrapping."""

    runs: Runs
    lead: Runs = ()
    """Decoration before its first line (a bullet, a bar)."""

    hang: Runs | None = None
    """Decoration before its other lines, as wide as `lead`; None for blanks."""

    fill: str = ""
    """The style that fills its lines up to the right edge; "" for none."""

    anywhere: bool = False
    """Whether it is broken wherever a line is full (code) instead of between words."""

    glued: bool = False
    """Whether the next row goes on where this one ends, so that a copy joins them."""

    copied_lead: str = ""
    """What stands for `lead` in copied text."""

    action: Action = ""
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.runs[0].text if len(self.runs) == 1 else "".join(run.text for run in self.runs)

    def indented(self, lead: Runs, hang: Runs, copied_lead: str) -> None:
        """Put decoration before what it already has."""
        inner_hang = self.hang if self.hang is not None else blanks(self.lead)
        self.lead, self.hang = lead + self.lead, hang + inner_hang
        self.copied_lead = copied_lead + self.copied_lead


def blanks(lead: Runs) -> Runs:
    """Blanks as wide as some decoration."""
    cells = sum(cell_len(run.text) for run in lead)
    return (Run(" " * cells),) if cells else ()


def plain_row(text: str, style: str = "", *, action: Action = "") -> Row:
    """A row in one style."""
    return Row((Run(text, style),), action=action)


def code_row(text: str) -> Row:
    """A line of code."""
    indent = (Run("  ", "code"),)
    return Row((Run(text, "code"),), lead=indent, hang=indent, fill="code", anywhere=True)


class Line:
    """One line on the screen: a stretch of a row."""

    __slots__ = ("_drawn", "_drawn_for", "end", "number", "row", "start")

    def __init__(self, row: Row, number: int, start: int, end: int) -> None:
        self.row = row
        self.number = number
        self.start = start
        self.end = end
        self._drawn: Strip | None = None
        self._drawn_for: tuple[object, ...] = ()

    def forget(self) -> None:
        """Draw it anew when it is next seen."""
        self._drawn = None

    def strip(self, look: "Look", key: int, width: int, gutter: Run) -> Strip:
        """The line as drawn without highlights, remembered until look, width or gutter change."""
        drawn_for = (look, width, gutter)
        if self._drawn is None or self._drawn_for != drawn_for:
            self._drawn, self._drawn_for = draw(self, look, key, width, gutter), drawn_for
        return self._drawn


class Layout:
    """A block as rows, and the lines they make at one width."""

    __slots__ = ("codes", "lines", "rows", "width")

    def __init__(self, width: int, rows: Iterable[Row] = ()) -> None:
        self.width = width
        self.rows: list[Row] = []
        self.lines: list[Line] = []
        self.codes: list[tuple[int, int, str]] = []
        """Finished blocks of code that have no colours yet: first row, the row behind the last, language."""

        self.extend(rows)

    def extend(self, rows: Iterable[Row]) -> None:
        """Wrap more rows behind what there is."""
        for row in rows:
            number = len(self.rows)
            self.rows.append(row)
            lead = sum(cell_len(run.text) for run in row.lead) if row.lead else 0
            starts = line_starts(row.text, self.width - lead, anywhere=row.anywhere)
            if len(starts) == 1:
                self.lines.append(Line(row, number, 0, len(row.text)))
                continue
            ends = [*starts[1:], len(row.text)]
            self.lines.extend(Line(row, number, start, end) for start, end in zip(starts, ends, strict=True))

    def cut(self, rows: int, lines: int) -> None:
        """Take away what was added after there were this many rows and lines."""
        del self.rows[rows:]
        del self.lines[lines:]

    def replace(self, number: int, row: Row) -> None:
        """Put another row, no wider than a line, in the place of one."""
        self.rows[number] = row
        for index in self._lines_of(number, number + 1):
            self.lines[index] = Line(row, number, 0, len(row.text))

    def redraw(self, first: int, end: int) -> None:
        """Some rows look different now, though they read the same."""
        for index in self._lines_of(first, end):
            self.lines[index].forget()

    def line_of(self, number: int, offset: int = 0) -> int:
        """Which line shows this place of row `number`."""
        for index in self._lines_of(number, number + 1):
            line = self.lines[index]
            if offset < line.end or line.end == len(line.row.text):
                return index
        return 0

    def _lines_of(self, first: int, end: int) -> range:
        """Which lines show the rows from `first` to before `end`."""
        begin = bisect_left(self.lines, first, key=lambda line: line.number)
        return range(begin, bisect_left(self.lines, end, begin, key=lambda line: line.number))


_OVER_VEILS = ("find", "find-current", "flash", "selection")
"""What is sought, or selected, is seen in what is folded too."""


class Look:
    """What the names of styles mean in the theme of the moment."""

    def __init__(self, base: Style, styles: Mapping[str, Style], veil: Style | None = None) -> None:
        self.base = base
        self._styles = styles
        self._veil = veil
        self._combined: dict[str, Style] = {}

    def style(self, names: str) -> Style:
        """The style that names, separated by spaces, make together; unknown names say nothing."""
        style = self._combined.get(names)
        if style is None:
            parts = names.split()
            under = [self._styles.get(name, Style.null()) for name in parts if name not in _OVER_VEILS]
            over = [self._styles.get(name, Style.null()) for name in parts if name in _OVER_VEILS]
            style = Style.combine([self.base, *under, self._veil or Style.null(), *over])
            self._combined[names] = style
        return style

    def veiled(self, name: str) -> "Look":
        """The same look under one more style that wins over all others."""
        return Look(self.base, self._styles, self._styles.get(name, Style.null()))

    def means_the_same(self, other: "Look") -> bool:
        """Whether both would draw alike."""
        return (self.base, self._styles, self._veil) == (other.base, other._styles, other._veil)


class Highlight(NamedTuple):
    """A stretch of a row drawn with one more style on top."""

    start: int
    end: int
    style: str


NO_GUTTER = Run(" " * GUTTER)


def draw(
    line: Line, look: Look, key: int, width: int, gutter: Run = NO_GUTTER, highlights: Sequence[Highlight] = ()
) -> Strip:
    """A line as a strip; what is right of its text is filled if its row says so."""
    row = line.row
    first = line.start == 0
    lead = row.lead if first else row.hang if row.hang is not None else blanks(row.lead)
    y = (key << ROW_BITS) | line.number
    segments = list(_decoration(gutter, lead, look, line.start, y, first))
    column = 0
    for text, style, link, offset in _stretches(line, highlights):
        for shown, cells, x in _without_tabs(text, offset, column):
            meta: dict[str, object] = {"offset": (x, y)}
            if link:
                meta["link"] = link
            segments.append(Segment(shown, look.style(style) + Style.from_meta(meta)))
            column += cells
    used = GUTTER + sum(cell_len(run.text) for run in lead) + column
    if row.fill and used < width:
        end = Style.from_meta({"offset": (line.end, y)})
        segments.append(Segment(" " * (width - used), look.style(row.fill) + end))
        used = width
    elif not row.text:
        segments.append(Segment(" ", look.base + Style.from_meta({"offset": (0, y)})))
        used += 1
    return Strip(segments, used)


def _decoration(gutter: Run, lead: Runs, look: Look, start: int, y: int, first: bool) -> Iterator[Segment]:
    """Gutter and lead. A place in them counts back from the line's beginning, but never into the line before."""
    shown = (gutter, *lead)
    x = -sum(len(run.text) for run in shown)
    for run in shown:
        style = look.style(run.style)
        if first:
            yield Segment(run.text, style + Style.from_meta({"offset": (x, y)}))
            x += len(run.text)
            continue
        place = Style.from_meta({"offset": (start, y)})
        for letter in run.text:
            yield Segment(letter, style + place)


def _stretches(line: Line, highlights: Sequence[Highlight]) -> Iterator[tuple[str, str, str, int]]:
    """The runs of a line cut at its highlights: text, style, link, offset in the row."""
    start, end = line.start, line.end
    text = line.row.text
    if end < len(text):
        end = start + len(text[start:end].rstrip(" "))
    edges = sorted({edge for mark in highlights for edge in mark[:2] if start < edge < end})
    offset = 0
    for run in line.row.runs:
        run_end = offset + len(run.text)
        if run_end > start and offset < end:
            begin, stop = max(offset, start), min(run_end, end)
            cuts = [begin, *(edge for edge in edges if begin < edge < stop), stop]
            for left, right in pairwise(cuts):
                style = run.style
                for mark in highlights:
                    if mark.start <= left and right <= mark.end:
                        style = f"{style} {mark.style}"
                yield run.text[left - offset : right - offset], style, run.link, left
        offset = run_end
        if offset >= end:
            return


def _without_tabs(text: str, offset: int, column: int) -> Iterator[tuple[str, int, int]]:
    """The text with its tabs as blanks: shown text, its cells, its offset. Each cell of a tab stands for the tab."""
    if "\t" not in text:
        yield text, cell_len(text), offset
        return
    for position, part in enumerate(text.split("\t")):
        if position:
            cells = TAB - column % TAB
            for _ in range(cells):
                yield " ", 1, offset
            column += cells
            offset += 1
        if part:
            cells = width_of(part)
            yield part, cells, offset
            column += cells
            offset += len(part)
