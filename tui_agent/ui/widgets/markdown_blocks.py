"""A finished stretch of Markdown as rows. Parsed by markdown-it, shown as text: nothing in it is markup or live."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Protocol

from tui_agent.language import _
from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.lines import Row, Run, Runs, code_row
from tui_agent.ui.widgets.tables import Align, Cell, Table
from tui_agent.ui.widgets.wrapping import width_of
from tui_agent.values import mutable

DEEPEST = 60
"""Levels of nesting the parser follows; a deeper stretch is shown as its source, so that no word is lost."""

MOST_OPEN = 200
"""Square brackets without an end in one stretch; one with more is shown as its source."""

_url = re.compile(r"https?://[^\s<>\"'`\u3000-\u303f\uff00-\uffef]+")
_URL_END = ".,;:!?)]}*_"


class Token(Protocol):
    """What is read of a token of the parser."""

    @property
    def type(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def info(self) -> str: ...
    @property
    def markup(self) -> str: ...
    @property
    def level(self) -> int: ...
    @property
    def map(self) -> list[int] | None: ...
    @property
    def children(self) -> "Sequence[Token] | None": ...
    def attrGet(self, name: str) -> str | int | float | None: ...  # noqa: N802 - the parser's own name


class Parser(Protocol):
    """The parser, whose import is left until there is something to parse."""

    def parse(self, src: str) -> Sequence[Token]: ...
    def parseInline(self, src: str) -> Sequence[Token]: ...  # noqa: N802 - the parser's own name


@cache
def _parser() -> Parser:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST, "html": False})
    return parser.enable(["table", "strikethrough"]).disable(["html_block", "html_inline", "reference"])


def prepare() -> None:
    """Load the parser, which takes a moment: called in a thread, while an answer is awaited."""
    _parser()


def prose_rows(text: str, width: int, *, plain: bool = False) -> list[Row]:
    """The rows of a stretch of Markdown that ends with a block."""
    if _is_all_brackets(text):
        return _as_written(text)
    tokens = _parser().parse(text)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return _as_written(text)
    writer = _Writer(width, plain)
    writer.write(tokens)
    return writer.rows


def _as_written(text: str) -> list[Row]:
    return [Row((Run(line),)) for line in text.rstrip("\n").split("\n")]


def _is_all_brackets(text: str) -> bool:
    """Whether so many open that never close that the parser, which looks for the end of each, would take long."""
    return text.count("[") - text.count("]") > MOST_OPEN


def inline_runs(text: str) -> Runs:
    """A line of Markdown without blocks, as runs: the cell of a table, a heading."""
    if _is_all_brackets(text):
        return (Run(text),)
    tokens = _parser().parseInline(text)
    lines = list(_inline(tokens[0].children or [])) if tokens else []
    return tuple(run for line in lines for run in line) or (Run(""),)


def code_label(info: str, plain: bool) -> list[Row]:
    """What stands above a block of code: its language, and whatever else its fence says."""
    if plain:
        return [Row((Run((_("code") + f" {info}").rstrip() + ":", "fence-label"),))]
    if not info:
        return []
    return [Row((Run(info, "code fence-label"),), lead=(Run("  ", "code"),), fill="code")]


@mutable
class _Container:
    """A list item or a quote: decoration before everything in it."""

    lead: Runs
    hang: Runs
    copied_lead: str
    copied_hang: str

    def take(self) -> tuple[Runs, str]:
        """The decoration of the next row; a bullet stands before the first only."""
        lead, copied = self.lead, self.copied_lead
        self.lead, self.copied_lead = self.hang, self.copied_hang
        return lead, copied


class _Writer:
    """Turns block tokens into rows."""

    def __init__(self, width: int, plain: bool) -> None:
        self.rows: list[Row] = []
        self._width = width
        self._plain = plain
        self._containers: list[_Container] = []
        self._numbers: list[int | None] = []
        self._last_line = 0

    def write(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[index:end])
                index = end
            else:
                self._block(token, tokens, index)
            index += 1

    def _block(self, token: Token, tokens: Sequence[Token], index: int) -> None:
        match token.type:
            case "inline":
                self._inline(token, tokens[index - 1])
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                self._numbers.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._open_item(token)
            case "blockquote_open":
                bar = (Run("> " if self._plain else "▌ ", "quote"),)
                self._containers.append(_Container(bar, bar, "> ", "> "))
            case "list_item_close" | "blockquote_close":
                self._close_container()
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._rule(token)

    def _open_item(self, token: Token) -> None:
        number = self._numbers[-1]
        if number is None:
            marker, copied = ("- " if self._plain else "• "), "- "
        else:
            marker = copied = f"{number}{token.markup or '.'} "
            self._numbers[-1] = number + 1
        blank = (Run(" " * len(marker)),)
        self._containers.append(_Container((Run(marker, "bullet"),), blank, copied, " " * len(copied)))

    def _close_container(self) -> None:
        if self._containers[-1].lead is not self._containers[-1].hang:
            self._add(Row((Run(""),)))
        self._containers.pop()

    def _inline(self, token: Token, opener: Token) -> None:
        heading = opener.type == "heading_open"
        style = f"heading heading-{opener.tag[1:]}" if heading else ""
        if any(container.copied_hang == "> " for container in self._containers):
            style = f"quoted {style}"
        self._keep_gap(token)
        for runs in _inline(token.children or []):
            row = Row(tuple(run._replace(style=f"{style} {run.style}".strip()) for run in runs) or (Run(""),))
            row.copied_lead = opener.markup + " " if heading and opener.markup.startswith("#") else ""
            self._add(row)

    def _code(self, token: Token) -> None:
        self._keep_gap(token)
        for row in code_label(safe(token.info.strip(), single_line=True), self._plain):
            self._add(row)
        for line in token.content.removesuffix("\n").split("\n"):
            self._add(code_row(safe(line)))

    def _rule(self, token: Token) -> None:
        self._keep_gap(token)
        self._add(Row((Run(("-" if self._plain else "─") * min(40, self._room()), "rule"),)))

    def _table(self, tokens: Sequence[Token]) -> None:
        self._keep_gap(tokens[0])
        lines: list[list[Cell]] = []
        aligns: list[Align] = []
        for token in tokens:
            if token.type == "tr_open":
                lines.append([])
            elif token.type == "th_open":
                aligns.append(_align(str(token.attrGet("style") or "")))
            elif token.type == "inline":
                runs = [run for line in _inline(token.children or []) for run in line]
                lines[-1].append(tuple(runs) or (Run(""),))
        table = Table(self._room(), lines[0], aligns, lines[1:], self._plain)
        for row in [*table.head(), *(row for cells in lines[1:] for row in table.body(cells))]:
            self._add(row)

    def _room(self) -> int:
        return max(4, self._width - sum(width_of(run.text) for item in self._containers for run in item.hang))

    def _keep_gap(self, token: Token) -> None:
        """An empty row where the source has one between two blocks."""
        begin, end = token.map or [self._last_line, self._last_line]
        if self.rows and begin > self._last_line:
            hang = tuple(run for container in self._containers for run in container.hang)
            self.rows.append(Row((Run(""),), lead=hang if any(run.text.strip() for run in hang) else ()))
        self._last_line = end

    def _add(self, row: Row) -> None:
        taken = [container.take() for container in self._containers]
        if self._room() <= self._width // 3:
            taken = []
        if taken:
            lead = tuple(run for runs, _copied in taken for run in runs)
            hang = tuple(run for container in self._containers for run in container.hang)
            row.indented(lead, hang, "".join(copied for _runs, copied in taken))
        self.rows.append(row)


def _align(style: str) -> Align:
    return "right" if "right" in style else "center" if "center" in style else "left"


def _inline(tokens: Sequence[Token]) -> Iterator[Runs]:
    """The lines of an inline token."""
    runs: list[Run] = []
    styles: list[str] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        style = " ".join(styles)
        link = links[-1][0] if links and _opens(links[-1][0]) else ""
        match token.type:
            case "text" | "text_special":
                text = safe(token.content)
                runs += [Run(text, style, link)] if links else _with_urls(text, style)
            case "code_inline":
                runs.append(Run(safe(token.content), f"{style} code-span".strip(), link))
            case "softbreak" | "hardbreak":
                yield tuple(runs)
                runs = []
                links = [(target, 0) for target, _place in links]
            case "strong_open" | "em_open" | "s_open":
                styles.append(token.type.removesuffix("_open"))
            case "strong_close" | "em_close" | "s_close":
                styles.remove(token.type.removesuffix("_close"))
            case "link_open":
                links.append((safe(str(token.attrGet("href") or ""), single_line=True, strict=True), len(runs)))
                styles.append("link")
            case "link_close":
                styles.remove("link")
                target, begin = links.pop()
                runs += _target(target, "".join(run.text for run in runs[begin:]), " ".join(styles))
            case "image":
                runs.append(Run(_("[image: {text}]").format(text=safe(token.content)), style, link))
                runs += _target(safe(str(token.attrGet("src") or ""), single_line=True, strict=True), "", style)
            case _:
                runs.append(Run(safe(token.content), style, link))
    yield tuple(runs)


def _target(target: str, label: str, style: str) -> list[Run]:
    """Where a link leads, unless its label says just that."""
    if label == target or f"mailto:{label}" == target:
        return []
    return [
        Run(" (", style),
        Run(target, f"{style} link-target".strip(), target if _opens(target) else ""),
        Run(")", style),
    ]


def _opens(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _with_urls(text: str, style: str) -> list[Run]:
    """Text in which bare addresses are links."""
    runs, end = [], 0
    for match in _url.finditer(text):
        address = match.group().rstrip(_URL_END)
        if match.start() > end:
            runs.append(Run(text[end : match.start()], style))
        runs.append(Run(address, f"{style} link".strip(), address))
        end = match.start() + len(address)
    if end < len(text) or not runs:
        runs.append(Run(text[end:], style))
    return runs
