"""A session in words for a terminal: what is in the context, what is folded, which summaries there are."""

import datetime
from collections.abc import Iterable, Iterator, Sequence

from tui_agent.agent.export.record import Record, Version, counted
from tui_agent.agent.spending import Prices, spending_in_words
from tui_agent.context.spending import UNSPENT
from tui_agent.core.entries import AssistantSaid, Logged, MessageEntry, ToolReturned, UserSaid, said_text
from tui_agent.core.events import Gauge

_PREVIEW = 72
"""Characters of a message that is not shown in full."""


def overview(record: Record, gauge: Gauge, budget: int | None, prices: Prices) -> str:
    """The session: its size, its memory, and its messages by where they stand. What the context holds is in full."""
    sections = [
        _head(record, gauge, budget, prices),
        _section("Pins, in every context word for word", _pins(record)),
        *_summaries(record),
        _section(f"In the context, word for word: {_count(record, 'context')}", _messages(record, "context")),
        _section(f"Folded into the summary: {_count(record, 'folded')}", _messages(record, "folded")),
        _section(f"Rewound, in no context: {_count(record, 'rewound')}", _messages(record, "rewound")),
    ]
    return "\n\n".join(section for section in sections if section)


def local_time(at: str) -> str:
    """A time of the log as the clock on the wall shows it; as it stands when it is none."""
    try:
        moment = datetime.datetime.fromisoformat(at)
    except ValueError:
        return at
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def gauge_in_words(gauge: Gauge) -> str:
    """The gauge in a line: `~1,240 tokens of 8,192 (15%), 3,950 characters, 6 messages`."""
    about = "~" if gauge.estimated else ""
    of = f" of {gauge.window:,} ({gauge.tokens / gauge.window:.0%})" if gauge.window else ", window unknown"
    return f"{about}{gauge.tokens:,} tokens{of}, {gauge.characters:,} characters, {counted(gauge.messages, 'message')}"


def _head(record: Record, gauge: Gauge, budget: int | None, prices: Prices) -> str:
    info = record.info
    facts = {
        "session": f"{info.id}{' (archived)' if info.archived else ''}",
        "directory": info.directory,
        "begun": local_time(info.created),
        "changed": local_time(info.updated),
        "messages": f"{info.messages}, {counted(info.compactions, 'compaction')}",
        "context": gauge_in_words(gauge),
        "forked from": info.parent or "",
    }
    if record.checkpoint.spending != UNSPENT:
        facts["spent"] = spending_in_words(record.checkpoint.spending, budget, prices)
    lines = [f"  {name:<12} {_line(told)}" for name, told in facts.items() if told]
    return "\n".join([_line(record.title), *lines])


def _section(heading: str, lines: Iterable[str]) -> str:
    """A heading with what stands under it; "" when that is nothing."""
    below = list(lines)
    return "\n".join([heading, *below]) if below else ""


def _pins(record: Record) -> Iterator[str]:
    for pin in record.checkpoint.pins:
        yield f"  #{pin.seq:<5} {_line(pin.text)}{f' (from #{pin.source})' if pin.source is not None else ''}"


# ── summaries ────────────────────────────────────────────────────────────────


def _summaries(record: Record) -> Iterator[str]:
    live = record.live
    if live is not None:
        yield _section(_title(live, len(record.versions)), _summary(live))
    others = [version for version in record.versions if version is not live]
    yield _section("Other summaries", (f"  {_title(version, len(record.versions))}" for version in others))


def _title(version: Version, count: int) -> str:
    made = version.made
    return (
        f"Summary {version.number} of {count} ({version.state}): {counted(made.folded, 'message')} up to #{made.upto}, "
        f"{made.before.tokens:,} -> {made.after.tokens:,} tokens, {_line(made.model) or 'an extract'}, "
        f"{local_time(version.at)}"
    )


def _summary(version: Version) -> Iterator[str]:
    if not version.made.items:
        yield from _indented(version.made.text)
    section = ""
    for item in version.made.items:
        if item.section != section:
            section = item.section
            yield f"  {_line(section)}"
        sources = ", ".join(f"#{seq}" for seq in item.sources)
        yield from _indented(f"- {item.text}{f' ({sources})' if sources else ''}", "    ")
    if version.details:
        yield "  kept word for word"
    for detail in version.details:
        yield f"    - {detail.kind}: {_line(detail.text)}"


# ── messages ─────────────────────────────────────────────────────────────────


def _of(record: Record, place: str) -> Sequence[Logged]:
    return [each for each in record.entries if isinstance(each.entry, MessageEntry) and record.place(each.seq) == place]


def _count(record: Record, place: str) -> str:
    return counted(len(_of(record, place)), "message")


def _messages(record: Record, place: str) -> Iterator[str]:
    for logged in _of(record, place):
        head = f"  #{logged.seq:<5} {_speaker(logged):<6}"
        if place == "context":
            yield f"{head} {local_time(logged.at)}"
            yield from _indented(_text(logged), "    ")
        else:
            line = _line(_text(logged))
            yield f"{head} {line if len(line) <= _PREVIEW else line[: _PREVIEW - 1] + '…'}"


def _speaker(logged: Logged) -> str:
    match logged.entry:
        case UserSaid():
            return "you"
        case ToolReturned():
            return "tool"
        case _:
            return "agent"


def _text(logged: Logged) -> str:
    entry = logged.entry
    calls = entry.tool_calls if isinstance(entry, AssistantSaid) else ()
    return "\n".join([*filter(None, [said_text(entry)]), *(f"calls {call.name} {call.arguments}" for call in calls)])


def _indented(text: str, margin: str = "  ") -> Iterator[str]:
    yield from (f"{margin}{line}".rstrip() for line in text.splitlines())


def _line(text: str) -> str:
    return " ".join(text.split())
