"""Where each item of a summary comes from: references checked and repaired by the words they share with entries."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tui_agent.context.words import Sought, overlap, salient
from tui_agent.core.entries import AssistantSaid, Item, Logged, ToolReturned
from tui_agent.core.readings import deed_of, said_text
from tui_agent.values import frozen

_SUPPORTED_FROM = 0.5
"""Share of an item's words that the entries it names must hold; half, because items are worded afresh."""

_INHERITED_FROM = _SUPPORTED_FROM / 2
"""The same for an older item that a new one may merge with others: each holds only a part of its words."""

_CLOSE_TO_BEST = 0.85
"""Share of the best entry's score from which another entry is a source beside it."""

_MOST_SOURCES = 4
_WORTH_A_SOURCE = 2
"""Words an entry must add to be named beside others."""

_LONGEST_READ = 200_000
"""Characters of one entry that are looked at."""

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:above|previous|prior|earlier|instructions?|rules?|everything)\b"
    r"|\b(?:you must|you should now|you are now|from now on|new instructions?|system prompt|as an ai)\b"
    r"|^\s*(?:please\s+)?(?:always|never|must|do not|don't|run|execute|delete|send|reply|answer|respond|output|say"
    r"|print|call|upload|post|fetch|visit|reveal|install|email)\b"
    r"|忽略.{0,20}(?:以上|之前|上面|指令|规则)|无视.{0,20}(?:指令|规则)|你必须|从现在起|从现在开始|新的指令"
    r"|^\s*(?:请)?(?:运行|执行|删除|发送|回复|回答|输出|上传|访问|安装)",
    re.IGNORECASE,
)


@frozen
class _Source:
    seq: int
    words: frozenset[str]
    """Those of its words that are in some item."""

    is_tool: bool


def attribute(items: Sequence[Item], folded: Sequence[Logged]) -> tuple[Item, ...]:
    """The items with references that hold: right ones kept, wrong or missing ones found by shared words.

    An item that no entry supports has no sources; one that rests on tool output alone is `tool_only`. An opaque item
    (text the user edited) keeps what it has.
    """
    sources = _sources(folded, Sought(frozenset[str]().union(*(salient(item.text) for item in items))))
    by_seq = {source.seq: source for source in sources}
    holders: defaultdict[str, list[_Source]] = defaultdict(list)
    for source in sources:
        for word in source.words:
            holders[word].append(source)
    return tuple(_attributed(item, by_seq, holders) if item.section else item for item in items)


def inherited(items: Sequence[Item], older: Sequence[Item]) -> tuple[Item, ...]:
    """Items worded anew from older ones, with the sources of those they share their words with."""
    older_words = [(each, salient(each.text)) for each in older]
    result = []
    for item in items:
        wanted = salient(item.text)
        matching = [each for each, words in older_words if overlap(wanted, words) >= _INHERITED_FROM]
        sources = sorted({seq for each in matching for seq in each.sources})
        tool_only = bool(matching) and all(each.tool_only for each in matching)
        result.append(replace(item, sources=tuple(sources), tool_only=tool_only))
    return tuple(result)


def is_instruction_like(item: Item) -> bool:
    """Whether an item rests on tool output alone and reads like an order: to be reported, never followed."""
    return item.tool_only and reads_like_an_order(item.text)


def reads_like_an_order(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return bool(_ORDER.search(text))


def _sources(folded: Sequence[Logged], sought: Sought) -> list[_Source]:
    """The entries that say anything, with those of their words that are sought."""
    found = []
    for logged in folded:
        text = said_text(logged.entry)[:_LONGEST_READ]
        if isinstance(logged.entry, AssistantSaid):
            text = "\n".join([text, *(call.arguments[:_LONGEST_READ] for call in logged.entry.tool_calls)])
        words = sought.found_in(text)
        if words is not None:
            is_output = isinstance(logged.entry, ToolReturned) or deed_of(logged.entry) is not None
            found.append(_Source(logged.seq, words, is_output))
    return found


def _attributed(item: Item, by_seq: dict[int, _Source], holders: dict[str, list[_Source]]) -> Item:
    wanted = salient(item.text)
    named = [by_seq[seq] for seq in item.sources if seq in by_seq]
    held = overlap(wanted, _words(named))
    chosen = named if named and held >= _SUPPORTED_FROM else _best(wanted, holders)
    return replace(
        item,
        sources=tuple(sorted(source.seq for source in chosen)),
        tool_only=bool(chosen) and all(source.is_tool for source in chosen),
    )


def _best(wanted: frozenset[str], holders: dict[str, list[_Source]]) -> list[_Source]:
    """The entries that hold most of the wanted words, rare words counting more; none when too few are held."""
    scores: defaultdict[int, float] = defaultdict(float)
    counts: defaultdict[int, int] = defaultdict(int)
    candidates: dict[int, _Source] = {}
    for word in wanted:
        sources = holders.get(word, [])
        for source in sources:
            candidates[source.seq] = source
            scores[source.seq] += 1 / len(sources)
            counts[source.seq] += 1
    supported = [seq for seq in candidates if counts[seq] / len(wanted) >= _SUPPORTED_FROM]
    best = max((scores[seq] for seq in supported), default=0.0)
    ranked = sorted(supported, key=lambda seq: (candidates[seq].is_tool, -scores[seq], seq))
    near = [candidates[seq] for seq in ranked if scores[seq] >= best * _CLOSE_TO_BEST][:_MOST_SOURCES]
    by_score = sorted(candidates.values(), key=lambda source: (-scores[source.seq], source.seq))
    chosen = _completed(wanted, near, by_score)
    return chosen if overlap(wanted, _words(chosen)) >= _SUPPORTED_FROM else []


def _completed(wanted: frozenset[str], chosen: list[_Source], candidates: Sequence[_Source]) -> list[_Source]:
    """The chosen entries and those that hold more of the wanted words: an item may join what two entries said."""
    completed = list(chosen)
    held = _words(chosen) & wanted
    for source in candidates:
        if len(completed) >= _MOST_SOURCES:
            break
        gained = (source.words & wanted) - held
        if len(gained) >= _WORTH_A_SOURCE or (gained and not completed):
            completed.append(source)
            held |= gained
    return completed


def _words(sources: Iterable[_Source]) -> frozenset[str]:
    return frozenset[str]().union(*(source.words for source in sources))
