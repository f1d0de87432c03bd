"""The entries of a record as parts of the exported page, each an anchor that summaries can point to."""

import re
from collections.abc import Iterator

from tui_agent.agent.export.markup import NOTHING, Child, Markup, element, joined
from tui_agent.agent.export.record import Record, counted
from tui_agent.core.codec import entry_to_json
from tui_agent.core.deeds import DeedPart, deed_text
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
)
from tui_agent.core.readings import part_text
from tui_agent.language import N_, _, sentences

_DECISIONS = (N_("once"), N_("session"), N_("always"), N_("denied"))
"""How an approval may have been answered."""

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
            return _said(record, logged, "user", _("you"), *map(_part, parts))
        case AssistantSaid() as said:
            return _answer(record, logged, said)
        case ToolReturned() as returned:
            return _returned(record, logged, returned)
        case SystemPromptSet(text):
            return _said(record, logged, "system", _("system prompt"), *prose(text))
        case Compacted():
            number = next(version.number for version in record.versions if version.seq == logged.seq)
            told = element("a", _("compaction: summary {number} was made").format(number=number), href=f"#v{number}")
            return _notice(logged, told)
        case Failed(what, meaning, todo):
            return _notice(logged, sentences((what, meaning, todo)), "notice failure")
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
        joined([" ", badge(_("pinned"))]) if pins else "",
        class_="meta",
    )
    return element("article", meta, *children, _mentions(record, logged.seq), id=anchor(logged.seq), class_=kind)


def _mentions(record: Record, seq: int) -> Markup:
    """Where the summaries speak of an entry."""
    found = record.mentions.get(seq)
    if not found:
        return NOTHING
    links: list[Child] = [_("kept in: ")]
    for version, item in found:
        told = _("summary {number}, {item}").format(number=version.number, item=item.id)
        links += [element("a", told, href=f"#{item_anchor(version.number, item.id)}"), " "]
    return element("div", *links, class_="sources")


def item_anchor(version: int, item_id: str) -> str:
    """The name of an item's anchor. Ids of items come from the log, so letters and digits alone are taken over."""
    return f"v{version}-{re.sub(r'[^A-Za-z0-9]', '', item_id)}"


def _answer(record: Record, logged: Logged, said: AssistantSaid) -> Markup:
    incomplete = [badge(_("incomplete"), warn=True)] if said.finish is None else []
    about = " · ".join(part for part in (said.model, _usage(said.usage)) if part)
    return _said(
        record,
        logged,
        "assistant",
        _("agent"),
        _reasoning(said.reasoning),
        *prose(said.text),
        *map(_call, said.tool_calls),
        *incomplete,
        about=about,
    )


def _usage(usage: Usage | None) -> str:
    if usage is None:
        return ""
    cached = _(" ({n:,} cached)").format(n=usage.cached) if usage.cached else ""
    prompt = counted(usage.prompt, "token")
    return _("{prompt} in{cached}, {completion:,} out").format(
        prompt=prompt, cached=cached, completion=usage.completion
    )


def _reasoning(reasoning: Reasoning | None) -> Markup:
    if reasoning is None or not (reasoning.text.strip() or reasoning.raw):
        return NOTHING
    return folding(_("reasoning"), _text(reasoning.text or reasoning.raw))


def _call(call: ToolCall) -> Markup:
    arguments = call.arguments if call.malformed is None else call.malformed
    unreadable = [badge(_("unreadable arguments"), warn=True)] if call.malformed is not None else []
    return folding(joined([_("calls "), element("b", call.name)]), *unreadable, element("pre", arguments), open_=True)


def _returned(record: Record, logged: Logged, returned: ToolReturned) -> Markup:
    name = " ".join(part for part in (returned.name or "tool", returned.subject) if part)
    lines = returned.output.count("\n") + 1
    output = element("pre", returned.output)
    shown = output if lines <= _SHOWN_OUTPUT_LINES else folding(counted(lines, "line"), output)
    failed = [badge(_("failed"), warn=True)] if returned.failed else []
    return _said(record, logged, "tool", name, *failed, shown)


def _part(part: Part) -> Markup:
    match part:
        case TextPart(text):
            return joined(prose(text))
        case ImagePart(url, name) if _PICTURE.fullmatch(url):
            return element("img", src=url, alt=name or _("a picture"))
        case ImagePart():
            return _text(part_text(part))
        case DeedPart():
            return joined(prose(deed_text(part)))
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
            return _("approval asked: {summary}").format(summary=summary)
        case ApprovalAnswered(decision=decision, comment=comment):
            return _("approval: {decision}").format(decision=_(decision)) + (f" ({comment})" if comment else "")
        case DetailKept(detail=detail):
            return _("kept word for word: {text}").format(text=detail.text)
        case CompactionUndone(compaction):
            return _("the compaction #{seq} was taken back").format(seq=compaction)
        case CompactionRedone(compaction):
            return _("the compaction #{seq} was applied again").format(seq=compaction)
        case SummaryRestored(compaction):
            return _("the summary of #{seq} is the live one again").format(seq=compaction)
        case Pinned(text=text):
            return _("pinned: {text}").format(text=text)
        case Unpinned(pin):
            return _("the pin #{seq} was taken off").format(seq=pin)
        case Pruned(seqs=seqs):
            return _("tool output {seqs} is left out of the context").format(seqs=_listed(seqs))
        case Unpruned(seqs=seqs):
            return _("tool output {seqs} is back in the context").format(seqs=_listed(seqs))
        case Rewound(after):
            return _("rewound: what was said after #{seq} is out of the context").format(seq=after)
        case ForkedFrom(session, seq):
            return _("forked from session {session} at #{seq}").format(session=session, seq=seq)
        case ModelChosen(model):
            return _("model: {model}").format(model=model)
        case TitleSet(title):
            return _("title: {title}").format(title=title)
        case _:
            return str(entry_to_json(entry))


def _listed(seqs: tuple[int, ...]) -> str:
    return ", ".join(f"#{seq}" for seq in seqs)
