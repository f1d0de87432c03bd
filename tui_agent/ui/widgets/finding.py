"""Finding words in blocks: how many hits there are, and which is the one looked at."""

import re
from collections.abc import Iterator

from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.blocks import Block, source_of
from tui_agent.ui.widgets.heights import Pages
from tui_agent.ui.widgets.lines import Highlight, Row


class Finding:
    """The hits of a query, case ignored, in their order."""

    def __init__(self, query: str, blocks: Pages[Block]) -> None:
        self._pattern = re.compile(re.escape(safe(query, single_line=True)), re.IGNORECASE)
        self.hits: list[tuple[int, int]] = [
            (key, number)
            for key in range(blocks.first, blocks.end)
            for number, _ in enumerate(self._pattern.finditer(source_of(blocks[key])))
        ]
        """A block's key and the hit's number in the block."""

        self._at = len(self.hits)

    def next(self) -> tuple[int, int] | None:
        """The hit below the one looked at, or the first; None without hits."""
        return self._go(1)

    def previous(self) -> tuple[int, int] | None:
        """The hit above the one looked at, or the last; None without hits."""
        return self._go(-1)

    def _go(self, step: int) -> tuple[int, int] | None:
        if not self.hits:
            return None
        self._at = (self._at + step) % len(self.hits) if self._at < len(self.hits) else (-1 if step < 0 else 0)
        self._at %= len(self.hits)
        return self.hits[self._at]

    @property
    def current(self) -> tuple[int, int] | None:
        """The hit that is looked at."""
        return self.hits[self._at] if self._at < len(self.hits) else None

    def places(self, rows: list[Row]) -> Iterator[tuple[int, int]]:
        """Where hits stand in the rows of a block: number of the row, offset."""
        for number, row in enumerate(rows):
            for match in self._pattern.finditer(row.text):
                yield number, match.start()

    def highlights(self, row: Row, current: int | None) -> list[Highlight]:
        """The hits in a row; the one at offset `current` is marked apart."""
        return [
            Highlight(match.start(), match.end(), "find-current" if match.start() == current else "find")
            for match in self._pattern.finditer(row.text)
        ]
