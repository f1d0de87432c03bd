"""A screen as a lean SVG: what stands in its cells, in which colours, and nothing of the machine it was drawn on."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip

CELL, ROW = 10, 19
"""Width of a column and height of a row, in pixels."""

BASELINE = 15
"""Pixels from the top of a row to the foot of its letters."""

FRAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -30 {width} {height}" font-family="Fira Code, monospace" '
    'font-size="16.6" xml:space="preserve">\n'
    "<style>text{{white-space:pre}}.w{{font-size:20px}}{rules}</style>\n"
    '<rect x="-10" y="-30" width="{width}" height="{height}" rx="8" fill="{ground}"/>\n'
    '<circle cx="8" cy="-15" r="5" fill="#ff5f57"/><circle cx="26" cy="-15" r="5" fill="#febc2e"/>'
    '<circle cx="44" cy="-15" r="5" fill="#28c840"/>\n'
    "{rows}</svg>\n"
)
"""A window round the screen; each row of it is one line of the file, so that a difference can be read."""


_WIDE = re.compile("([\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]+)")
"""Letters that are two cells wide."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one look."""

    column: int
    width: int
    text: str
    ink: str
    ground: str
    manner: str
    """Bold, italic and the like, as CSS."""


def draw(app: App[Any]) -> str:
    """The screen on top, with what lies dimmed behind it."""
    rows = [list(runs_of(strip)) for strip in app.screen._compositor.render_strips()]
    return _svg(rows, app.size.width, len(rows))


def runs_of(strip: Strip) -> Iterator[Run]:
    """The cells of a row, those of one look together."""
    column = 0
    for segment in Segment.simplify(strip):
        ink, ground = _colours(segment.style or Style())
        yield Run(column, segment.cell_length, segment.text, ink, ground, _manner(segment.style or Style()))
        column += segment.cell_length


def _colours(style: Style) -> tuple[str, str]:
    ink = style.color.get_truecolor().hex if style.color is not None else "#c5c8c6"
    ground = style.bgcolor.get_truecolor(foreground=False).hex if style.bgcolor is not None else "#000000"
    return (ground, ink) if style.reverse else (ink, ground)


def _manner(style: Style) -> str:
    lines = [name for name, is_so in (("underline", style.underline), ("line-through", style.strike)) if is_so]
    parts = [
        "font-weight:bold" if style.bold else "",
        "font-style:italic" if style.italic else "",
        "opacity:.6" if style.dim else "",
        f"text-decoration:{' '.join(lines)}" if lines else "",
    ]
    return ";".join(part for part in parts if part)


def _svg(rows: list[list[Run]], width: int, height: int) -> str:
    grounds = [run.ground for row in rows for run in row for _ in range(run.width)]
    ground = max(sorted(set(grounds)), key=grounds.count)
    looks: dict[str, str] = {}
    drawn = "".join(_row(place * ROW, row, ground, looks) for place, row in enumerate(rows))
    rules = "".join(f".{name}{{{look}}}" for look, name in looks.items())
    size = {"width": width * CELL + 20, "height": height * ROW + 40}
    return FRAME.format(rules=rules, rows=drawn, ground=ground, **size)


def _row(top: int, row: list[Run], ground: str, looks: dict[str, str]) -> str:
    return "".join((*_grounds(top, row, ground), *_letters(top, row, looks), "\n"))


def _grounds(top: int, row: list[Run], ground: str) -> Iterator[str]:
    for colour, group in groupby(row, key=lambda run: run.ground):
        runs = list(group)
        if colour != ground:
            left, width = runs[0].column * CELL, sum(run.width for run in runs) * CELL
            yield f'<path fill="{colour}" d="M{left} {top}h{width}v{ROW}H{left}"/>'


def _letters(top: int, row: list[Run], looks: dict[str, str]) -> Iterator[str]:
    """Text is stretched to its cells, whatever the font: what stands in a column stays in it."""
    for column, text, look in _words(row):
        name = looks.setdefault(look, f"c{len(looks)}") + (" w" if cell_len(text) == 2 * len(text) else "")
        left, width = column * CELL, cell_len(text) * CELL
        letters = escape(text, quote=False)
        yield f'<text class="{name}" x="{left}" y="{top + BASELINE}" textLength="{width}">{letters}</text>'


def _words(row: Iterable[Run]) -> Iterator[tuple[int, str, str]]:
    """Column, text and look of what is to be seen: letters of one width and one look in one piece, no blanks round."""
    for look, group in groupby(row, key=_look):
        runs = list(group)
        column = runs[0].column
        for piece in _WIDE.split("".join(run.text for run in runs)):
            text = piece if "text-decoration" in look else piece.strip(" ")
            if text:
                yield column + piece.index(text), text, look
            column += cell_len(piece)


def _look(run: Run) -> str:
    return f"fill:{run.ink}" + (f";{run.manner}" if run.manner else "")
