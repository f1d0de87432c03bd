"""What a page says of its visitor: keys, a size, a notice. Whatever else it says, in whatever form, is nothing.

A size becomes memory here and text becomes bytes for the program, so both are made to fit before they go on.
"""

import json

from tui_agent.values import frozen

USUAL_SIZE = (80, 24)
LARGEST_SIZE = (1000, 500)
"""Columns and rows: more than the largest screens show, in letters that can still be read."""


@frozen
class Typed:
    """Keys, as a terminal sends them."""

    data: bytes


@frozen
class Resized:
    """The page has another size now."""

    columns: int
    rows: int


@frozen
class Pinged:
    """The page asks whether somebody is there; the mark goes back to it."""

    mark: object


@frozen
class FocusChanged:
    """The visitor has come back to the page or left it."""

    has_focus: bool


PageMessage = Typed | Resized | Pinged | FocusChanged


def page_message(text: str) -> PageMessage | None:
    """What was said; None if it is nothing that a page says."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match told:
        case ["stdin", str() as typed]:
            return Typed(_bytes(typed))
        case ["resize", {"width": width, "height": height}]:
            return Resized(*fitting_size(width, height))
        case ["ping", mark]:
            return Pinged(mark)
        case [("focus" | "blur") as kind, *_]:
            return FocusChanged(kind == "focus")
        case _:
            return None


def fitting_size(width: object, height: object) -> tuple[int, int]:
    """Columns and rows that can be drawn; the usual ones for what is no number."""
    columns, rows = (
        _within(wanted, usual, most)
        for wanted, usual, most in zip((width, height), USUAL_SIZE, LARGEST_SIZE, strict=True)
    )
    return columns, rows


def _within(wanted: object, usual: int, most: int) -> int:
    if not isinstance(wanted, str | int | float):
        return usual
    try:
        return min(max(int(wanted), 1), most)
    except (ValueError, OverflowError):
        return usual


def _bytes(typed: str) -> bytes:
    """UTF-8, halves of a character joined where they stand together and replaced where one is missing."""
    return typed.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
