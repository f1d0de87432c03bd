"""What the preview of a compaction says, as lines. Pure functions."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from textual.content import Content

from tui_agent.agent.proposals import Proposal
from tui_agent.context.gathering import line as line_of
from tui_agent.context.provenance import is_instruction_like
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import AssistantSaid, Detail, Item, Logged, ToolReturned, UserSaid
from tui_agent.core.events import Gauge
from tui_agent.core.readings import kind_word, said_text
from tui_agent.language import _, ngettext
from tui_agent.ui.bindings import first_key_of
from tui_agent.ui.plain import is_plain
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.theme import MUTED
from tui_agent.ui.times import time_of_day
from tui_agent.ui.widgets.gauge import bar, compact_number, in_words, style_of
from tui_agent.ui.widgets.key_hints import packed
from tui_agent.ui.widgets.lines_view import Line

_BAR = 20
_LONGEST_SHOWN = 4000
"""Characters of one message shown among those that go; the transcript has it whole."""


def with_put_back(gauge: Gauge, put_back: Sequence[Detail]) -> Gauge:
    """The measure after applying, with the details that are put back."""
    more = sum(estimate(each) + 1 for each in dict.fromkeys(map(line_of, put_back)))
    return replace(gauge, tokens=gauge.tokens + more, estimated=True) if more else gauge


def figures(before: Gauge, after: Gauge | None, proposal: Proposal | None, put_back: int, state: str) -> Content:
    """Before and after, and what happens to the messages."""
    rows = [_measure(_("now  "), before)]
    if after is None or proposal is None:
        rows.append(content(state, single_line=True))
        return Content("\n").join(rows)
    freed = before.tokens - after.tokens
    rows.append(_measure(_("after"), after) + _gain(freed))
    folded = proposal.compacted.folded
    details = sum(each.kind != "request" for each in proposal.compacted.details) + put_back
    exact = (
        ngettext(" · {n} exact detail carried along", " · {n} exact details carried along", details).format(n=details)
        if details
        else ""
    )
    rows.append(
        Content.styled(
            ngettext(
                "{folded} message goes into the summary · {kept} stay word for word{exact} · the record keeps all",
                "{folded} messages go into the summary · {kept} stay word for word{exact} · the record keeps all",
                folded,
            ).format(folded=folded, kept=proposal.kept, exact=exact),
            MUTED,
        )
    )
    return Content("\n").join(rows)


def _gain(freed: int) -> Content:
    """What applying frees, or what it adds: a summary of a few short messages may be longer than they are."""
    if freed > 0:
        return Content.styled(_("  frees ~{freed}").format(freed=compact_number(freed)), "$success")
    words = _("  adds ~{added}").format(added=compact_number(-freed)) if freed else _("  frees nothing")
    return Content.styled(words, "$warning")


def _measure(name: str, gauge: Gauge) -> Content:
    share = f" {gauge.share:4.0%}" if gauge.share is not None else ""
    if (gauge.share or 0.0) > 1.0:
        share = _(" needs {times:.3g} times the window ·").format(times=gauge.share)
    size = _(" ~{tokens} tokens").format(tokens=compact_number(gauge.tokens))
    if is_plain():
        return Content(f"{name.strip()}: {in_words(gauge)}")
    return Content(f"{name} ") + Content.styled(bar(gauge, _BAR), style_of(gauge)) + Content(f"{share}{size}")


def heading(shown: str, *, is_unused: bool, is_edited: bool, items: Sequence[Item]) -> Content:
    """What is shown under it, and how many lines of a summary only tools have said that read like orders."""
    names = {
        "summary": _("Not used: what the model wrote") if is_unused else _("Proposed summary"),
        "changes": _("What changed since the last summary"),
        "folded": _("Messages that go into it"),
        "carried": _("Carried word for word behind the summary"),
        "edit": _("Edit: used byte for byte"),
    }
    name = names.get(shown, _("Proposed summary"))
    if shown != "summary":
        return Content(name)
    return Content(name + (_("  (edited)") if is_edited else "")) + _warning(items)


def _warning(items: Sequence[Item]) -> Content:
    orders = sum(map(is_instruction_like, items))
    if not orders:
        return Content("")
    words = ngettext(
        "  {n} line from a tool reads like an instruction", "  {n} lines from tools read like instructions", orders
    )
    return Content.styled(words.format(n=orders), "$warning")


def summary_lines(text: str, items: Sequence[Item] = ()) -> Iterator[Line]:
    """The summary with its headings; what no message supports, or only a tool has said, is marked."""
    marks = {f"- {item.text}": _mark(item) for item in items if item.section}
    for line in text.split("\n"):
        shown = safe(line, single_line=True)
        is_title = line.endswith((":", "：")) and len(line) < 40 and not line.startswith(("-", "·", "*"))
        if line.startswith("#") or is_title:
            yield Line(shown, "heading")
            continue
        words, style = marks.get(line, ("", ""))
        yield Line(shown + words, style, hang=2 if line.startswith(("- ", "· ", "* ")) else 0)


def _mark(item: Item) -> tuple[str, str]:
    """What is said behind an item, and in which style."""
    if is_instruction_like(item):
        return _("  (from a tool; reads like an instruction)"), "warning"
    if item.tool_only:
        return _("  (from a tool)"), ""
    return ("", "") if item.sources else (_("  (no source)"), "")


def changed_lines(previous: str, text: str) -> Iterator[Line]:
    """What the new summary has that the old one has not, and the other way round."""
    if not previous:
        yield Line(_("This is the first summary: all of it is new."), "dim")
        yield Line("")
    matcher = difflib.ndiff(previous.split("\n") if previous else [], text.split("\n"))
    for line in matcher:
        shown = safe(line[2:], single_line=True)
        if line.startswith("+ "):
            yield Line(f"+ {shown}", "added", hang=2)
        elif line.startswith("- "):
            yield Line(f"- {shown}", "removed", hang=2)
        elif line.startswith("  "):
            yield Line(f"  {shown}", hang=2)


def folded_lines(folded: Sequence[Logged]) -> Iterator[Line]:
    """The messages that go into the summary."""
    if not folded:
        yield Line(_("None so far."), "dim")
    names = {UserSaid: _("you"), AssistantSaid: _("agent"), ToolReturned: _("tool")}
    for logged in folded:
        name = names.get(type(logged.entry))
        if name is None:
            continue
        yield Line(f"#{logged.seq} {name}  {time_of_day(logged.at)}", "heading")
        text = said_text(logged.entry)
        for line in text[:_LONGEST_SHOWN].split("\n") if text else ():
            yield Line(safe(line, single_line=True))
        for call in logged.entry.tool_calls if isinstance(logged.entry, AssistantSaid) else ():
            yield Line(f"→ {safe(f'{call.name} {call.arguments}'[:_LONGEST_SHOWN], single_line=True)}", hang=2)
        if len(text) > _LONGEST_SHOWN:
            more = len(text) - _LONGEST_SHOWN
            words = ngettext("… {n:,} more character", "… {n:,} more characters", more)
            yield Line(words.format(n=more), "dim")
        yield Line("")


def _lines_of(text: str) -> Iterator[Line]:
    """A point of a list, in the lines it has."""
    for number, line in enumerate(text.split("\n")):
        yield Line(("  " if number else "- ") + safe(line, single_line=True), hang=2)


def carried_lines(
    details: Sequence[Detail], put_back: Sequence[Detail], pins: Sequence[str], lost: int | None
) -> Iterator[Line]:
    """What stands behind the summary word for word, and why: in the order in which it is sent.

    So many details are `lost`; None while there is no summary.
    """
    groups = (
        (_("Your request that is still open"), [each for each in details if each.kind == "request"]),
        (_("Exact details"), [each for each in details if each.kind != "request"]),
        (_("Put back by you"), put_back),
    )
    for heading, members in groups:
        if members:
            yield Line(heading, "heading")
        for each in members:
            places = " ".join(f"#{seq}" for seq in each.sources[:2])
            kind = "" if each.kind == "request" else kind_word(each.kind)
            told = " · ".join(part for part in (kind, places) if part)
            yield from _lines_of(line_of(each) + (f"  ({told})" if told else ""))
    if pins:
        yield Line(_("Pins"), "heading")
    for pin in pins:
        yield from _lines_of(pin)
    if not (details or put_back or pins):
        yield Line(_nothing_carried(lost), "dim")


def _nothing_carried(lost: int | None) -> str:
    if lost is None:
        return _("Nothing so far: this is known when there is a summary.")
    if not lost:
        return _("Nothing: the summary holds every exact detail.")
    return _("Nothing. What the summary leaves out is in the list beside it: l goes there, + puts it back.")


def hints(
    *,
    is_ready: bool,
    is_refused: bool,
    is_editing: bool,
    keep: int,
    goes: bool,
    carried: int,
    lost: int,
    adds: bool,
    is_elsewhere: bool,
    is_list_only: bool,
    width: int,
) -> Content:
    """The keys, each of which can be clicked, in as many rows of `width` cells as they need.

    Args:
        is_ready: there is a proposal.
        is_refused: there is none, and what was written can be taken by hand.
        is_editing: its text is being edited.
        keep: messages that stay.
        goes: it is known which messages go.
        carried: details carried behind the summary.
        lost: details that are left out.
        adds: applying makes the context longer.
        is_elsewhere: something else than the summary is shown.
        is_list_only: the list of what is left out stands alone, and Esc leaves it.
        width: cells of a row.
    """
    if is_editing:
        words = _("Esc done editing · Ctrl+Enter apply") if is_ready else _("Esc done editing · Ctrl+Enter take it")
        return Content.styled(words, MUTED)
    actions = _of_proposal(carried, lost, adds=adds) if is_ready else []
    if is_refused:
        actions.append(_hint("preview-edit", "edit", _("take or change it by hand")))
    if is_elsewhere:
        actions.append(_hint("preview-summary", "view('summary')", _("summary")))
    if goes:
        actions.append(_hint("preview-folded", "view('folded')", _("messages")))
    actions += [
        _hint("preview-again", "regenerate", _("again, with a focus")),
        _hint("preview-keep-less", "keep('fewer')", _("keep fewer")),
        _hint("preview-keep-more", "keep('more')", _("more than {keep}").format(keep=keep)),
        _hint("preview-cancel", "cancel", _("back") if is_list_only else _("cancel")),
    ]
    return Content("\n").join(packed(actions, width, "  "))


def _of_proposal(carried: int, lost: int, *, adds: bool) -> list[Content]:
    return [
        _hint("preview-apply", "apply", _("apply, though it adds tokens") if adds else _("apply")),
        _hint("preview-edit", "edit", _("edit")),
        _hint("preview-changes", "view('changes')", _("what changed")),
        _hint("preview-carried", "view('carried')", _("carried: {carried}").format(carried=carried)),
        _hint("preview-lost", "view('lost')", _("left out: {lost}").format(lost=lost)),
        _hint("preview-put-back", "put_back", _("put back")),
    ]


def _hint(binding_id: str, action: str, words: str) -> Content:
    key = first_key_of(binding_id)
    label = Content.styled(key, "bold $primary") + Content(f" {words}")
    return label.stylize_before(f"@click=screen.{action}")
