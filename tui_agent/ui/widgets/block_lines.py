"""How each kind of block looks: rows with named styles, wrapped to a width."""

import json
from collections.abc import Iterator
from typing import Protocol

from rich.cells import cell_len, set_cell_size

from tui_agent.language import N_, _, ngettext
from tui_agent.ui.safe_text import safe
from tui_agent.ui.times import time_of_day
from tui_agent.ui.widgets.blocks import (
    DEED_SHOWN,
    LONG,
    SHOWN,
    AnswerBlock,
    Block,
    CallState,
    DeedBlock,
    FailureBlock,
    NoticeBlock,
    ReasoningBlock,
    ToolBlock,
    UserBlock,
    subject_of,
)
from tui_agent.ui.widgets.lines import Layout, Row, Run, Runs, code_row, plain_row
from tui_agent.ui.widgets.plain_lines import PlainLines
from tui_agent.ui.widgets.told_results import counted, in_readers_words, reason_for_denial
from tui_agent.ui.words import DEEDS
from tui_agent.values import frozen

RUNNING_LINES = 10
"""Lines shown of what a running command has printed last."""

OUTPUT_SHOWN = 200
"""Lines shown of a tool's output when its card is opened."""

_LEAST_TOLD = 20
"""Cells that are left for the outcome of a call, however narrow the transcript is."""

_STATES: dict[CallState, tuple[str, str, str]] = {
    "called": ("·", "", "tool-waiting"),
    "running": ("⋯", N_("running"), "tool-waiting"),
    "asked": ("?", N_("waits for your approval"), "tool-asked"),
    "returned": ("✓", "", "tool-done"),
    "failed": ("✗", N_("failed"), "tool-failed"),
    "denied": ("✗", N_("denied"), "tool-failed"),
}
"""Mark, word and style of each state of a call."""

_ENDINGS = {
    "length": N_("cut off: the reply reached its token limit"),
    "content_filter": N_("ended by the endpoint's content filter"),
}


@frozen
class Manner:
    """How blocks are laid out, whatever they are."""

    plain: bool = False
    """No box characters and no symbols: words only, for screen readers and poor terminals."""

    compact: bool = False
    """No blank lines between messages."""


@frozen
class Standing:
    """Where a block stands towards the context."""

    rewound: bool = False
    folded: bool = False
    pinned: bool = False
    divider: str = ""
    """What stands in the line below it; "" for no line."""


class Writer(Protocol):
    """Lays out a text that grows."""

    def feed(self, text: str) -> None: ...

    def finish(self) -> None: ...


class Growth:
    """A block that is still being written, and its layout, of which only the end is made again."""

    def __init__(self, block: AnswerBlock | ReasoningBlock, width: int, manner: Manner, standing: Standing) -> None:
        self.block = block
        self.layout = Layout(width, head_rows(block, manner, standing))
        self._writer: Writer | None = _writer(block, self.layout, manner)
        self._fed = 0
        self.feed()

    def feed(self) -> None:
        """Lay out what the block's text has gained."""
        if self._writer is None:
            return
        text = self.block.text
        end = len(text) - 1 if text.endswith("\r") else len(text)
        if end > self._fed:
            self._writer.feed(safe(text[self._fed : end]))
            self._fed = end

    def finish(self) -> None:
        """The text is complete."""
        if self._writer is None:
            return
        if self._fed < len(self.block.text):
            self._writer.feed(safe(self.block.text[self._fed :]))
        self._writer.finish()

    def end(self, manner: Manner, standing: Standing) -> None:
        """Add what stands below a text that is complete."""
        if isinstance(self.block, AnswerBlock):
            self.layout.extend(_ending_rows(self.block, manner))
        if standing.divider:
            self.layout.extend(_divider_rows(standing.divider, self.layout.width, manner))


def prepare() -> None:
    """Load what lays out answers, which takes a moment: called in a thread, while one is awaited."""
    from tui_agent.ui.widgets import markdown_blocks, markdown_lines  # noqa: F401 - what the one needs of the other

    markdown_blocks.prepare()


