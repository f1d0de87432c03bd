"""The text under a selection: rows as they read, soft line breaks joined, decoration left out."""

from collections.abc import Callable, Iterator

from textual.selection import Selection

from tui_agent.ui.widgets.blocks import Block, source_of
from tui_agent.ui.widgets.heights import Pages
from tui_agent.ui.widgets.lines import ROW_BITS, Layout, Row


def selected_text(blocks: Pages[Block], selection: Selection, layout_of: Callable[[int], Layout | None]) -> str:
    """What a selection covers.

    `layout_of` gives a block's layout, or None for a block in the middle of a long selection: its source stands for it,
    so that selecting everything does not lay out everything.
    """
    if not len(blocks):
        return ""
    parts: list[str] = []
    first = blocks.first if selection.start is None else max(blocks.first, selection.start.y >> ROW_BITS)
    last = blocks.end - 1 if selection.end is None else min(blocks.end - 1, selection.end.y >> ROW_BITS)
    for key in range(first, last + 1):
        layout = layout_of(key)
        if layout is None:
            parts.append(source_of(blocks[key]) + "\n")
        else:
            parts.extend(_covered(layout, key, selection))
    return "".join(parts).strip("\n")


def _covered(layout: Layout, key: int, selection: Selection) -> Iterator[str]:
    for number, row in enumerate(layout.rows):
        y = (key << ROW_BITS) | number
        span = selection.get_span(y)
        if span is None:
            continue
        begin, end = span
        starts_here = selection.start is not None and selection.start.y == y
        lead = "" if starts_here and begin >= 0 else row.copied_lead
        yield lead + _slice(row, begin, end) + ("" if row.glued else "\n")


def _slice(row: Row, begin: int, end: int) -> str:
    return row.text[max(0, begin) :] if end == -1 else row.text[max(0, begin) : max(0, end)]
