"""What a program prints that is no fact by itself: when each file of a listing was changed, a number alone."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from tui_agent.context.ledger_patterns import LONG_NUMBER, Span

_ENTRY = re.compile(r"(?<!\S)[-dlbcps](?:[-r][-w][-xsStT]){3}[.+@]?(?=[ \t])[^\n]{0,400}")
"""The rest of a line of `ls -l` and its like, from the letters that say who may do what."""

_CHANGED = re.compile(
    r"(?<!\S)(?:[A-Z][a-z]{2} {1,2}\d{1,2}|\d{1,2} [A-Z][a-z]{2}) {1,2}(?:\d{1,2}:\d{2}|\d{4})(?!\S)"
    r"|(?<!\S)\d{4}-\d\d-\d\d \d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: [+-]\d{4})?(?!\S)"
)
"""When that was: as most systems write it, and as those do that were asked for all of it."""

_BARE_LINE = re.compile(r"line \d{1,9}")


def without_noise(spans: Sequence[Span], text: str) -> list[Span]:
    """The details of what a program printed, without those of its listings that say nothing where they stand alone.

    What a name in a listing holds is a detail all the same, and so is a date anywhere else.
    """
    stamps = [
        (entry.start() + stamp.start(), entry.start() + stamp.end())
        for entry in _ENTRY.finditer(text)
        if (stamp := _CHANGED.search(entry.group()))
    ]

    def is_noise(span: Span) -> bool:
        before = bisect_right(stamps, (span.start, len(text)))
        is_stamp = before > 0 and span.end <= stamps[before - 1][1]
        is_bare = span.kind == "number" and (_BARE_LINE.fullmatch(span.text) or LONG_NUMBER.fullmatch(span.text))
        return is_stamp or bool(is_bare)

    return [span for span in spans if not is_noise(span)]