def lay_out(block: Block, width: int, manner: Manner, standing: Standing) -> Layout:
    """A block at a width."""
    match block:
        case ToolBlock(superseded=True) | ReasoningBlock(text="") | AnswerBlock(text="", seq=0):
            return Layout(width)
        case AnswerBlock() | ReasoningBlock():
            growth = Growth(block, width, manner, standing)
            growth.finish()
            growth.end(manner, standing)
            return growth.layout
        case _:
            layout = Layout(width, head_rows(block, manner, standing))
            layout.extend(_body_rows(block, width, manner))
            if standing.divider:
                layout.extend(_divider_rows(standing.divider, width, manner))
            return layout


def head_rows(block: Block, manner: Manner, standing: Standing) -> list[Row]:
    """What stands above the body of a block: a blank line, who speaks and when, the header of what can be folded."""
    rows: list[Row] = []
    match block:
        case UserBlock() | DeedBlock() | ReasoningBlock() | AnswerBlock() | ToolBlock():
            if block.labelled:
                rows = [] if manner.compact else [Row((Run(""),))]
                rows.append(_label(block, standing, manner))
            elif isinstance(block, AnswerBlock | DeedBlock) and not manner.compact:
                rows = [Row((Run(""),))]
        case FailureBlock():
            rows = [] if manner.compact else [Row((Run(""),))]
        case NoticeBlock():
            rows = [] if manner.compact or block.kind == "stopped" else [Row((Run(""),))]
    if isinstance(block, ReasoningBlock):
        rows.append(_reasoning_header(block, manner))
    return rows


def _label(
    block: UserBlock | DeedBlock | ReasoningBlock | AnswerBlock | ToolBlock, standing: Standing, manner: Manner
) -> Row:
    name = N_("you") if isinstance(block, UserBlock | DeedBlock) else N_("agent")
    runs = [Run(_(name), f"label-{name}")]
    if time := time_of_day(block.at):
        runs.append(Run(f"  {time}", "time"))
    if standing.rewound:
        runs.append(Run(_("  · rewound"), "mark"))
    elif standing.folded and manner.plain:
        runs.append(Run(_("  · folded"), "mark"))
    if standing.pinned:
        runs.append(Run(_("  · pinned"), "pinned"))
    return Row(tuple(runs))


def _writer(block: AnswerBlock | ReasoningBlock, layout: Layout, manner: Manner) -> Writer | None:
    if isinstance(block, AnswerBlock):
        from tui_agent.ui.widgets.markdown_lines import MarkdownLines  # not before there is an answer

        return MarkdownLines(layout, plain=manner.plain)
    if block.opened:
        return PlainLines(layout, "reasoning", lead=(Run("  " if manner.plain else "│ ", "reasoning-bar"),))
    return None


def _ending_rows(block: AnswerBlock, manner: Manner) -> Iterator[Row]:
    mark = "" if manner.plain else "⋯ "
    if not block.text.strip():
        yield plain_row(_("(an empty answer)"), "mark")
    if block.finish is None:
        yield plain_row(mark + _("incomplete"), "mark")
    elif block.finish in _ENDINGS:
        yield plain_row(mark + _(_ENDINGS[block.finish]), "mark")


def _body_rows(
    block: UserBlock | DeedBlock | ToolBlock | NoticeBlock | FailureBlock, width: int, manner: Manner
) -> list[Row]:
    match block:
        case UserBlock():
            return _user_rows(block, width)
        case DeedBlock():
            return list(_deed_rows(block, width, manner))
        case ToolBlock():
            return list(_tool_rows(block, width, manner))
        case NoticeBlock():
            mark = "■ " if block.kind == "stopped" and not manner.plain else ""
            style = f"notice-{block.kind.split()[0]}"
            return [plain_row(mark + line, style) for line in safe(block.text).split("\n")]
        case FailureBlock():
            return _failure_rows(block, manner)


