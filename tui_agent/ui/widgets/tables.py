"""Tables as rows of text, aligned by cells, also when letters are wide."""

from collections.abc import Sequence
from typing import Literal

from tui_agent.ui.widgets.lines import Row, Run, Runs
from tui_agent.ui.widgets.wrapping import line_starts, width_of

Align = Literal["left", "center", "right"]
Cell = Runs

NARROWEST = 5
"""Cells a column needs on average; with less, a table is shown as a list of records."""

SAMPLE = 30
"""Rows that decide the widths of the columns. Columns only widen after that, from the row on that needs it, so that
the rows of a growing table stay where they are."""


class Table:
    """A table's columns, fitted into a width."""

    def __init__(
        self, width: int, header: Sequence[Cell], aligns: Sequence[Align], sample: Sequence[Sequence[Cell]], plain: bool
    ) -> None:
        self._header = header
        self._aligns = aligns
        self._bar, self._cross, self._dash = (" | ", "-+-", "-") if plain else (" │ ", "─┼─", "─")
        room = width - len(self._bar) * (len(header) - 1)
        self._as_records = room < NARROWEST * len(header)
        natural = [
            max(1, *(_cells(row[index]) for row in (header, *sample) if index < len(row)))
            for index in range(len(header))
        ]
        self._room = room
        self._widths = _fitted(natural, room)

    def head(self) -> list[Row]:
        """The header and the rule under it."""
        if self._as_records:
            return []
        styled = [tuple(run._replace(style=f"table-head {run.style}") for run in cell) for cell in self._header]
        rule = self._cross.join(self._dash * width for width in self._widths)
        return [*self._visual_rows(styled), Row((Run(rule, "table-rule"),))]

    def body(self, cells: Sequence[Cell]) -> list[Row]:
        """One row of the table; it takes several lines if a cell is wider than its column."""
        if self._as_records:
            return self._record(cells)
        needed = [max(width, _cells(cell)) for width, cell in zip(self._widths, cells, strict=False)]
        needed += self._widths[len(needed) :]
        if needed != self._widths and sum(needed) <= self._room:
            self._widths = needed
        return self._visual_rows(cells)

    def _record(self, cells: Sequence[Cell]) -> list[Row]:
        rows = []
        for name, cell in zip(self._header, cells, strict=False):
            title = tuple(run._replace(style=f"table-head {run.style}") for run in name)
            rows.append(Row((*title, Run(": ", "table-rule"), *cell)))
        return [*rows, Row((Run(self._dash * 3, "table-rule"),))]

    def _visual_rows(self, cells: Sequence[Cell]) -> list[Row]:
        columns = [
            _wrapped(cells[index] if index < len(cells) else (), width) for index, width in enumerate(self._widths)
        ]
        return [
            Row(self._visual_row([column[line] if line < len(column) else () for column in columns]))
            for line in range(max(len(column) for column in columns))
        ]

    def _visual_row(self, pieces: Sequence[Cell]) -> Runs:
        runs: list[Run] = []
        for index, piece in enumerate(pieces):
            if index:
                runs.append(Run(self._bar, "table-rule"))
            room = self._widths[index] - _cells(piece)
            align = self._aligns[index] if index < len(self._aligns) else "left"
            before = room if align == "right" else room // 2 if align == "center" else 0
            after = room - before if index < len(pieces) - 1 else 0
            runs += [Run(" " * before), *piece] if before > 0 else piece
            if after > 0:
                runs.append(Run(" " * after))
        return tuple(runs) or (Run(""),)


def _sliced(runs: Runs, start: int, end: int) -> Runs:
    """The runs between two offsets of their joined text."""
    found, offset = [], 0
    for run in runs:
        stop = offset + len(run.text)
        if stop > start and offset < end:
            found.append(run._replace(text=run.text[max(0, start - offset) : end - offset]))
        offset = stop
    return tuple(found)


def _cells(cell: Cell) -> int:
    return sum(width_of(run.text) for run in cell)


def _wrapped(cell: Cell, width: int) -> list[Cell]:
    text = "".join(run.text for run in cell)
    if width_of(text) <= width:
        return [cell]
    starts = line_starts(text, width)
    pieces = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        kept = len(text[start:end].rstrip(" "))
        pieces.append(_sliced(cell, start, start + kept))
    return pieces


def _fitted(natural: Sequence[int], room: int) -> list[int]:
    """The natural widths, the widest cut down until all fit."""
    if sum(natural) <= room:
        return list(natural)
    cap = max(natural)
    while cap > 2 and sum(min(width, cap) for width in natural) > room:
        cap -= 1
    widths = [min(width, cap) for width in natural]
    spare = room - sum(widths)
    for index, width in enumerate(natural):
        if spare > 0 and widths[index] < width:
            widths[index] += 1
            spare -= 1
    return widths
