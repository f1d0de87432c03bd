"""A tool call's arguments, in whatever shape they arrive, as a JSON object in a string."""

import json
from typing import Any, NoReturn

from tui_agent.core.unicode import repaired, repaired_json
from tui_agent.values import frozen

_BOM = "\ufeff"
_MOST_WRAPPINGS = 3
"""How often arguments may be encoded as a string within a string."""


@frozen
class Arguments:
    """Arguments that can be stored and sent back."""

    text: str
    """A JSON object, always."""

    malformed: str | None = None
    """What came when it was no JSON object; the call must then not be run."""


def normalise_arguments(raw: Any) -> Arguments:
    """Arguments as they came (a string, an object, nothing) in the one form the rest of the program knows.

    Nothing, blank and `null` mean no arguments. A string that is a JSON object already is kept as it is, so that what
    is sent back equals what the model wrote.
    """
    if raw is None:
        return Arguments("{}")
    if isinstance(raw, dict):
        return _dumped(raw)
    if not isinstance(raw, str):
        return Arguments("{}", malformed=_as_text(raw))
    text = raw.strip().lstrip(_BOM)
    if not text:
        return Arguments("{}")
    try:
        value = _parsed(text)
    except (ValueError, RecursionError):
        return Arguments("{}", malformed=repaired(raw))
    if value is None:
        return Arguments("{}")
    if not isinstance(value, dict):
        return Arguments("{}", malformed=repaired(raw))
    return Arguments(text) if _is_clean(text) else _dumped(value)


def are_alike(one: Any, other: Any) -> bool:
    """Whether two arguments say the same, in whatever form each came."""
    if one == other:
        return True
    told, again = normalise_arguments(one), normalise_arguments(other)
    return told.malformed is None and again.malformed is None and json.loads(told.text) == json.loads(again.text)


class ObjectScanner:
    """Follows JSON as it arrives and knows, without reading it again, when the first object in it has ended."""

    def __init__(self) -> None:
        self.is_complete = False
        """Whether an object (or a string, for arguments that are encoded twice) began and ended."""

        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, piece: str) -> None:
        """Take the next piece; once complete, nothing changes any more."""
        for character in piece:
            if self.is_complete:
                return
            self._step(character)

    def _step(self, character: str) -> None:
        if self._escaped:
            self._escaped = False
        elif self._in_string:
            self._escaped = character == "\\"
            if character == '"':
                self._in_string = False
                self.is_complete = self._depth == 0
        elif character == '"':
            self._in_string = True
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
            self.is_complete = self._depth <= 0


def _parsed(text: str) -> Any:
    value = _one_value(text)
    for _ in range(_MOST_WRAPPINGS):
        if not isinstance(value, str):
            break
        value = _one_value(value.strip()) if value.strip() else None
    return value


def _one_value(text: str) -> Any:
    """The value in the text. Objects glued to one another are one if they repeat it, or if the first are empty.

    Raises:
        ValueError: it is no JSON, or several different objects.
    """
    values: list[Any] = []
    position = 0
    while position < len(text):
        value, position = _DECODER.raw_decode(text, position)
        while position < len(text) and text[position].isspace():
            position += 1
        if value != {} or position == len(text):
            values.append(value)
    if any(value != values[0] for value in values[1:]):
        filled = [value for value in values if value != {}]
        if len(filled) != 1:
            raise ValueError("several values")
        return filled[0]
    return values[0]


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant)
"""Accepts line breaks within strings, which models write; refuses NaN and Infinity, which endpoints refuse."""


def _is_clean(text: str) -> bool:
    """Whether the text is one strict JSON object without half surrogate pairs, so that it can be kept as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _dumped(value: dict[Any, Any]) -> Arguments:
    try:
        text = json.dumps(repaired_json(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return Arguments("{}", malformed=_as_text(value))
    return Arguments(text)


def _as_text(value: Any) -> str:
    try:
        return repaired(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return repaired(repr(value))
