"""A session's record as Markdown: what was said, with each summary where it was made and what it rests on."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from tui_agent.agent.export.record import Record, Version, counted, messages_in
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    Failed,
    Interrupted,
    Item,
    Logged,
    Noticed,
    Pinned,
    SystemPromptSet,
    ToolReturned,
    UserSaid,
    said_text,
)
from tui_agent.core.visible import visible


def to_markdown(record: Record) -> str:
    """The record for reading."""
    info = record.info
    counts = f"{counted(info.messages, 'message')}, {counted(info.compactions, 'compaction')}"
    blocks = [f"# {_line(record.title)}", f"*Session {info.id} · {_line(info.directory)} · {info.created} · {counts}*"]
    blocks += _pins(record)
    versions = {version.seq: version for version in record.versions}
    for place, entries in record.stretches():
        if place == "rewound" and messages_in(entries):
            said = counted(messages_in(entries), "message")
            blocks.append(f"*(Rewound: what was said in the next {said} is out of the context.)*")
        for logged in entries:
            blocks += _block(logged, versions)
        if place == "folded" and record.live is not None and messages_in(entries):
            blocks.append(f"*(The messages up to here are folded: summary {record.live.number} stands for them.)*")
    return "\n\n".join(blocks) + "\n"


def _pins(record: Record) -> Iterator[str]:
    if record.checkpoint.pins:
        yield "**Pinned, in every context word for word**"
        yield "\n".join(f"- {_line(pin.text)}{_from(pin.source)}" for pin in record.checkpoint.pins)


def _block(logged: Logged, versions: dict[int, Version]) -> Iterator[str]:
    head = f"{logged.at} · #{logged.seq}"
    match logged.entry:
        case UserSaid():
            yield f"## you · {head}"
            yield visible(said_text(logged.entry))
        case AssistantSaid(text=text, tool_calls=calls, reasoning=reasoning):
            yield f"## agent · {head}"
            if reasoning is not None and reasoning.text.strip():
                yield _quoted(f"Reasoning:\n{reasoning.text}")
            if text.strip():
                yield visible(text)
            yield from (f"`{_line(call.name)}`\n{_fenced(call.malformed or call.arguments)}" for call in calls)
        case ToolReturned(output=output, name=name, failed=failed):
            yield f"### {_line(name or 'tool')}{' failed' if failed else ''} · {head}"
            yield _fenced(output)
        case SystemPromptSet(text):
            yield f"## system prompt · {head}"
            yield visible(text)
        case Compacted():
            yield from _summary(versions[logged.seq])
        case Pinned(text=text, source=source):
            yield f"*Pinned: {_line(text)}{_from(source)}*"
        case Failed(what, meaning, todo):
            yield f"*{_line(' '.join(part for part in (what, meaning, todo) if part))}*"
        case Noticed(text=text) | Interrupted(reason=text):
            yield f"*{_line(text)}*"
        case _:
            return


def _summary(version: Version) -> Iterator[str]:
    made = version.made
    yield "---"
    origin = f"by {_line(made.model)}" if made.model else "as an extract, without a model"
    folded = f"{counted(made.folded, 'message')} up to #{made.upto}"
    size = f"{made.before.tokens:,} -> {made.after.tokens:,} tokens"
    yield f"**Summary {version.number}** ({version.state}) of {folded}, made {origin} · {version.at} · {size}"
    if made.items:
        yield from _items(made.items)
    else:
        yield visible(made.text)
    if version.details:
        yield "Kept word for word:"
        yield "\n".join(map(_detail, version.details))
    if made.left_out:
        yield "Not kept, for want of room:"
        yield "\n".join(map(_detail, made.left_out))
    yield "---"


def _items(items: Iterable[Item]) -> Iterator[str]:
    for section, group in groupby(items, key=lambda item: item.section):
        if section:
            yield f"*{_line(section)}*"
        yield "\n".join(f"- {_indented(item.text)} {_sources(item)}".rstrip() for item in group)


def _sources(item: Item) -> str:
    if not item.sources:
        return "(nothing in the record supports this)" if item.section else ""
    told = ", ".join(f"#{seq}" for seq in item.sources)
    return f"({told}{', tool output alone' if item.tool_only else ''})"


def _detail(detail: Detail) -> str:
    sources = ", ".join(f"#{seq}" for seq in detail.sources)
    name = f" {_line(detail.name)}:" if detail.name else ""
    return f"- {detail.kind}:{name} {_code(detail.text)}{f' ({sources})' if sources else ''}"


def _from(source: int | None) -> str:
    return f" (#{source})" if source is not None else ""


def _line(text: str) -> str:
    """A text in one line."""
    return visible(" ".join(text.split()))


def _indented(text: str) -> str:
    return visible(text).replace("\n", "\n  ")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in visible(text).splitlines())


def _code(text: str) -> str:
    """The text as code in a line, whatever backticks it holds."""
    line = _line(text)
    ticks = "`"
    while ticks in line:
        ticks += "`"
    padding = " " if "`" in line else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{visible(text)}\n{fence}"
