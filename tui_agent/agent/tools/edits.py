"""An exact replacement in a text that keeps every byte it was not asked to change, line endings first of all.

Old and new text are compared with all line endings made alike, because a model sends line feeds whatever the file has.
"""

import bisect
import re
from difflib import get_close_matches

from tui_agent.agent.tools.base import one_line
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST_SHOWN = 8
_MOST_COMPARED = 20_000
"""Lines up to which similar ones are looked for when the text is not found."""


@frozen
class _View:
    """A text with every line ending as one line feed, and the way back to the text itself."""

    raw: str
    text: str
    ends: tuple[int, ...]
    """Where in `text` its line ends are."""

    marks: tuple[str, ...]
    """What each of them is in `raw`."""

    double: tuple[int, ...]
    """Those of `ends` that are two characters in `raw`."""

    def in_raw(self, place: int) -> int:
        return place + bisect.bisect_left(self.double, place)

    def line_at(self, place: int) -> int:
        """The line number, from 1."""
        return bisect.bisect_left(self.ends, place) + 1

    def ending_at(self, place: int) -> str:
        """How the line at `place` ends; for the last line, how the one before it does."""
        index = bisect.bisect_left(self.ends, place)
        if index < len(self.ends):
            return self.marks[index]
        return self.marks[-1] if self.marks else "\n"


def replaced(text: str, old: str, new: str, everywhere: bool = False) -> str:
    """The text with `old` replaced by `new`, both taken literally.

    Raises:
        ToolFailed: `old` is empty, is not there, is there more than once, or the replacement changes nothing.
    """
    if not old:
        raise ToolFailed("old_text is empty.", "", "Give the text to replace, or use write_file for a whole file.")
    view = _view(text)
    wanted = with_line_feeds(old)
    places = _places(view.text, wanted, overlapping=not everywhere)
    if not places:
        raise ToolFailed("old_text was not found.", _nearest(view.text, wanted), "Copy the text exactly as it stands.")
    if len(places) > 1 and not everywhere:
        raise ToolFailed(
            f"old_text occurs {len(places)} times:",
            _listed(view, places),
            "Give more of the text round the right one, or set replace_all.",
        )
    changed = _spliced(view, places, old, new)
    if changed == text:
        raise ToolFailed(
            "No change: old_text and new_text are the same"
            + (" but for their line endings, which an edit keeps." if old != new else "."),
            "Nothing was written.",
        )
    return changed


def with_line_feeds(text: str) -> str:
    """The text with every line ending as a line feed."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


def _view(raw: str) -> _View:
    text = with_line_feeds(raw)
    marks = tuple(_LINE_END.findall(raw))
    ends = tuple(match.start() for match in re.finditer("\n", text))
    double = tuple(end for end, mark in zip(ends, marks, strict=True) if len(mark) == 2)
    return _View(raw, text, ends, marks, double)


def _places(text: str, wanted: str, overlapping: bool) -> list[int]:
    step = 1 if overlapping else len(wanted)
    places = []
    place = text.find(wanted)
    while place >= 0:
        places.append(place)
        place = text.find(wanted, place + step)
    return places


def _spliced(view: _View, places: list[int], old: str, new: str) -> str:
    pieces = []
    done = 0
    for place in places:
        start, end, middle = _splice(view, place, old, new)
        pieces += [view.raw[done:start], middle]
        done = end
    return "".join([*pieces, view.raw[done:]])


def _splice(view: _View, place: int, old: str, new: str) -> tuple[int, int, str]:
    """What of the raw text gives way to what: only that in which old and new differ.

    Carriage returns in `new` are meant as they are if `old` is there to the byte; line feeds take the form of the line.
    """
    wanted, given = with_line_feeds(old), with_line_feeds(new)
    start, end = view.in_raw(place), view.in_raw(place + len(wanted))
    if "\r" in new and view.raw[start:end] == old:
        return start, end, new
    shortest = min(len(wanted), len(given))
    head = next((at for at in range(shortest) if wanted[at] != given[at]), shortest)
    tail = next((at for at in range(shortest - head) if wanted[-1 - at] != given[-1 - at]), shortest - head)
    first, last = place + head, place + len(wanted) - tail
    middle = given[head : len(given) - tail].replace("\n", view.ending_at(first))
    return view.in_raw(first), view.in_raw(last), middle


def _listed(view: _View, places: list[int]) -> str:
    lines = view.text.split("\n")
    numbers = [view.line_at(place) for place in places]
    shown = [f"line {number}: {one_line(lines[number - 1], 120)}" for number in numbers[:_MOST_SHOWN]]
    more = len(numbers) - len(shown)
    return "\n".join(["", *shown, *([f"and {more} more"] if more else []), ""])


def _nearest(text: str, wanted: str) -> str:
    """Lines like the wanted ones, with their numbers: the same but for blanks, or similar."""
    first = next((line.strip() for line in wanted.split("\n") if line.strip()), "")
    lines = text.split("\n")
    if not first or len(lines) > _MOST_COMPARED:
        return ""
    stripped = [line.strip() for line in lines]
    alike = {first} if first in stripped else set(get_close_matches(first, set(stripped), n=3, cutoff=0.6))
    numbers = [number for number, line in enumerate(stripped, 1) if line in alike]
    if not numbers:
        return ""
    shown = [f"line {number}: {one_line(lines[number - 1], 120)}" for number in numbers[:_MOST_SHOWN]]
    return "\n".join(["The nearest lines are:", *shown, ""])
