"""Making many items fewer when they outgrow their share of the window, without losing anything exact."""

from collections.abc import Callable, Sequence

from tui_agent.context.ledger import details_in, lost
from tui_agent.context.provenance import inherited
from tui_agent.context.summary_items import render, standing
from tui_agent.context.summary_language import language_of_items
from tui_agent.context.summary_parsing import parse_items
from tui_agent.context.summary_prompt import defused
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.context.words import overlap, salient
from tui_agent.core.entries import Item
from tui_agent.core.messages import Message
from tui_agent.errors import SummaryRejected
from tui_agent.language import _, ngettext

_TOLD_FROM = 0.5
_TOLD_SHARE = 0.5
"""Half the words of half the old statements have to be told: the rest may have ceased to matter."""

_LASTING = frozenset({"rules", "goals"})

_REQUEST: dict[str, tuple[str, str]] = {
    "en": (
        "You shorten a list of notes without losing a name, path, command, number or rule.",
        "Merge notes that say the same and drop what no longer matters. Copy every name, path, command, number and "
        'rule exactly. One note per line, each starting with "- ", under the same headings. Keep it under {room} '
        "tokens. The shorter list:",
    ),
    "zh": (
        "你把一份笔记列表缩短，但不丢失任何名称、路径、命令、数字或规则。",
        "合并意思相同的条目，去掉不再重要的内容。名称、路径、命令、数字和规则必须原样照抄。"
        "每行一条，以“- ”开头，沿用原来的标题。"
        "不超过 {room} 个 token。缩短后的列表：",
    ),
}


def consolidation_request(items: Sequence[Item], room: int) -> tuple[Message, ...]:
    """A request to merge the standing items into fewer, within about `room` tokens."""
    role, instruction = _REQUEST["zh" if language_of_items(items) == "zh" else "en"]
    record = f"<record>\n{defused(render(items))}\n</record>"
    return (Message("system", role), Message("user", f"{record}\n\n{instruction.format(room=room)}"))


def consolidated(old_items: Sequence[Item], text: str, first_id: int) -> tuple[Item, ...]:
    """The items of an accepted consolidation; they replace `old_items` as a whole, and none names one in `supersedes`.

    Raises:
        SummaryRejected: an exact detail of the old items is missing, or the list did not get shorter.
    """
    old, old_text = standing(old_items), render(old_items)
    new_items = parse_items(text, (), (), first_id)
    new_text = render(new_items)
    missing = lost(details_in(old_text), new_text)
    if missing:
        raise SummaryRejected(
            ngettext(
                "The shorter summary lost {n} exact detail, {text!r}.",
                "The shorter summary lost {n} exact details, {text!r} among them.",
                len(missing),
            ).format(n=len(missing), text=missing[0].text),
            _("The longer one stays."),
        )
    words = salient(new_text)
    told = sum(overlap(salient(item.text), words) >= _TOLD_FROM for item in old)
    if told < _TOLD_SHARE * len(old):
        raise SummaryRejected(
            _("The shorter summary leaves out most of what the longer one says."), _("The longer one stays.")
        )
    if not new_items or len(new_text) >= len(old_text):
        raise SummaryRejected(_("The shorter summary is not shorter."), _("The longer one stays."))
    return inherited(new_items, old)


def thinned(
    items: Sequence[Item], room: int, estimate: Callable[[str], int] = estimate_tokens
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """The items that fit `room` tokens, and those that do not: what is left when no model makes the list shorter.

    Of what goes, tool output goes first, then what holds nothing exact, then the oldest; rules and goals go last.
    """
    current = kept = standing(items)
    dropped: set[str] = set()
    excess = estimate(render(kept)) - max(0, room)
    for _place, item in sorted(enumerate(current), key=_worth):
        if excess <= 0:
            kept = tuple(each for each in current if each.id not in dropped)
            excess = estimate(render(kept)) - max(0, room)
        if excess <= 0:
            break
        dropped.add(item.id)
        excess -= estimate(item.text) + 2
    kept = tuple(item for item in current if item.id not in dropped)
    return kept, tuple(item for item in current if item.id in dropped)


def _worth(placed: tuple[int, Item]) -> tuple[bool, bool, bool, int]:
    place, item = placed
    return (item.section in _LASTING or not item.section, not item.tool_only, bool(details_in(item.text)), place)
