"""Exact details of many entries as one ledger: each once, with all its sources. What a detail is, `ledger` knows."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tui_agent.core.entries import (
    AssistantSaid,
    Detail,
    DetailKind,
    Entry,
    Found,
    Origin,
    ToolReturned,
    UserSaid,
)

ORIGINS: dict[Origin, int] = {"user": 0, "assistant": 1, "tool": 2}
"""How much what each of them states matters, 0 most."""

WEIGHTS: dict[DetailKind, int] = {
    "request": 0,
    "rule": 0,
    "named value": 1,
    "command": 2,
    "path": 2,
    "url": 2,
    "error": 3,
    "hash": 3,
    "version": 3,
    "number": 3,
    "code": 4,
    "quoted": 4,
}
"""How much the loss of a detail of each kind would hurt, 0 most."""

RANKS = {(origin, kind): 10 * ORIGINS[origin] + WEIGHTS[kind] for origin in ORIGINS for kind in WEIGHTS}
"""How much a detail of this kind that this one stated matters, 0 most."""

LOWEST_RANK = 1 + max(RANKS.values())
"""Below all of them."""


def speaker_of(entry: Entry) -> Origin | None:
    """Who said it; None for an entry that holds no details."""
    match entry:
        case UserSaid():
            return "user"
        case AssistantSaid():
            return "assistant"
        case ToolReturned():
            return "tool"
        case _:
            return None


def line(detail: Detail) -> str:
    """A detail as a line of its own: the words it stands in, if known; a value without its name is given that."""
    if detail.words:
        return detail.words
    if detail.name and detail.name.casefold() not in " ".join(detail.text.casefold().split()):
        return f"{detail.name}: {detail.text}"
    return detail.text


class Gathering:
    """Details being gathered: each text once, with all its sources, as the speaker's who ranks highest."""

    def __init__(self) -> None:
        self._details: dict[str, Detail] = {}
        self._sources: dict[str, dict[int, None]] = {}
        """Of the details that were added more than once, or have several."""

    def note(self, found: Found, seq: int) -> None:
        """Add what was found in an entry."""
        details, several = self._details, self._sources
        for kind, text, name, origin in found:
            known = details.get(text)
            if known is None:
                details[text] = Detail(kind, text, (seq,), origin, name)
                continue
            several.setdefault(text, dict.fromkeys(known.sources))[seq] = None
            if RANKS[origin, kind] < RANKS[known.origin, known.kind]:
                details[text] = Detail(kind, text, known.sources, origin, name or known.name, known.words)

    def add(self, detail: Detail) -> None:
        """Add one that was gathered before."""
        known = self._details.setdefault(detail.text, detail)
        if known is detail and len(detail.sources) < 2:
            return
        self._sources.setdefault(detail.text, dict.fromkeys(known.sources)).update(dict.fromkeys(detail.sources))
        if RANKS[detail.origin, detail.kind] < RANKS[known.origin, known.kind]:
            self._details[detail.text] = replace(
                detail, name=detail.name or known.name, words=detail.words or known.words
            )

    def copy(self) -> "Gathering":
        """One that goes on from here by itself."""
        copied = Gathering()
        copied._details = self._with_sources()
        return copied

    def details(self) -> tuple[Detail, ...]:
        """What was gathered, in the order it first appeared."""
        return tuple(self._with_sources().values())

    def _with_sources(self) -> dict[str, Detail]:
        gathered = dict(self._details)
        for text, sources in self._sources.items():
            gathered[text] = _from_sources(gathered[text], sources)
        return gathered


def merged(earlier: Iterable[Detail], later: Sequence[Detail]) -> tuple[Detail, ...]:
    """Details carried so far and a ledger, which has each once, as one ledger: each once, order kept."""
    first = Gathering()
    for detail in earlier:
        first.add(detail)
    texts = {detail.text for detail in first.details()}
    if not texts:
        return tuple(later)
    others = [detail for detail in later if detail.text not in texts]
    if len(others) < len(later):
        for detail in later:
            if detail.text in texts:
                first.add(detail)
    return (*first.details(), *others)


def _from_sources(detail: Detail, sources: Iterable[int]) -> Detail:
    told = tuple(sources)
    if told == detail.sources:
        return detail
    return Detail(detail.kind, detail.text, told, detail.origin, detail.name, detail.words)
