"""A summary made without a model, from the messages' own words, and labelled as such."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tui_agent.context.ledger import lost, without_contained
from tui_agent.context.summary_items import next_id
from tui_agent.context.summary_language import WORDINGS, language_of
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.context.words import squeezed
from tui_agent.core.deeds import deed_line
from tui_agent.core.entries import AssistantSaid, Detail, DetailKind, Item, Logged, UserSaid
from tui_agent.core.readings import deed_of, said_text

EXTRACT_ROOM = 1_500
"""Tokens an extract may take when the caller names no other number."""

_FIRST_LINE = 160
_LABELS = frozenset(wording.extract_label for wording in WORDINGS.values())
_SECTION_OF: dict[DetailKind, str] = {"rule": "rules", "path": "files", "command": "files"}
"""Where details of a kind stand; all others are findings."""


def extract(
    folded: Sequence[Logged],
    details: Sequence[Detail],
    before: Sequence[Item] = (),
    *,
    room: int = EXTRACT_ROOM,
    estimate: Callable[[str], int] = estimate_tokens,
) -> tuple[Item, ...]:
    """First lines of the user's messages, then the exact details that neither these nor the items from `before` hold.

    Nothing is said twice, and the label of an earlier extract is replaced. Details come in the order given (heaviest
    first if the caller sorted them); what does not fit `room` is left out, of the first lines the oldest.
    """
    details_room = room // 2
    some = _fitting(list(map(_fact, details)), details_room, estimate)
    lines = _fitting(_first_lines(folded, before)[::-1], room - _size(some, estimate), estimate)[::-1]
    lacking = without_contained(lost(details, "\n".join(item.text for item in (*before, *lines))))
    facts = _fitting(_once(map(_fact, lacking)), min(details_room, room - _size(lines, estimate)), estimate)
    made = (_label(folded, lines, before), *lines, *facts)
    return tuple(replace(item, id=f"i{number}") for number, item in enumerate(made, next_id(before)))


def _label(folded: Sequence[Logged], lines: Sequence[Item], before: Sequence[Item]) -> Item:
    earlier = [item for item in before if item.text in _LABELS]
    sources = {seq for item in (*earlier, *lines) for seq in item.sources}
    replaced = tuple(item.id for item in earlier)
    return Item("", "", WORDINGS[language_of(folded)].extract_label, tuple(sorted(sources)), supersedes=replaced)


def _fact(detail: Detail) -> Item:
    section = _SECTION_OF.get(detail.kind, "findings")
    return Item("", section, detail.text, detail.sources, tool_only=detail.origin == "tool")


def _first_lines(folded: Sequence[Logged], before: Sequence[Item]) -> list[Item]:
    """The first line of each message, those that came more than once at the place of the last."""
    known = {squeezed(item.text) for item in before}
    lines: dict[str, Item] = {}
    kind = UserSaid if any(isinstance(logged.entry, UserSaid) for logged in folded) else AssistantSaid
    for logged in folded:
        deed = deed_of(logged.entry)
        words = said_text(logged.entry).strip() if isinstance(logged.entry, kind) else ""
        words = deed_line(deed) if deed is not None else words
        if not words:
            continue
        line = _cut(words.splitlines()[0].strip())
        if (form := squeezed(line)) not in known:
            earlier = lines.pop(form).sources if form in lines else ()
            lines[form] = Item("", "goals", line, (*earlier, logged.seq))
    return list(lines.values())


def _cut(line: str) -> str:
    return line if len(line) <= _FIRST_LINE else f"{line[: _FIRST_LINE - 1]}…"


def _once(items: Iterable[Item]) -> list[Item]:
    """Of items that say the same the first."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(squeezed(item.text), item)
    return list(first.values())


def _size(items: Sequence[Item], estimate: Callable[[str], int]) -> int:
    return sum(estimate(item.text) for item in items)


def _fitting(items: Sequence[Item], room: int, estimate: Callable[[str], int]) -> list[Item]:
    """Items from the beginning that take no more than the room, at least one."""
    kept: list[Item] = []
    for item in items:
        room -= estimate(item.text)
        if room < 0 and kept:
            break
        kept.append(item)
    return kept
