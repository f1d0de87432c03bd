"""A text in blocks of a few thousand characters, so that no single look at it takes long, whatever it holds."""

from collections.abc import Iterator

_LONGEST = 4_096
_BREAKS = ("\n", ". ", "。", "! ", "? ", "！", "？", " ", "\t", "，", '",', ";")
"""Where a block may end, best first."""


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Start and text of each block, in order; together they are the text.

    A block ends with a line; in a line that is longer than half a block, with a sentence; else between two words. Only
    a run of more than two thousand characters without any of these (base64, packed code) is cut anywhere: what stands
    across such a cut is not seen as one thing.
    """
    start = 0
    while len(text) - start > _LONGEST:
        end = _end(text, start)
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _end(text: str, start: int) -> int:
    for mark in _BREAKS:
        place = text.rfind(mark, start + _LONGEST // 2, start + _LONGEST)
        if place >= 0:
            return place + len(mark)
    return start + _LONGEST
