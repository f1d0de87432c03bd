"""Finding words in blocks: how many hits there are, and which is the one looked at."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.block_lines import argument_lines
from tui_agent.ui.widgets.blocks import Block, DeedBlock, ToolBlock, source_of
from tui_agent.ui.widgets.heights import Pages
from tui_agent.ui.widgets.lines import Highlight, Row


class Finding:
    """The hits of a query, case ignored, in their order."""

    def __init__(self, query: str, blocks: Pages[Block]) -> None:
        self._pattern = re.compile(re.escape(safe(query, single_line=True)), re.IGNORECASE)
        counts = ((block.key, len(self._pattern.findall(_searched(block)))) for block in blocks)
        found = [(key, count) for key, count in counts if count]
        self._keys = [key for key, _ in found]
        self._ends = list(accumulate(count for _, count in found))
        self._at: int | None = None

    @property
    def total(self) -> int:
        """How many hits there are."""
        return self._ends[-1] if self._ends else 0

    @property
    def at(self) -> int:
        """The number of the hit that is looked at, from 1; 0 for none."""
        return 0 if self._at is None else self._at + 1

    def next(self) -> tuple[int, int] | None:
        """The hit below the one looked at, or the first: a block's key, the hit's number in it. None without hits."""
        return self._go(0 if self._at is None else self._at + 1)

    def previous(self) -> tuple[int, int] | None:
        """The hit above the one looked at, or the last."""
        return self._go(-1 if self._at is None else self._at - 1)

    def last_in(self, keys: range) -> tuple[int, int] | None:
        """The last hit in some blocks, which is looked at from now on; None when there is none in them."""
        index = bisect_right(self._keys, keys.stop - 1) - 1
        if index < 0 or self._keys[index] not in keys:
            return None
        return self._go(self._ends[index] - 1)

    def is_at_end(self, step: int) -> bool:
        """Whether a step (1 down, -1 up) would go round to the other end."""
        return self._at is None or self._at == (self.total - 1 if step > 0 else 0)

    def _go(self, at: int) -> tuple[int, int] | None:
        if not self.total:
            return None
        self._at = at % self.total
        index = bisect_right(self._ends, self._at)
        before = self._ends[index - 1] if index else 0
        return self._keys[index], self._at - before

    def places(self, rows: list[Row]) -> Iterator[tuple[int, int]]:
        """Where hits stand in the rows of a block: number of the row, offset."""
        for number, row in enumerate(rows):
            first, end = _said(row)
            for match in self._pattern.finditer(row.text, first, end):
                yield number, match.start()

    def highlights(self, row: Row, current: int | None) -> list[Highlight]:
        """The hits in a row that count; the one at offset `current` is marked apart."""
        first, end = _said(row)
        return [
            Highlight(match.start(), match.end(), "find-current" if match.start() == current else "find")
            for match in self._pattern.finditer(row.text, first, end)
        ]


def _searched(block: Block) -> str:
    """All of a block that was said or printed, in the order in which it stands when it is opened."""
    match block:
        case ToolBlock():
            return "\n".join((block.call.name, *argument_lines(block), block.output))
        case DeedBlock():
            return f"{block.subject}\n{block.output}"
        case _:
            return source_of(block)


def _said(row: Row) -> tuple[int, int]:
    """The part of a row in which hits count: not who spoke and when, and of a card's header its name alone."""
    begin = 0
    for run in row.runs:
        if run.style == "tool" and row.action == "fold":
            return begin, begin + len(run.text)
        begin += len(run.text)
    is_ours = row.action == "fold" or any(run.style.startswith("label-") for run in row.runs)
    return 0, 0 if is_ours else len(row.text)
