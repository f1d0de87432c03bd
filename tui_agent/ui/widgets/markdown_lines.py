"""A Markdown text that grows, as a layout of which only the open end is ever made again.

The text is closed stretch by stretch: prose at blank lines, code line by line, tables row by row, and anything at all
after `LIMIT` characters. What is closed is never parsed again, so a piece costs the same in a long answer as in a
short one; and a text fed at once ends in the same layout as the same text fed in pieces.
"""

import re
from typing import Literal

from tui_agent.ui.widgets.lines import Layout, Row, Run, code_row
from tui_agent.ui.widgets.markdown_blocks import code_label, inline_runs, prose_rows
from tui_agent.ui.widgets.tables import SAMPLE, Align, Cell, Table

LIMIT = 4000
"""Characters an open stretch may have before it is closed where it stands."""

_fence = re.compile(r"(?P<indent>(?:\s|>|(?:[-*+]|\d{1,9}[.)])\s)*)(?P<marker>`{3,}|~{3,})(?P<info>.*)$")
_item = re.compile(r"(?P<indent> {0,3})(?:[-*+]|\d{1,9}[.)])\s")
_delimiters = re.compile(r" {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_pipe = re.compile(r"(?<!\\)\|")


class _Fence:
    """An open block of code."""

    def __init__(self, opening: re.Match[str]) -> None:
        self.indent = len(opening["indent"])
        self.quoted = ">" in opening["indent"]
        self.info = opening["info"].strip()
        marker = opening["marker"]
        self._closing = re.compile(rf"[\s>]*{re.escape(marker[0])}{{{len(marker)},}}\s*$")

    def is_closed_by(self, line: str) -> bool:
        return self._closing.match(line) is not None

    def is_left_by(self, line: str) -> bool:
        """Whether a line shows that the list item or quote around the block has ended."""
        if self.quoted:
            return ">" not in line[: self.indent + 1]
        return self.indent > 0 and bool(line) and not line[0].isspace()

    def code(self, line: str) -> str:
        """A line without the indentation of the block."""
        blank = len(line) - len(line.lstrip(" "))
        return line[min(self.indent, blank) :]


class MarkdownLines:
    """A layout that Markdown is fed into."""

    def __init__(self, layout: Layout, *, plain: bool = False) -> None:
        self._layout = layout
        self._plain = plain
        self._mode: Literal["prose", "fence", "table"] = "prose"
        self._tail = ""
        self._start = 0
        self._scanned = 0
        self._fence: _Fence | None = None
        self._code_from = 0
        self._item_indent: int | None = None
        self._blank_before = False
        self._line_before = -1
        self._gap_due = False
        self._header: list[Cell] = []
        self._aligns: list[Align] = []
        self._sample: list[list[Cell]] = []
        self._table: Table | None = None
        self._closed = (len(layout.rows), len(layout.lines))

    def feed(self, text: str) -> None:
        """Add to the text; it must be safe to show."""
        self._layout.cut(*self._closed)
        self._tail += text
        self._scan()
        self._tail = self._tail[self._start :]
        self._scanned -= self._start
        self._line_before -= self._start
        self._start = 0
        self._closed = (len(self._layout.rows), len(self._layout.lines))
        self._show_open()

    def finish(self) -> None:
        """The text is complete."""
        if self._tail and not self._tail.endswith("\n"):
            self.feed("\n")

    # ── closing what is complete ─────────────────────────────────────────────

    def _scan(self) -> None:
        while (end := self._tail.find("\n", self._scanned)) >= 0:
            self._split_long_line(end)
            begin, self._scanned = self._scanned, end + 1
            line = self._tail[begin:end]
            if self._mode == "fence":
                self._scan_code(line)
            elif self._mode == "table":
                self._scan_table_row(line, begin)
            else:
                self._scan_prose(line, begin)
        self._split_long_line(len(self._tail))

    def _scan_prose(self, line: str, begin: int) -> None:
        if self._fence is not None and not self._fence.is_left_by(line):
            if self._fence.is_closed_by(line):
                self._fence = None
            self._split_long_stretch(line, begin)
            return
        self._fence = None
        if not line.strip():
            self._blank_before = True
            if self._start == begin:
                self._start = self._scanned
            return
        in_item = self._item_indent is not None
        item = _item.match(line)
        if self._blank_before and not (in_item and line[0].isspace()):
            self._close_prose(begin)
        elif item is not None and self._item_indent is not None and len(item["indent"]) <= self._item_indent:
            self._close_prose(begin)
            self._gap_due = self._blank_before
        self._blank_before = False
        if self._start == begin:
            self._item_indent = len(item["indent"]) if item is not None else None
        if not self._opens_block(line, begin):
            self._line_before = begin
            self._split_long_stretch(line, begin)

    def _opens_block(self, line: str, begin: int) -> bool:
        opening = _fence.match(line)
        if opening is not None and not ("`" in opening["info"] and opening["marker"][0] == "`"):
            fence = _Fence(opening)
            if opening["indent"].strip(" ") or fence.indent > 3 or (self._item_indent is not None and fence.indent > 1):
                self._fence = fence
                return False
            self._close_prose(begin)
            self._open_fence(fence)
            return True
        before = self._tail[self._line_before : begin - 1] if self._line_before >= self._start else ""
        if (
            "|" in before
            and self._item_indent is None
            and _delimiters.match(line)
            and not before.lstrip().startswith(">")
        ):
            return self._open_table(before, line)
        return False

    def _close_prose(self, end: int) -> None:
        """Close the prose up to an offset."""
        text = self._tail[self._start : end]
        self._start = end
        self._fence = None
        self._item_indent = None
        if text.strip():
            self._write(prose_rows(text, self._layout.width, plain=self._plain))

    def _open_fence(self, fence: _Fence) -> None:
        self._mode, self._fence = "fence", fence
        self._start = self._scanned
        self._write(code_label(fence.info, self._plain))
        self._code_from = len(self._layout.rows) + self._gap_due

    def _scan_code(self, line: str) -> None:
        assert self._fence is not None
        self._start = self._scanned
        if self._fence.is_closed_by(line):
            language = self._fence.info.split()[0] if self._fence.info else ""
            self._layout.codes.append((self._code_from, len(self._layout.rows), language))
            self._mode, self._fence = "prose", None
            self._gap_due = True
            return
        self._write([code_row(self._fence.code(line))], gap=self._gap_due)
        self._gap_due = False

    def _open_table(self, header: str, delimiters: str) -> bool:
        cells, aligns = _split(header), [_alignment(cell) for cell in _split(delimiters)]
        if len(cells) != len(aligns):
            return False
        self._close_prose(self._line_before)
        self._mode = "table"
        self._start = self._scanned
        self._header, self._aligns = [inline_runs(cell) for cell in cells], aligns
        self._sample, self._table = [], None
        return True

    def _scan_table_row(self, line: str, begin: int) -> None:
        if "|" not in line:
            self._close_table()
            self._scan_prose(line, begin)
            return
        self._start = self._scanned
        cells = [inline_runs(cell) for cell in _joined(_split(line), len(self._header))]
        if self._table is not None:
            self._write(self._table.body(cells), gap=False)
            return
        self._sample.append(cells)
        if len(self._sample) >= SAMPLE:
            self._fix_table()

    def _fix_table(self) -> None:
        self._table = self._sampled()
        self._write(self._sampled_rows(self._table))

    def _close_table(self) -> None:
        if self._table is None:
            self._fix_table()
        self._mode, self._table, self._sample = "prose", None, []
        self._gap_due = True

    def _sampled(self) -> Table:
        return Table(self._layout.width, self._header, self._aligns, self._sample, self._plain)

    def _sampled_rows(self, table: Table) -> list[Row]:
        return [*table.head(), *(row for cells in self._sample for row in table.body(cells))]

    # ── what goes on too long ────────────────────────────────────────────────

    def _split_long_stretch(self, line: str, begin: int) -> None:
        """Close prose that has grown too long: before a line at the left edge, or at any line if none comes."""
        length = begin - self._start
        if length > LIMIT and not line[:1].isspace() and self._fence is None:
            self._close_stretch(begin)
        elif length > 2 * LIMIT:
            self._close_stretch(self._scanned)

    def _split_long_line(self, end: int) -> None:
        """Close what stands of a line that has grown too long; the rest goes on in the next row."""
        while end - self._scanned > LIMIT:
            if self._mode == "fence":
                stop = self._scanned + LIMIT
                row = code_row(self._tail[self._scanned : stop])
                self._write([row], gap=self._gap_due)
                self._start = stop
                self._gap_due = False
            else:
                if self._mode == "table":
                    self._close_table()
                stop = self._tail.rfind(" ", self._scanned + 1, self._scanned + LIMIT) + 1 or self._scanned + LIMIT
                self._close_stretch(stop)
            self._scanned = stop
            if self._layout.rows:
                self._layout.rows[-1].glued = True

    def _close_stretch(self, end: int) -> None:
        """Close prose where no block ends; a block of code inside it goes on as one."""
        fence = self._fence
        self._close_prose(end)
        self._gap_due = False
        if fence is not None:
            self._mode, self._fence = "fence", fence

    # ── writing ──────────────────────────────────────────────────────────────

    def _write(self, rows: list[Row], *, gap: bool | None = None) -> None:
        """Put rows into the layout, behind an empty one if it is due."""
        if not rows:
            return
        if (self._gap_due if gap is None else gap) and self._layout.rows:
            self._layout.extend([Row((Run(""),))])
        self._layout.extend(rows)
        self._gap_due = self._mode == "prose" and not rows[-1].runs[0].style.startswith("heading")

    def _show_open(self) -> None:
        """Lay out what is not closed yet; the next piece takes it away again."""
        due = self._gap_due
        open_text = self._tail
        if self._mode == "table":
            if self._table is None:
                self._write(self._sampled_rows(self._sampled()))
            open_text = ""
        elif self._mode == "fence" and self._fence is not None:
            if open_text and not self._fence.is_closed_by(open_text) and open_text.strip("`~ "):
                self._write([code_row(self._fence.code(open_text))], gap=due)
        elif open_text.strip():
            self._write(prose_rows(open_text, self._layout.width, plain=self._plain))
        self._gap_due = due


def _split(line: str) -> list[str]:
    """The cells of a line of a table."""
    inner = line.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _pipe.split(inner)]


def _joined(cells: list[str], columns: int) -> list[str]:
    """The cells of a row, what has no column put into the last one."""
    return cells if len(cells) <= columns else [*cells[: columns - 1], " | ".join(cells[columns - 1 :])]


def _alignment(cell: str) -> Align:
    if cell.endswith(":"):
        return "center" if cell.startswith(":") else "right"
    return "left"
