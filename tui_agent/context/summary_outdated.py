"""Which standing items state a value that a later statement has replaced."""

from collections.abc import Sequence

from tui_agent.context.ledger import details_in, lost, supersede
from tui_agent.context.ledger_named import value_of
from tui_agent.context.words import overlap, salient
from tui_agent.core.entries import Detail, Item

_SAME_THING_FROM = 0.5


def outdated(items: Sequence[Item], details: Sequence[Detail]) -> tuple[str, ...]:
    """Ids of the items that state nothing but a value which `details`, or a later item, gives anew.

    `details` are those that hold, as `ledger.supersede` leaves them.
    An item that holds anything exact besides is never outdated: dropping it would lose that.
    """
    stated = [(item, _stated(item)) for item in items if item.section]
    if not any(values for _, values in stated):
        return ()
    newest = [(each, salient(each.name)) for each in details if each.kind == "named value" and each.name]
    found = []
    for index, (item, values) in enumerate(stated):
        others = (detail for _, later_values in stated[index + 1 :] for detail in later_values)
        later = [*newest, *((detail, salient(detail.name)) for detail in others)]
        if values and all(_is_replaced(value, item, later) for value in values) and not _holds_more(item, values):
            found.append(item.id)
    return tuple(found)


def _stated(item: Item) -> list[Detail]:
    return [detail for detail in details_in(item.text) if detail.kind == "named value" and detail.name]


def _is_replaced(stated: Detail, item: Item, later: Sequence[tuple[Detail, frozenset[str]]]) -> bool:
    """Whether one of the later statements, each with the words of its name, gives the same thing another value."""
    since = max(item.sources, default=0)
    name = salient(stated.name)
    for detail, words in later:
        newer = not detail.sources or max(detail.sources) > since
        if newer and overlap(name, words) >= _SAME_THING_FROM and supersede((stated, detail)) == (detail,):
            return value_of(detail.text) != value_of(stated.text)
    return False


def _holds_more(item: Item, values: Sequence[Detail]) -> bool:
    covered = "\n".join(value.text for value in values)
    return bool(lost(details_in(item.text), covered))
