"""What leaves a summary when another is made: what is given anew or pinned, and what finds no room; nothing unseen."""

from collections.abc import Sequence

from tui_agent.context.ledger import details_in, lost, merged, supersede
from tui_agent.context.summary_consolidation import thinned
from tui_agent.context.summary_items import render
from tui_agent.context.summary_outdated import outdated
from tui_agent.context.tokens import estimate
from tui_agent.context.words import salient
from tui_agent.core.entries import Detail, Item, Origin

OUTGROWN = 2
"""How many times their share items may take that nothing can make shorter; beyond that, some go."""


def details_now(items: Sequence[Item], details: Sequence[Detail]) -> tuple[Detail, ...]:
    """The exact details that hold, those in the standing `items` among them: a new summary may lose these too.

    In an item it cannot be told who stated them, so they never replace what the user stated.
    """
    return supersede(merged([detail for item in items for detail in _details_of(item)], details))


def as_carried(details: Sequence[Detail], items: Sequence[Item]) -> tuple[Detail, ...]:
    """Lost details, those that stood in the summary as if the user had stated them: the context held them so far."""
    held = {detail.text for item in items if not item.tool_only for detail in _details_of(item)}
    if not held:
        return tuple(details)
    return tuple(
        Detail(each.kind, each.text, each.sources, "user", each.name, each.words) if each.text in held else each
        for each in details
    )


def still_true(
    old: Sequence[Item], new: Sequence[Item], details: Sequence[Detail], pins: Sequence[str] = ()
) -> tuple[Item, ...]:
    """Standing items and new ones, without those that are replaced, whose value was given anew, or that a pin says.

    `details` are those that hold, as `ledger.supersede` leaves them.
    """
    replaced = {each for item in new for each in item.supersedes} | set(outdated((*old, *new), details))
    current = tuple(item for item in (*old, *new) if item.id not in replaced)
    return tuple(item for item in current if not _is_pinned(item, pins)) or current


def within(items: Sequence[Item], room: int) -> tuple[tuple[Item, ...], tuple[Detail, ...]]:
    """The items as far as they may go beyond their `room`, and each that has to go as a detail for the loss report."""
    if estimate(render(items)) <= OUTGROWN * room:
        return tuple(items), ()
    kept, dropped = thinned(items, OUTGROWN * room)
    if not kept:
        return tuple(items), ()
    return kept, tuple(
        Detail("quoted", item.text, item.sources, "tool" if item.tool_only else "assistant") for item in dropped
    )


def _is_pinned(item: Item, pins: Sequence[str]) -> bool:
    """Whether a pin says all that an item says: pins stand in every context already. The user's own text stays."""
    words = salient(item.text)
    return bool(item.section and words) and any(
        words <= salient(pin) and not lost(details_in(item.text), pin) for pin in pins
    )


def _details_of(item: Item) -> list[Detail]:
    origin: Origin = "tool" if item.tool_only else "assistant"
    return [Detail(each.kind, each.text, item.sources, origin, each.name) for each in details_in(item.text)]
