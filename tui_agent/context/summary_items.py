"""The items of a summary: which of them stand, and how they read in the context."""

import re
from collections.abc import Iterable, Sequence

from tui_agent.context.summary_language import SECTIONS, WORDINGS, Wording, language_of_items
from tui_agent.core.entries import Item
from tui_agent.core.readings import by_section

_NUMBER = re.compile(r"\d+")


def standing(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items that no later one supersedes."""
    superseded = {each for item in items for each in item.supersedes}
    return tuple(item for item in items if item.id not in superseded)


def render(items: Sequence[Item]) -> str:
    """The standing items as they read in the context: under headings, in the language they are written in."""
    return render_in(items, WORDINGS[language_of_items(items)])


def render_in(items: Sequence[Item], wording: Wording) -> str:
    """`render` with given headings; items without section come first, as they are."""
    blocks = []
    for section, members in by_section(standing(items), SECTIONS):
        if section in SECTIONS:
            blocks.append("\n".join([f"{wording.headings[section]}:", *(f"- {item.text}" for item in members)]))
        else:
            blocks += [item.text for item in members]
    return "\n\n".join(blocks)


def opaque(text: str, sources: Iterable[int], item_id: str) -> Item:
    """Text the user edited: one item, byte for byte, without sections."""
    return Item(id=item_id, section="", text=text, sources=tuple(sources))


def next_id(items: Sequence[Item]) -> int:
    """The number after the highest id of `items`; 1 for none."""
    numbers = [int(match.group()) for item in items if (match := _NUMBER.search(item.id))]
    return max(numbers, default=0) + 1
