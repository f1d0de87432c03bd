"""The words of the interface in the reader's language: `_` looks a text up, `N_` marks one to be looked up later.

Does no I/O: `settings.speaking` decides which language it is and hands over the catalogue. What goes to a model and
what comes from one never passes through here.
"""

from collections.abc import Iterable
from typing import Protocol


class Catalogue(Protocol):
    """Texts of one language by the English ones."""

    def gettext(self, message: str, /) -> str: ...

    def ngettext(self, one: str, many: str, n: int, /) -> str: ...


class _English:
    """The texts as they stand in the source."""

    def gettext(self, message: str, /) -> str:
        return message

    def ngettext(self, one: str, many: str, n: int, /) -> str:
        return one if n == 1 else many


ENGLISH: Catalogue = _English()
_catalogue = ENGLISH


def use(catalogue: Catalogue) -> None:
    """From now on everything is said in this language."""
    global _catalogue
    _catalogue = catalogue


def _(text: str) -> str:
    """The text in the reader's language: `_("{name} is gone").format(name=name)`, never an f-string."""
    return _catalogue.gettext(text) if text else ""


def ngettext(one: str, many: str, n: int) -> str:
    """The text for a number of things: `ngettext("{n} message", "{n} messages", n).format(n=n)`."""
    return _catalogue.ngettext(one, many, n)


def N_(text: str) -> str:  # noqa: N802 (the name that extraction looks for)
    """The text as it is, marked for the catalogue: for constants, which are looked up with `_` when they are shown."""
    return text


def sentences(parts: Iterable[str]) -> str:
    """Sentences as one text: with blanks between them, except behind Chinese punctuation, which has its own."""
    text = ""
    for part in filter(None, parts):
        text += part if not text or text.endswith(_SPACED) else f" {part}"
    return text


_SPACED = tuple("。！？：；")
