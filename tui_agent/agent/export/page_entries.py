"""The entries of a record as parts of the exported page, each an anchor that summaries can point to."""

import re
from collections.abc import Iterator

from tui_agent.agent.export.markup import NOTHING, Child, Markup, element, joined
from tui_agent.agent.export.record import Record, counted
from tui_agent.core.codec import entry_to_json
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    DetailKept,
    Entry,
    Failed,
    ForkedFrom,
    ImagePart,
    Interrupted,
    Logged,
    ModelChosen,
    Noticed,
    OtherPart,
    Part,
    Pinned,
    Pruned,
    Reasoning,
    Rewound,
    SummaryRestored,
    SystemPromptSet,
    TextPart,
    TitleSet,
    ToolCall,
    ToolReturned,
    Unpinned,
    Unpruned,
    Usage,
    UserSaid,
    part_text,
)

_SHOWN_OUTPUT_LINES = 12
"""Longer tool output is closed until it is opened."""

_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
"""Pictures that are in the page itself; a page may load nothing from elsewhere, and SVG is no mere picture."""

_FENCED = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?P<about>[^\n]*)\n(?P<code>.*?)(?:^(?P=fence)[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)


def anchor(seq: int) -> str:
    """The name of an entry's anchor."""
    return f"e{seq}"


def link(seq: int) -> Markup:
    """A link to an entry."""
    return element("a", f"#{seq}", href=f"#{anchor(seq)}")


def article(record: Record, logged: Logged) -> Markup:
    """One entry of the record."""
    match logged.entry:
        case UserSaid(parts):
            return _said(record, logged, "user", "you", *map(_part, parts))
        case AssistantSaid() as said:
            return _answer(record, logged, said)
        case ToolReturned() as returned:
            return _returned(record, logged, returned)
        case SystemPromptSet(text):
            return _said(record, logged, "system", "system prompt", *prose(text))
        case Compacted():
            number = next(version.number for version in record.versions if version.seq == logged.seq)
            told = joined(["compaction: ", element("a", f"summary {number}", href=f"#v{number}"), " was made"])
            return _notice(logged, told)
        case Failed(what, meaning, todo):
            return _notice(logged, " ".join(part for part in (what, meaning, todo) if part), "notice failure")
        case other:
            return _notice(logged, _in_words(other))


def prose(text: str) -> Iterator[Markup]:
    """Text with its fenced code set apart; nothing else in it is taken for Markdown."""
    end = 0
    for match in _FENCED.finditer(text):
        if text[end : match.start()].strip():
            yield _text(text[end : match.start()].strip("\n"))
        yield element("pre", element("code", match["code"].rstrip("\n")), title=match["about"].strip() or None)
        end = match.end()
    if text[end:].strip():
        yield _text(text[end:].strip("\n"))


def folding(title: Child, *children: Child, class_: str | None = None, open_: bool = False) -> Markup:
    """A part that is closed until it is opened."""
    return element("details", element("summary", title), *children, class_=class_, open=open_)


def time(at: str) -> Markup:
    """A time to the minute; the whole of it for programs."""
    return element("time", f"{at[:16].replace('T', ' ')} UTC" if at else "", datetime=at)


def badge(text: str, warn: bool = False) -> Markup:
    return element("span", text, class_="badge warn" if warn else "badge")


def _text(text: str) -> Markup:
    return element("div", text, class_="text", dir="auto")


# ── messages ─────────────────────────────────────────────────────────────────


def _said(record: Record, logged: Logged, kind: str, who: str, *children: Child, about: str = "") -> Markup:
    pins = [pin for pin in record.checkpoint.pins if pin.source == logged.seq]
    meta = element(
        "div",
        element("b", who),
        " · ",
        time(logged.at),
        " · ",
        link(logged.seq),
        f" · {about}" if about else "",
        joined([" ", badge("pinned")]) if pins else "",
        class_="meta",
    )
    return element("article", meta, *children, _mentions(record, logged.seq), id=anchor(logged.seq), class_=kind)


def _mentions(record: Record, seq: int) -> Markup:
    """Where the summaries speak of an entry."""
    found = record.mentions.get(seq)
    if not found:
        return NOTHING
    links: list[Child] = ["kept in: "]
    for version, item in found:
        links += [element("a", f"summary {version.number}, {item.id}", href=f"#{item_anchor(version.number, item.id)}")]
        links += [" "]
    return element("div", *links, class_="sources")


def item_anchor(version: int, item_id: str) -> str:
    """The name of an item's anchor. Ids of items come from the log, so letters and digits alone are taken over."""
    return f"v{version}-{re.sub(r'[^A-Za-z0-9]', '', item_id)}"


def _answer(record: Record, logged: Logged, said: AssistantSaid) -> Markup:
    incomplete = [badge("incomplete", warn=True)] if said.finish is None else []
    about = " · ".join(part for part in (said.model, _usage(said.usage)) if part)
    return _said(
        record,
        logged,
        "assistant",
        "agent",
        _reasoning(said.reasoning),
        *prose(said.text),
        *map(_call, said.tool_calls),
        *incomplete,
        about=about,
    )


def _usage(usage: Usage | None) -> str:
    if usage is None:
        return ""
    cached = f" ({usage.cached:,} cached)" if usage.cached else ""
    return f"{counted(usage.prompt, 'token')} in{cached}, {usage.completion:,} out"


def _reasoning(reasoning: Reasoning | None) -> Markup:
    if reasoning is None or not (reasoning.text.strip() or reasoning.raw):
        return NOTHING
    return folding("reasoning", _text(reasoning.text or reasoning.raw))


def _call(call: ToolCall) -> Markup:
    arguments = call.arguments if call.malformed is None else call.malformed
    unreadable = [badge("unreadable arguments", warn=True)] if call.malformed is not None else []
    return folding(joined(["calls ", element("b", call.name)]), *unreadable, element("pre", arguments), open_=True)


def _returned(record: Record, logged: Logged, returned: ToolReturned) -> Markup:
    name = " ".join(part for part in (returned.name or "tool", returned.subject) if part)
    lines = returned.output.count("\n") + 1
    output = element("pre", returned.output)
    shown = output if lines <= _SHOWN_OUTPUT_LINES else folding(counted(lines, "line"), output)
    failed = [badge("failed", warn=True)] if returned.failed else []
    return _said(record, logged, "tool", name, *failed, shown)


def _part(part: Part) -> Markup:
    match part:
        case TextPart(text):
            return joined(prose(text))
        case ImagePart(url, name) if _PICTURE.fullmatch(url):
            return element("img", src=url, alt=name or "a picture")
        case ImagePart():
            return _text(part_text(part))
        case OtherPart(kind, raw):
            return folding(f"[{kind}]", element("pre", raw))


# ── what is no message ───────────────────────────────────────────────────────


def _notice(logged: Logged, told: Child, class_: str = "notice") -> Markup:
    return element("div", told, " · ", time(logged.at), id=anchor(logged.seq), class_=class_)


def _in_words(entry: Entry) -> str:
    """Any other entry in a line, so that none is missing from the page."""
    match entry:
        case Noticed(text=text) | Interrupted(reason=text):
            return text
        case ApprovalAsked(summary=summary):
            return f"approval asked: {summary}"
        case ApprovalAnswered(decision=decision, comment=comment):
            return f"approval: {decision}{f' ({comment})' if comment else ''}"
        case DetailKept(detail=detail):
            return f"kept word for word: {detail.text}"
        case CompactionUndone(compaction):
            return f"the compaction #{compaction} was taken back"
        case CompactionRedone(compaction):
            return f"the compaction #{compaction} was applied again"
        case SummaryRestored(compaction):
            return f"the summary of #{compaction} is the live one again"
        case Pinned(text=text):
            return f"pinned: {text}"
        case Unpinned(pin):
            return f"the pin #{pin} was taken off"
        case Pruned(seqs=seqs) | Unpruned(seqs=seqs):
            told = "left out of" if isinstance(entry, Pruned) else "back in"
            return f"tool output {', '.join(f'#{seq}' for seq in seqs)} is {told} the context"
        case Rewound(after):
            return f"rewound: what was said after #{after} is out of the context"
        case ForkedFrom(session, seq):
            return f"forked from session {session} at #{seq}"
        case ModelChosen(model):
            return f"model: {model}"
        case TitleSet(title):
            return f"title: {title}"
        case _:
            return str(entry_to_json(entry))
