"""A session in words for a terminal: what is in the context, what is folded, which summaries there are."""

import datetime
from collections.abc import Iterable, Iterator, Sequence

from tui_agent.agent.export.record import Record, Version, counted
from tui_agent.agent.spending import Prices, spending_in_words
from tui_agent.context.spending import UNSPENT
from tui_agent.context.summary_language import SECTIONS
from tui_agent.core.columns import padded
from tui_agent.core.entries import AssistantSaid, Logged, MessageEntry, ToolCall, ToolReturned, UserSaid
from tui_agent.core.events import Gauge
from tui_agent.core.readings import by_section, kind_word, said_text
from tui_agent.language import N_, _

_STATES = (N_("live"), N_("part of the live one"), N_("replaced"), N_("taken back"), N_("rewound"))
"""What may have become of a summary."""

_PREVIEW = 72
"""Characters of a message that is not shown in full."""


def overview(record: Record, gauge: Gauge, budget: int | None, prices: Prices) -> str:
    """The session: its size, its memory, and its messages by where they stand. What the context holds is in full."""
    sections = [
        _head(record, gauge, budget, prices),
        _section(_("Pins, in every context word for word"), _pins(record)),
        *_summaries(record),
        _section(
            _("In the context, word for word: {n}").format(n=_count(record, "context")), _messages(record, "context")
        ),
        _section(_("Folded into the summary: {n}").format(n=_count(record, "folded")), _messages(record, "folded")),
        _section(_("Rewound, in no context: {n}").format(n=_count(record, "rewound")), _messages(record, "rewound")),
    ]
    return "\n\n".join(section for section in sections if section)


def local_time(at: str) -> str:
    """A time of the log as the clock on the wall shows it; as it stands when it is none."""
    try:
        moment = datetime.datetime.fromisoformat(at)
    except ValueError:
        return at
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def _gauge_in_words(gauge: Gauge) -> str:
    """The gauge in a line: `~1,240 tokens of 8,192 (15%), 3,950 characters, 6 messages`."""
    about = "~" if gauge.estimated else ""
    share = gauge.tokens / gauge.window if gauge.window else 0.0
    of = _(" of {window:,} ({share:.0%})").format(window=gauge.window, share=share) if gauge.window else ""
    return _("{about}{tokens:,} tokens{of}, {characters:,} characters, {messages}").format(
        about=about,
        tokens=gauge.tokens,
        of=of or _(", window unknown"),
        characters=gauge.characters,
        messages=counted(gauge.messages, "message"),
    )


def _head(record: Record, gauge: Gauge, budget: int | None, prices: Prices) -> str:
    info = record.info
    facts = {
        N_("session"): info.id + (_(" (archived)") if info.archived else ""),
        N_("directory"): info.directory,
        N_("begun"): local_time(info.created),
        N_("changed"): local_time(info.updated),
        N_("messages"): f"{info.messages}, {counted(info.compactions, 'compaction')}",
        N_("context"): _gauge_in_words(gauge),
        N_("forked from"): info.parent or "",
    }
    if record.checkpoint.spending != UNSPENT:
        facts[N_("spent")] = spending_in_words(record.checkpoint.spending, budget, prices)
    lines = [f"  {padded(_(name), 12)} {_line(told)}" for name, told in facts.items() if told]
    return "\n".join([_line(record.title), *lines])


def _section(heading: str, lines: Iterable[str]) -> str:
    """A heading with what stands under it; "" when that is nothing."""
    below = list(lines)
    return "\n".join([heading, *below]) if below else ""


def _pins(record: Record) -> Iterator[str]:
    for pin in record.checkpoint.pins:
        source = _(" (from #{seq})").format(seq=pin.source) if pin.source is not None else ""
        yield f"  #{pin.seq:<5} {_line(pin.text)}{source}"


# ── summaries ────────────────────────────────────────────────────────────────


def _summaries(record: Record) -> Iterator[str]:
    live = record.live
    if live is not None:
        yield _section(_title(live, len(record.versions)), _summary(live))
    others = [version for version in record.versions if version is not live]
    yield _section(_("Other summaries"), (f"  {_title(version, len(record.versions))}" for version in others))


def _title(version: Version, count: int) -> str:
    made = version.made
    return _(
        "Summary {number} of {count} ({state}): {messages} up to #{upto}, {before:,} -> {after:,} tokens, {model}, {at}"
    ).format(
        number=version.number,
        count=count,
        state=_(version.state),
        messages=counted(made.folded, "message"),
        upto=made.upto,
        before=made.before.tokens,
        after=made.after.tokens,
        model=_line(made.model) or _("an extract"),
        at=local_time(version.at),
    )


def _summary(version: Version) -> Iterator[str]:
    if not version.made.items:
        yield from _indented(version.made.text)
    for section, items in by_section(version.made.items, SECTIONS):
        if section:
            yield f"  {_line(section)}"
        for item in items:
            sources = ", ".join(f"#{seq}" for seq in item.sources)
            yield from _indented(f"- {item.text}{f' ({sources})' if sources else ''}", "    ")
    if version.details:
        yield "  " + _("kept word for word")
    for detail in version.details:
        yield f"    - {kind_word(detail.kind)}: {_line(detail.text)}"


# ── messages ─────────────────────────────────────────────────────────────────


def _of(record: Record, place: str) -> Sequence[Logged]:
    return [each for each in record.entries if isinstance(each.entry, MessageEntry) and record.place(each.seq) == place]


def _count(record: Record, place: str) -> str:
    return counted(len(_of(record, place)), "message")


def _messages(record: Record, place: str) -> Iterator[str]:
    for logged in _of(record, place):
        head = f"  #{logged.seq:<5} {padded(_speaker(logged), 6)}"
        if place == "context":
            yield f"{head} {local_time(logged.at)}"
            yield from _indented(_text(logged), "    ")
        else:
            line = _line(_text(logged))
            yield f"{head} {line if len(line) <= _PREVIEW else line[: _PREVIEW - 1] + '…'}"


def _speaker(logged: Logged) -> str:
    match logged.entry:
        case UserSaid():
            return _("you")
        case ToolReturned():
            return _("tool")
        case _:
            return _("agent")


def _text(logged: Logged) -> str:
    entry = logged.entry
    calls = entry.tool_calls if isinstance(entry, AssistantSaid) else ()
    return "\n".join([*filter(None, [said_text(entry)]), *(_called(call) for call in calls)])


def _called(call: ToolCall) -> str:
    return _("calls {name} {arguments}").format(name=call.name, arguments=call.arguments)


def _indented(text: str, margin: str = "  ") -> Iterator[str]:
    yield from (f"{margin}{line}".rstrip() for line in text.splitlines())


def _line(text: str) -> str:
    return " ".join(text.split())