def _deed_rows(block: DeedBlock, width: int, manner: Manner) -> Iterator[Row]:
    if block.kind in DEEDS:
        yield plain_row(_(DEEDS[block.kind]), "notice-note")
        for path in block.subject.split("\n"):
            yield plain_row(f"  {safe(path, single_line=True, strict=True)}", "notice-note")
        return
    first, *others = safe(block.subject, strict=True).split("\n")
    yield Row((Run(first, "user"), *_outcome(block, manner)), lead=(Run("$ ", "tool"),))
    yield from (Row((Run(line, "user"),), lead=(Run("  "),)) for line in others)
    text = safe(block.output.removesuffix("\n"))
    if block.running:
        shown, hidden = text.split("\n")[-RUNNING_LINES:] if text else [], 0
    elif block.whole or _about_lines(text, width) <= DEED_SHOWN:
        shown, hidden = text.split("\n"), 0
    else:
        shown, hidden = _head(text, DEED_SHOWN, width)
    yield from map(code_row, shown)
    if hidden > 0:
        yield _more_row(hidden)


def _outcome(block: DeedBlock, manner: Manner) -> Runs:
    mark, word, style = _STATES["running" if block.running else "failed" if block.failed else "returned"]
    told = " ".join(part for part in ("" if manner.plain else mark, _(word) if word else "") if part)
    return (Run(f"  {told}", style),) if told else ()


def _about_lines(text: str, width: int) -> int:
    return text.count("\n") + 1 + len(text) // width


def _user_rows(block: UserBlock, width: int) -> list[Row]:
    text = safe(block.text)
    if block.whole or _about_lines(text, width) <= LONG:
        return [plain_row(line, "user") for line in text.split("\n")]
    shown, hidden = _head(text, SHOWN, width)
    return [*(plain_row(line, "user") for line in shown), _more_row(hidden)]


