"""The items of a summary: rendered for the context, or extracted without a model."""

import re
from collections.abc import Callable, Iterable, Sequence

from tui_agent.context.summary_language import (
    SECTIONS,
    WORDINGS,
    Wording,
    language_of,
    language_of_items,
)
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.core.deeds import deed_line
from tui_agent.core.entries import AssistantSaid, Detail, Item, Logged, UserSaid
from tui_agent.core.readings import deed_of, said_text

_NUMBER = re.compile(r"\d+")

EXTRACT_ROOM = 1_500
"""Tokens an extract may take when the caller names no other number."""

_FIRST_LINE = 160


def standing(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items that no later one supersedes."""
    superseded = {each for item in items for each in item.supersedes}
    return tuple(item for item in items if item.id not in superseded)


def render(items: Sequence[Item]) -> str:
    """The standing items as they read in the context: under headings, in the language they are written in."""
    return render_in(items, WORDINGS[language_of_items(items)])


def render_in(items: Sequence[Item], wording: Wording) -> str:
    """`render` with given headings; items without section come first, as they are."""
    current = standing(items)
    blocks = [item.text for item in current if item.section not in SECTIONS]
    for section in SECTIONS:
        lines = [f"- {item.text}" for item in current if item.section == section]
        if lines:
            blocks.append("\n".join([f"{wording.headings[section]}:", *lines]))
    return "\n\n".join(blocks)


def opaque(text: str, sources: Iterable[int], item_id: str) -> Item:
    """Text the user edited: one item, byte for byte, without sections."""
    return Item(id=item_id, section="", text=text, sources=tuple(sources))


def next_id(items: Sequence[Item]) -> int:
    """The number after the highest id of `items`; 1 for none."""
    numbers = [int(match.group()) for item in items if (match := _NUMBER.search(item.id))]
    return max(numbers, default=0) + 1


def extract(
    folded: Sequence[Logged],
    details: Sequence[Detail],
    *,
    first_id: int = 1,
    room: int = EXTRACT_ROOM,
    estimate: Callable[[str], int] = estimate_tokens,
) -> tuple[Item, ...]:
    """A summary made without a model, labelled as such: first lines of the user's messages, then exact details.

    Details come in the order given (heaviest first if the caller sorted them); what does not fit `room` is left out,
    of the first lines the oldest.
    """
    wording = WORDINGS[language_of(folded)]
    lines = _first_lines(folded)
    details_room = room // 2
    kept_details = _fitting(tuple((each.sources, each.text) for each in details), details_room, estimate)
    left = room - sum(estimate(text) for _, text in kept_details)
    kept_lines = tuple(reversed(_fitting(tuple(reversed(lines)), left, estimate)))
    covered = tuple(seq for sources, _ in kept_lines for seq in sources)
    drafts = [("", wording.extract_label, covered)]
    drafts += [("goals", text, sources) for sources, text in kept_lines]
    drafts += [("findings", text, sources) for sources, text in kept_details]
    return tuple(
        Item(id=f"i{first_id + index}", section=section, text=text, sources=sources)
        for index, (section, text, sources) in enumerate(drafts)
    )


def _first_lines(folded: Sequence[Logged]) -> tuple[tuple[tuple[int, ...], str], ...]:
    lines: list[tuple[tuple[int, ...], str]] = []
    kinds: tuple[type, ...] = (UserSaid,)
    if not any(isinstance(logged.entry, UserSaid) for logged in folded):
        kinds = (AssistantSaid,)
    for logged in folded:
        deed = deed_of(logged.entry)
        words = said_text(logged.entry).strip() if isinstance(logged.entry, kinds) else ""
        words = deed_line(deed) if deed is not None else words
        if words:
            first = words.splitlines()[0].strip()
            lines.append(((logged.seq,), first if len(first) <= _FIRST_LINE else first[: _FIRST_LINE - 1] + "…"))
    return tuple(lines)


def _fitting(
    candidates: tuple[tuple[tuple[int, ...], str], ...], room: int, estimate: Callable[[str], int]
) -> tuple[tuple[tuple[int, ...], str], ...]:
    kept: list[tuple[tuple[int, ...], str]] = []
    for sources, text in candidates:
        room -= estimate(text)
        if room < 0 and kept:
            break
        kept.append((sources, text))
    return tuple(kept)
