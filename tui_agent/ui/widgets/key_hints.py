"""What the keys of a dialog do: in as many rows as that needs, or in an edge, as many as its width holds."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from tui_agent.ui.widgets.prose import Prose

BETWEEN = " · "


def packed(pieces: Sequence[Content], width: int, between: str = BETWEEN) -> Iterator[Content]:
    """The pieces in rows of at most `width` cells, each piece in one row."""
    row = Content("")
    for piece in pieces:
        longer = row + Content(between) + piece if row else piece
        if row and longer.cell_length > width:
            yield row
            longer = piece
        row = longer
    yield row


def fitting_hints(hints: Sequence[str], width: int) -> str:
    """The hints in a line no wider than `width` cells: closer together where it is narrow, else without the first ones.

    They are given with what goes without saying first; the help names them all.
    """
    lines = [BETWEEN.join(hints), *("  ".join(hints[first:]) for first in range(len(hints)))]
    return next((line for line in lines if cell_len(line) <= width), "")


class KeyHints(Prose):
    """Pieces between middle dots."""

    def __init__(self, words: str = "") -> None:
        super().__init__(Content(words))

    def _rows(self, width: int) -> list[Content]:
        shown = self.content
        return list(packed(shown.split(BETWEEN), width)) if isinstance(shown, Content) else []
