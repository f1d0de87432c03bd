"""Whether a text still holds a detail: exactly for exact things, by its salient words for a rule."""

from collections.abc import Callable

from tui_agent.context.ledger_named import value_of
from tui_agent.context.words import listed, overlap, salient, squeezed
from tui_agent.core.entries import Detail

_RULE_KEPT_FROM = 0.75
_NEGATIONS = listed(
    """no not never don\'t dont without avoid forbidden prohibited mustn\'t cannot can\'t nothing none instead"""
)
_NEGATIONS_ZH = ("不", "禁", "别", "勿", "没", "无", "非", "免")
_ERROR_SHARE = 0.6
_ERROR_WORDS = 8
_SHORT_VALUE = 3
"""A value of fewer characters proves nothing by itself; then the name has to stand with it."""


def is_kept(text: str) -> Callable[[Detail], bool]:
    """A function that says whether `text` holds a detail; the text is prepared once."""
    squeezed_text = squeezed(text)
    lines = [(salient(each), _is_negative(each)) for each in text.splitlines() if each.strip()]

    def kept(detail: Detail) -> bool:
        match detail.kind:
            case "rule" | "request":
                return _holds(squeezed(detail.text), squeezed_text) or _rule_kept(detail.text, lines)
            case "named value":
                return _value_kept(detail, text, squeezed_text, lines)
            case "number":
                return any(_holds(form, text) for form in _number_forms(detail.text))
            case "version":
                return _holds(detail.text, text) or _holds(f"v{detail.text}", text)
            case "command":
                return _holds(detail.text, text) or squeezed(detail.text) in squeezed_text
            case "error":
                return _error_kept(squeezed(detail.text), squeezed_text)
            case _:
                return _holds(detail.text, text)

    return kept


def _value_kept(detail: Detail, text: str, squeezed_text: str, lines: list[tuple[frozenset[str], bool]]) -> bool:
    if squeezed(detail.text) in squeezed_text:
        return True
    value = value_of(detail.text)
    if not (_holds(value, text) or _holds(squeezed(value), squeezed_text)):
        return len(value.split()) >= 4 and any(overlap(salient(value), words) >= _RULE_KEPT_FROM for words, _ in lines)
    if len(value) >= _SHORT_VALUE:
        return True
    name = salient(detail.name)
    wanted = salient(f"{detail.name} {value}")
    return not name or any(overlap(wanted, words) >= _RULE_KEPT_FROM for words, _ in lines)


def _rule_kept(rule: str, lines: list[tuple[frozenset[str], bool]]) -> bool:
    wanted = salient(rule)
    negative = _is_negative(rule)
    return any(overlap(wanted, words) >= _RULE_KEPT_FROM and (says_no or not negative) for words, says_no in lines)


def _number_forms(number: str) -> tuple[str, ...]:
    """A quantity with and without a blank before its unit."""
    closed = "".join(number.split())
    digits = closed.rstrip("%°" + "".join(sorted({each for each in closed if each.isalpha()})))
    return (number, closed, f"{digits} {closed[len(digits) :]}")


def _error_kept(error: str, text: str) -> bool:
    """Most of an error's words from its start: in prose nobody can say where the message ends."""
    words = error.split(" ")
    enough = min(_ERROR_WORDS, max(1, round(len(words) * _ERROR_SHARE)))
    return " ".join(words[:enough]).rstrip(".,:;") in text


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
