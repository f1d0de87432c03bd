"""The ledger: exact details taken from entries word for word, and which of them a text has lost.

Mechanical on purpose: a summary written by a model keeps conclusions and loses paths, numbers and commands. This must
never paraphrase, and must stay linear in the size of what it reads.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from tui_agent.context.gathering import ORIGINS, RANKS, Gathering, line, merged
from tui_agent.context.ledger_compare import lost
from tui_agent.context.ledger_corrections import INSTEAD_OF
from tui_agent.context.ledger_found import found_in, spans_of
from tui_agent.context.ledger_named import is_loose, is_marked, value_of
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.core.entries import Detail, DetailKind, Found, Logged

_LASTING: frozenset[DetailKind] = frozenset({"rule", "request"})
_STATEMENTS: frozenset[DetailKind] = frozenset({"rule", "named value", "request"})
_PHRASES: frozenset[DetailKind] = frozenset({"command", "error"})
_LONGEST_COMPARED = 200_000
"""Characters of details that others are looked for in; a ledger beyond that overflows any budget anyway."""

MOST_NAMED = 200
"""Details left out that are recorded with a compaction, the weightiest of them, for the panel to put back."""

_LINE_TOKENS = 2
"""What a line takes besides its words."""

_BULK = 16
"""More details than this of one entry are a paste, not something said; the budget drops them before what was said."""

_ABOVE_ANY_ENTRY = 1 << 62
"""What no sequence number reaches: a rank and the newest source make one number, which sorts faster than a pair."""

_DIGITS = re.compile(r"\d+")
_SERIES = 12
"""Messages in which details that differ by a number alone must stand to count as a numbered series."""


# ── collecting ───────────────────────────────────────────────────────────────


def details_of(entries: Sequence[Logged], known: Mapping[int, Found] = MappingProxyType({})) -> tuple[Detail, ...]:
    """The exact details in what users, assistants and tools said, once each, in the order they first appeared.

    A detail that several said belongs to the one who outranks the others: user, then assistant, then tool.
    `known` holds what was found in entries before, by their sequence numbers; the others are searched now.
    """
    details = Gathering()
    for logged in entries:
        found = known.get(logged.seq)
        details.note(found_in(logged.entry) if found is None else found, logged.seq)
    return details.details()


@lru_cache(maxsize=512)  # the items of a summary are asked several times in making the next
def details_in(text: str) -> tuple[Detail, ...]:
    """The exact details of a text that is no entry (an older summary, a pin), without sources."""
    details = Gathering()
    for span in spans_of(text, "user"):
        details.add(Detail(span.kind, span.text, (), "user", span.name))
    return details.details()


# ── what a text lacks ────────────────────────────────────────────────────────


def left_out(missing: Sequence[Detail], carried: Sequence[Detail]) -> tuple[Detail, ...]:
    """Of the details that a summary lacks, those that no carried line holds either, heaviest first.

    What a preview, a panel and a record name as left out is this, so that they agree.
    """
    texts = {detail.text for detail in carried}
    others = [detail for detail in missing if detail.text not in texts]
    return tuple(sorted(lost(others, "\n".join(map(line, carried))), key=weight))


def weight(detail: Detail) -> int:
    """A key that sorts details by how much their loss would hurt, heaviest first; newest first among equals."""
    return RANKS[detail.origin, detail.kind] * _ABOVE_ANY_ENTRY - _newest(detail)


# ── what is carried ──────────────────────────────────────────────────────────


def supersede(details: Sequence[Detail]) -> tuple[Detail, ...]:
    """The details that still hold: of values with the same name the last one, of corrections the new value.

    Other details that only repeat a replaced value go with it. Rules never go.
    """
    current, gone = list(details), set[int]()
    by_name: dict[str, int] = {}
    names: dict[str, str] = {}
    replaced: dict[str, int] = {}
    stated = [index for index, each in enumerate(details) if each.kind == "named value"]
    for said, index in sorted((_newest(details[index]), index) for index in stated if details[index].name):
        detail = current[index]
        if detail.name.startswith(INSTEAD_OF):
            replaced[_old_value(detail)] = said
            detail = replace(detail, name=names.get(_old_value(detail).casefold(), detail.name))
            current[index] = detail
        before = by_name.get(detail.name)
        if before is not None and before not in gone and _replaces(detail, current[before]):
            gone.add(before)
            replaced[value_of(current[before].text)] = said
        if not (before is not None and before not in gone and is_loose(detail.name)):
            by_name[detail.name] = index
        names[value_of(detail.text).casefold()] = detail.name
    if not replaced:
        return tuple(current)
    values = {value_of(current[index].text) for index in stated if index not in gone}
    return tuple(
        each
        for index, each in enumerate(current)
        if index not in gone and (each.text not in replaced or not _only_repeats(each, replaced, values))
    )


def _newest(detail: Detail) -> int:
    """The last entry that states it; 0 for none."""
    sources = detail.sources
    return max(sources) if len(sources) > 1 else sources[0] if sources else 0


def _oldest(detail: Detail) -> int:
    """The first entry that states it; 0 for none."""
    return min(detail.sources, default=0)


def _old_value(correction: Detail) -> str:
    """What a correction that was stated without a name replaces."""
    return correction.name.removeprefix(INSTEAD_OF)


def _replaces(later: Detail, earlier: Detail) -> bool:
    if value_of(later.text) == value_of(earlier.text) or ORIGINS[later.origin] > ORIGINS[earlier.origin]:
        return False
    return not is_loose(later.name) or is_marked(later.text)


def _only_repeats(detail: Detail, replaced: dict[str, int], values: set[str]) -> bool:
    """Whether a detail is nothing but a replaced value, not mentioned since it was replaced."""
    if detail.text in values or detail.kind in _STATEMENTS:
        return False
    return _newest(detail) <= replaced[detail.text]


def carry(
    details: Sequence[Detail], budget_tokens: int, estimate: Callable[[str], int] = estimate_tokens
) -> tuple[tuple[Detail, ...], tuple[Detail, ...]]:
    """Of lost details, those to carry verbatim and those that do not fit: what users stated, and their rules.

    Over the budget the oldest go first that are no rules (of those, first what came in a paste), then the oldest rules.
    What another carried detail holds word for word is not carried twice, and a long numbered series not at all.
    """
    stated = without_contained([detail for detail in details if detail.origin == "user"])
    dropped = _series(stated)
    if most_tokens(stated, estimate) > budget_tokens:
        dropped |= _too_many(stated, dropped, budget_tokens, estimate)
    carried = tuple(detail for detail in stated if id(detail) not in dropped)
    return carried, tuple(detail for detail in stated if id(detail) in dropped)


def most_tokens(details: Sequence[Detail], estimate: Callable[[str], int] = estimate_tokens) -> int:
    """Tokens that these take as lines, at most: counted together, for apart each takes at most one more."""
    return estimate("\n".join(map(line, details))) + (1 + _LINE_TOKENS) * len(details)


def _too_many(
    details: Sequence[Detail], without: set[int], budget_tokens: int, estimate: Callable[[str], int]
) -> set[int]:
    """Ids of the details that have to go for the others to fit the budget, those that go anyway apart."""
    costs = {id(detail): estimate(line(detail)) + _LINE_TOKENS for detail in details if id(detail) not in without}
    excess = sum(costs.values()) - max(0, budget_tokens)
    dropped = set[int]()
    for detail in sorted(details, key=_drop_order(details)) if excess > 0 else ():
        if excess <= 0:
            break
        if id(detail) in costs:
            dropped.add(id(detail))
            excess -= costs[id(detail)]
    return dropped


def _series(details: Sequence[Detail]) -> set[int]:
    """Ids of details that differ by a number alone and come in many messages: labels counted up, not facts stated."""
    members: dict[str, list[Detail]] = {}
    for detail in details:
        if detail.kind in _STATEMENTS or not _DIGITS.search(detail.text):
            continue
        if (shape := _DIGITS.sub("#", detail.text)) != "#":
            members.setdefault(shape, []).append(detail)
    return {
        id(detail)
        for group in members.values()
        if len(group) >= _SERIES and len({_oldest(each) for each in group}) >= _SERIES
        for detail in group
    }


def _drop_order(details: Sequence[Detail]) -> Callable[[Detail], tuple[bool, bool, int]]:
    counts = Counter(_oldest(detail) for detail in details if detail.kind not in _STATEMENTS)

    def order(detail: Detail) -> tuple[bool, bool, int]:
        is_bulk = detail.kind not in _STATEMENTS and counts[_oldest(detail)] > _BULK
        return (detail.kind in _LASTING, not is_bulk, _newest(detail))

    return order


def without_contained(details: Sequence[Detail]) -> list[Detail]:
    """The details that no other one holds word for word: the command in "the start command is ..." goes with it."""
    statements = "\n".join(detail.text for detail in details if detail.kind in _STATEMENTS)
    phrases = "\n".join(detail.text for detail in details if detail.kind in _PHRASES)
    if len(statements) + len(phrases) > _LONGEST_COMPARED:
        return list(details)
    apart = lost((each for each in details if each.kind in _PHRASES), statements)
    others = (each for each in details if each.kind not in _PHRASES and each.kind not in _STATEMENTS)
    apart += lost(others, f"{statements}\n{phrases}")
    ids = set(map(id, apart))
    return [detail for detail in details if detail.kind in _STATEMENTS or id(detail) in ids]


__all__ = [
    "MOST_NAMED",
    "carry",
    "details_in",
    "details_of",
    "left_out",
    "line",
    "lost",
    "merged",
    "most_tokens",
    "supersede",
    "weight",
    "without_contained",
]
