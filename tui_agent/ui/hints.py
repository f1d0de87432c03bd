"""Keys named in the edge of a dialog: as many as its width holds."""

from collections.abc import Sequence

from rich.cells import cell_len


def fitting_hints(hints: Sequence[str], width: int) -> str:
    """The hints in a line no wider than `width` cells: closer together where it is narrow, else without the first ones.

    They are given with what goes without saying first; the help names them all.
    """
    for first in range(len(hints)):
        for between in (" · ", "  ") if first == 0 else ("  ",):
            line = between.join(hints[first:])
            if cell_len(line) <= width:
                return line
    return ""
