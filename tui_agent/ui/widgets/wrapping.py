"""Where a line of text must be broken to fit a width in terminal cells, and how wide it is."""

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size

TAB = 4
"""Cells between two tab stops."""

_narrow = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0400-\u0482\u2010-\u2027\u2500-\u25fc\u2800-\u28ff]*"
).fullmatch
_JOINER = "\u200d"
_NO_START = frozenset("。，、．！？；：）」』】》〉〕…‥ー～％％’”,.!?;:)]}>%")
"""Letters that do not begin a line after a wide one."""

_NO_END = frozenset("（「『【《〈〔“‘([{<")
"""Letters that do not end a line before a wide one."""


def width_of(text: str) -> int:
    """Cells the text takes, tabs at their stops counted from its beginning."""
    if "\t" not in text:
        return cell_len(text)
    column = 0
    for position, part in enumerate(text.split("\t")):
        if position:
            column += TAB - column % TAB
        column += cell_len(part)
    return column


def line_starts(text: str, width: int, *, anywhere: bool = False) -> list[int]:
    """The offsets at which the lines of `text` begin when no line may be wider than `width` cells.

    Lines break after spaces and beside wide letters, inside a word only if it is longer than a line; with `anywhere`
    (code) wherever the line is full. Spaces at a break stay at the end of the line before it and may hang over.
    """
    width = max(width, 2)
    if len(text) * 2 <= width and "\t" not in text:
        return [0]
    if _narrow(text):
        if anywhere:
            return list(range(0, len(text), width)) or [0]
        return _narrow_starts(text, width)
    return _wide_starts(text, width, anywhere)


def _narrow_starts(text: str, width: int) -> list[int]:
    starts = [0]
    begin, length = 0, len(text)
    while length - begin > width:
        cut = text.rfind(" ", begin, begin + width + 1) + 1
        if cut == 0 or text[begin:cut].isspace():
            cut = begin + width
        while cut < length and text[cut] == " ":
            cut += 1
        if cut >= length:
            break
        starts.append(cut)
        begin = cut
    return starts


def _clusters(text: str) -> list[tuple[str, int]]:
    """What a terminal draws as one letter each, with its cells (a tab counts 0 here)."""
    widths = list(map(get_character_cell_size, text))
    if 0 not in widths:
        return list(zip(text, widths, strict=True))
    found: list[tuple[str, int]] = []
    index, length = 0, len(text)
    while index < length:
        begin = index
        index += 1
        while index < length and text[begin] != "\t":
            letter = text[index]
            if letter == _JOINER and index + 1 < length and text[index + 1] != "\t":
                index += 2
            elif letter != "\t" and widths[index] == 0:
                index += 1
            else:
                break
        cluster = text[begin:index]
        found.append((cluster, 0 if cluster == "\t" else cell_len(cluster)))
    return found


def _wide_starts(text: str, width: int, anywhere: bool) -> list[int]:
    found = _clusters(text)
    fitting = _fitting_with_tabs(found, width) if "\t" in text else _fitting(found, width)
    starts, offset, begin = [0], 0, 0
    while (cut := fitting(begin)) < len(found):
        while not anywhere and cut < len(found) and found[cut][0] == " ":
            cut += 1
        if cut == len(found):
            break
        whole = cut
        while whole > begin and not (anywhere or _may_break(*found[whole - 1], *found[whole])):
            whole -= 1
        cut = whole if whole > begin else cut
        offset += sum(len(cluster) for cluster, _ in found[begin:cut])
        begin = cut
        starts.append(offset)
    return starts


def _fitting(found: list[tuple[str, int]], width: int) -> Callable[[int], int]:
    """Where a line that begins at a cluster must end: one more than the last cluster that fits, at least one."""
    ends = [0, *accumulate(cells for _, cells in found)]
    return lambda begin: max(begin + 1, bisect_right(ends, ends[begin] + width) - 1)


def _fitting_with_tabs(found: list[tuple[str, int]], width: int) -> Callable[[int], int]:
    """The same where tabs are as wide as their place in the line makes them."""

    def fitting(begin: int) -> int:
        column = 0
        for index in range(begin, len(found)):
            cluster, cells = found[index]
            column += TAB - column % TAB if cluster == "\t" else cells
            if column > width:
                return max(begin + 1, index)
        return len(found)

    return fitting


def _may_break(before: str, before_cells: int, cluster: str, cells: int) -> bool:
    if cluster in (" ", "\t"):
        return False
    if before in (" ", "\t"):
        return True
    if before_cells < 2 and cells < 2:
        return False
    return cluster not in _NO_START and before not in _NO_END