def _head(text: str, lines: int, width: int) -> tuple[list[str], int]:
    """The beginning of a long text, at most so many lines of it, and about how many more there are."""
    shown: list[str] = []
    room = lines
    for line in text[: lines * width].split("\n"):
        if room <= 0:
            break
        shown.append(line[: room * width])
        room -= 1 + max(0, len(line) - 1) // width
    rest = text[sum(len(line) + 1 for line in shown) - 1 :]
    return shown, max(rest.count("\n") + (not rest.startswith("\n")), len(rest) // width)


def _more_row(hidden: int) -> Row:
    """What stands for lines that are not shown."""
    words = ngettext(
        "… {n:,} more line (Space or a click shows it)", "… {n:,} more lines (Space or a click shows them)", hidden
    )
    return plain_row(words.format(n=hidden), "more", action="more")


def _reasoning_header(block: ReasoningBlock, manner: Manner) -> Row:
    words = _("thinking") if block.growing else _("thought")
    seconds = f" {block.seconds:.0f}s" if block.seconds is not None and block.seconds >= 1 else ""
    return plain_row(f"{_arrow(block.opened, manner)}{words}{seconds}", "fold", action="fold")


def _arrow(opened: bool, manner: Manner) -> str:
    if manner.plain:
        return "[-] " if opened else "[+] "
    return "▾ " if opened else "▸ "


def _tool_rows(block: ToolBlock, width: int, manner: Manner) -> Iterator[Row]:
    yield _tool_header(block, width, manner)
    if not block.opened:
        return
    lead: Runs = (Run("    ", ""),)
    for line in argument_lines(block):
        yield Row((Run(line, "tool-arguments"),), lead=lead)
    lines = safe(block.output.removesuffix("\n")).split("\n") if block.output else []
    shown = lines if block.whole else lines[:OUTPUT_SHOWN]
    for line in shown:
        row = code_row(line)
        row.lead = row.hang = (Run("  "), *row.lead)
        yield row
    if len(shown) < len(lines):
        yield _more_row(len(lines) - len(shown))


def is_cut(block: ToolBlock) -> bool:
    """Whether an opened card shows only the beginning of a long output."""
    return not block.whole and block.output.removesuffix("\n").count("\n") >= OUTPUT_SHOWN


def _tool_header(block: ToolBlock, width: int, manner: Manner) -> Row:
    mark, word, style = _STATES[block.state]
    told = " ".join(part for part in ("" if manner.plain else mark, _told(block) or _(word)) if part)
    if manner.plain:
        told = f"- {told}" if told else ""
    name = safe(block.call.name, single_line=True, strict=True)
    subject = safe(subject_of(block), single_line=True, strict=True)
    arrow = _arrow(block.opened, manner)
    stub = _("  · stub in the context") if block.pruned else ""
    room = width - cell_len(arrow) - cell_len(name) - cell_len(stub) - 3
    kept = min(cell_len(subject) + 1, room // 2)  # a long reason leaves room for what failed
    told = _shortened(told, max(room - kept, _LEAST_TOLD))
    subject = _shortened(subject, room - cell_len(told))
    runs = [Run(arrow, "fold"), Run(name, "tool"), Run(f" {subject}" if subject else "", "tool-subject")]
    runs += [Run(f"  {told}", style), Run(stub, "mark")]
    return Row(tuple(run for run in runs if run.text), action="fold")


def _shortened(text: str, room: int) -> str:
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1).rstrip() + "…" if room > 1 else ""


def _told(block: ToolBlock) -> str:
    """What a call's state says beyond its mark."""
    match block.state:
        case "returned" if block.summary:
            return safe(counted(block.summary), single_line=True)
        case "returned":
            lines = block.output.removesuffix("\n").count("\n") + 1 if block.output else 0
            return ngettext("{n:,} line", "{n:,} lines", lines).format(n=lines) if lines else _("done")
        case "failed" | "denied":
            line = block.output.strip().split("\n", 1)[0]
            said = reason_for_denial(line) if block.state == "denied" else in_readers_words(line)
            word = _(_STATES[block.state][1])
            reason = _shortened(safe(said, single_line=True), 60)
            return _("{state}: {reason}").format(state=word, reason=reason) if said else word
        case "running" if block.progress:
            return _shortened(safe(block.progress.strip().rsplit("\n", 1)[-1], single_line=True), 60)
        case _:
            return ""


def argument_lines(block: ToolBlock) -> list[str]:
    """The arguments of a call as lines, each value as it is."""
    if block.call.malformed is not None:
        return [_("arguments are no JSON object:"), *safe(block.call.malformed).split("\n")]
    try:
        arguments = json.loads(block.call.arguments)
    except ValueError:
        return safe(block.call.arguments).split("\n")
    if not isinstance(arguments, dict):
        return safe(block.call.arguments).split("\n")
    lines: list[str] = []
    for name, value in arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        first, *rest = safe(f"{name}: {shown}", strict=True).split("\n")
        lines += [first, *(f"  {line}" for line in rest)]
    return lines


def _failure_rows(block: FailureBlock, manner: Manner) -> list[Row]:
    bar = (Run("  " if manner.plain else "┃ ", "failure-bar"),)
    told = [((_("Error: ") if manner.plain else "✗ ") + block.what, "failure")]
    if block.meaning:
        told.append((block.meaning, "failure-text"))
    if block.todo:
        told.append((f"{'' if manner.plain else '→ '}{block.todo}", "failure-text"))
    told.append((_("/retry sends the message again"), "mark"))
    return [Row((Run(line, style),), lead=bar, hang=bar) for text, style in told for line in safe(text).split("\n")]


def _divider_rows(words: str, width: int, manner: Manner) -> list[Row]:
    room = width - cell_len(words) - 2
    left = max(2, room // 2)
    line = words if manner.plain else f"{'┄' * left} {words} {'┄' * max(2, room - left)}"
    gap = [] if manner.compact else [Row((Run(""),))]
    return [*gap, plain_row(line, "divider")]
