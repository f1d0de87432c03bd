"""A session's record as Markdown: what was said, with each summary where it was made and what it rests on."""

from collections.abc import Iterable, Iterator

from tui_agent.agent.export.record import Record, Version, counted, messages_in
from tui_agent.context.summary_language import SECTIONS
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
)
from tui_agent.core.readings import by_section, kind_word, lacking, said_text
from tui_agent.core.visible import visible
from tui_agent.language import _, sentences


def to_markdown(record: Record) -> str:
    """The record for reading."""
    info = record.info
    counts = f"{counted(info.messages, 'message')}, {counted(info.compactions, 'compaction')}"
    session = _("Session {id}").format(id=info.id)
    blocks = [f"# {_line(record.title)}", f"*{session} · {_line(info.directory)} · {info.created} · {counts}*"]
    blocks += _pins(record)
    versions = {version.seq: version for version in record.versions}
    for place, entries in record.stretches():
        if place == "rewound" and messages_in(entries):
            said = counted(messages_in(entries), "message")
            words = _("(Rewound: what was said in the next {messages} is out of the context.)")
            blocks.append(f"*{words.format(messages=said)}*")
        for logged in entries:
            blocks += _block(logged, versions)
        if place == "folded" and record.live is not None and messages_in(entries):
            words = _("(The messages up to here are folded: summary {number} stands for them.)")
            blocks.append(f"*{words.format(number=record.live.number)}*")
    return "\n\n".join(blocks) + "\n"


def _pins(record: Record) -> Iterator[str]:
    if record.checkpoint.pins:
        yield _("**Pinned, in every context word for word**")
        yield "\n".join(f"- {_line(pin.text)}{_from(pin.source)}" for pin in record.checkpoint.pins)


def _block(logged: Logged, versions: dict[int, Version]) -> Iterator[str]:
    head = f"{logged.at} · #{logged.seq}"
    match logged.entry:
        case UserSaid():
            yield _("## you · {head}").format(head=head)
            yield visible(said_text(logged.entry))
        case AssistantSaid(text=text, tool_calls=calls, reasoning=reasoning):
            yield _("## agent · {head}").format(head=head)
            if reasoning is not None and reasoning.text.strip():
                yield _quoted(_("Reasoning:") + f"\n{reasoning.text}")
            if text.strip():
                yield visible(text)
            yield from (f"`{_line(call.name)}`\n{_fenced(call.malformed or call.arguments)}" for call in calls)
        case ToolReturned(output=output, name=name, failed=failed):
            outcome = _(" failed") if failed else ""
            yield f"### {_line(name or 'tool')}{outcome} · {head}"
            yield _fenced(output)
        case SystemPromptSet(text):
            yield _("## system prompt · {head}").format(head=head)
            yield visible(text)
        case Compacted():
            yield from _summary(versions[logged.seq])
        case Pinned(text=text, source=source):
            pinned = _("Pinned: {argument}").format(argument=_line(text))
            yield f"*{pinned}{_from(source)}*"
        case Failed(what, meaning, todo):
            yield f"*{_line(sentences((what, meaning, todo)))}*"
        case Noticed(text=text) | Interrupted(reason=text):
            yield f"*{_line(text)}*"
        case _:
            return


def _summary(version: Version) -> Iterator[str]:
    made = version.made
    yield "---"
    origin = _("by {model}").format(model=_line(made.model)) if made.model else _("as an extract, without a model")
    yield _(
        "**Summary {number}** ({state}) of {messages} up to #{upto}, made {origin} · {at} · "
        "{before:,} -> {after:,} tokens"
    ).format(
        number=version.number,
        state=_(version.state),
        messages=counted(made.folded, "message"),
        upto=made.upto,
        origin=origin,
        at=version.at,
        before=made.before.tokens,
        after=made.after.tokens,
    )
    if made.items:
        yield from _items(made.items)
    else:
        yield visible(made.text)
    if version.details:
        yield _("Kept word for word:")
        yield "\n".join(map(_detail, version.details))
    if made.left_out:
        named = _("Left out, the {n:,} of {all:,} that matter most:").format(n=len(made.left_out), all=lacking(made))
        yield named if made.unnamed else _("Left out:")
        yield "\n".join(map(_detail, made.left_out))
    yield "---"


def _items(items: Iterable[Item]) -> Iterator[str]:
    for section, group in by_section(items, SECTIONS):
        if section:
            yield f"*{_line(section)}*"
        yield "\n".join(f"- {_indented(item.text)} {_sources(item)}".rstrip() for item in group)


def _sources(item: Item) -> str:
    if not item.sources:
        return _("(nothing in the record supports this)") if item.section else ""
    told = ", ".join(f"#{seq}" for seq in item.sources)
    alone = _(", tool output alone") if item.tool_only else ""
    return f"({told}{alone})"


def _detail(detail: Detail) -> str:
    sources = ", ".join(f"#{seq}" for seq in detail.sources)
    name = f" {_line(detail.name)}:" if detail.name else ""
    return f"- {kind_word(detail.kind)}:{name} {_code(detail.text)}{f' ({sources})' if sources else ''}"


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
