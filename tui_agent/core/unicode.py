"""Text from and for the wire, made valid: half surrogate pairs and NUL would break storage and every later request."""

import re
from typing import Any

REPLACEMENT = "\ufffd"

_UNSENDABLE = re.compile(r"[\0\ud800-\udfff]")


def sendable(text: str) -> str:
    """The text with replacement characters for what cannot be sent: undecodable bytes, half characters, NUL."""
    return _UNSENDABLE.sub(REPLACEMENT, text)


def repaired(text: str) -> str:
    """The text with split surrogate pairs joined and lone halves replaced by U+FFFD; usually the same object."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def repaired_json(value: Any) -> Any:
    """A JSON value with every string in it, keys included, repaired."""
    match value:
        case str():
            return repaired(value)
        case dict():
            return {repaired(str(key)): repaired_json(each) for key, each in value.items()}
        case list() | tuple():
            return [repaired_json(each) for each in value]
        case _:
            return value


class PieceRepair:
    """Repairs a text that arrives in pieces; a pair that is split between two of them becomes one character."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The piece, repaired; the first half of a pair at its end waits for the next piece."""
        text = self._held + piece
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return repaired(text).replace("\0", REPLACEMENT)

    def flush(self) -> str:
        """What is left when the text has ended."""
        held, self._held = self._held, ""
        return repaired(held)
