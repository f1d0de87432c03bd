"""Whether a text still holds a detail: exactly for exact things, by its salient words for a rule."""

import re
from collections import Counter
from collections.abc import Callable

from tui_agent.context.ledger_named import value_of
from tui_agent.context.words import listed, salient, squeezed
from tui_agent.core.entries import Detail

_RULE_KEPT_FROM = 0.75
_NEGATIONS = listed(
    """no not never don\'t dont without avoid forbidden prohibited mustn\'t cannot can\'t nothing none instead"""
)
_NEGATIONS_ZH = ("不", "禁", "别", "勿", "没", "无", "非", "免")
_ERROR_SHARE = 0.6
_ERROR_WORDS = 8
_RUN = re.compile(r"[A-Za-z0-9_]+")
_SHORT_VALUE = 3
"""A value of fewer characters proves nothing by itself; then the name has to stand with it."""


def is_kept(text: str) -> Callable[[Detail], bool]:
    """A function that says whether `text` holds a detail; the text is prepared once."""
    exact, loose = _Text(text), _Text(squeezed(text))
    lines = _Lines(text)

    def kept(detail: Detail) -> bool:
        match detail.kind:
            case "rule" | "request":
                return loose.holds(squeezed(detail.text)) or _rule_kept(detail.text, lines)
            case "named value":
                return _value_kept(detail, exact, loose, lines)
            case "number":
                return any(exact.holds(form) for form in _number_forms(detail.text))
            case "version":
                return exact.holds(detail.text) or exact.holds(f"v{detail.text}")
            case "command":
                return exact.holds(detail.text) or loose.holds(squeezed(detail.text))
            case "error":
                return _error_kept(squeezed(detail.text), loose)
            case _:
                return exact.holds(detail.text)

    return kept


class _Text:
    """A text that many exact details are looked for in: most are ruled out by a word that it has not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = set(_RUN.findall(text))

    def holds(self, exact: str) -> bool:
        """Whether `exact` stands in the text as itself and not as a piece of something longer."""
        run = _RUN.search(exact)
        if run is not None and self._words.isdisjoint((run.group(), f"v{run.group()}", f"V{run.group()}")):
            return False
        return _holds(exact, self._text)


class _Lines:
    """The lines of a text by their salient words."""

    def __init__(self, text: str) -> None:
        told = [each for each in text.splitlines() if each.strip()]
        self._are_negative = [_is_negative(each) for each in told]
        self._places: dict[str, list[int]] = {}
        for place, each in enumerate(told):
            for word in salient(each):
                self._places.setdefault(word, []).append(place)

    def tell(self, words: frozenset[str], *, negative: bool = False) -> bool:
        """Whether one line has most of the words; with `negative`, one that says no."""
        counts = Counter(place for word in words for place in self._places.get(word, ()))
        needed = _RULE_KEPT_FROM * len(words)
        return bool(words) and any(
            count >= needed and (self._are_negative[place] or not negative) for place, count in counts.items()
        )


def _value_kept(detail: Detail, exact: _Text, loose: _Text, lines: _Lines) -> bool:
    if loose.holds(squeezed(detail.text)):
        return True
    value = value_of(detail.text)
    if not (exact.holds(value) or loose.holds(squeezed(value))):
        return len(value.split()) >= 4 and lines.tell(salient(value))
    if len(value) >= _SHORT_VALUE:
        return True
    return not salient(detail.name) or lines.tell(salient(f"{detail.name} {value}"))


def _rule_kept(rule: str, lines: _Lines) -> bool:
    return lines.tell(salient(rule), negative=_is_negative(rule))


def _number_forms(number: str) -> tuple[str, ...]:
    """A quantity with and without a blank before its unit."""
    closed = "".join(number.split())
    digits = closed.rstrip("%°" + "".join(sorted({each for each in closed if each.isalpha()})))
    return (number, closed, f"{digits} {closed[len(digits) :]}")


def _error_kept(error: str, text: _Text) -> bool:
    """Most of an error's words from its start: in prose nobody can say where the message ends."""
    words = error.split(" ")
    enough = min(_ERROR_WORDS, max(1, round(len(words) * _ERROR_SHARE)))
    return text.holds(" ".join(words[:enough]).rstrip(".,:;"))


def _is_negative(text: str) -> bool:
    words = text.casefold().replace("’", "'").split()
    if any(word.strip(".,;:!?*`\"'") in _NEGATIONS for word in words):
        return True
    return any(sign in text for sign in _NEGATIONS_ZH)


def _holds(exact: str, text: str) -> bool:
    """Whether `exact` stands in `text` as itself and not as a piece of something longer."""
    start = text.find(exact) if exact else -1
    while start >= 0:
        end = start + len(exact)
        if _starts_here(text, start, exact) and _ends_here(text, end, exact):
            return True
        start = text.find(exact, start + 1)
    return False


def _starts_here(text: str, start: int, exact: str) -> bool:
    if start == 0 or not _is_word(exact[0]):
        return True
    before = text[start - 1]
    if _is_word(before):
        return before in "vV" and exact[0].isdigit() and (start == 1 or not _is_word(text[start - 2]))
    joins = before in "-." and start >= 2 and _is_word(text[start - 2])
    return not (joins and any(character.isdigit() for character in exact))


def _ends_here(text: str, end: int, exact: str) -> bool:
    if end == len(text) or not _is_word(exact[-1]):
        return True
    after = text[end]
    if _is_word(after):
        return False
    joins = after in "-." and end + 1 < len(text) and _is_word(text[end + 1])
    return not joins


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
