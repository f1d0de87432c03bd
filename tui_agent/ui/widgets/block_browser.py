"""Moving about in blocks by hand: the cursor over messages, folding, jumping, finding, clicking."""

import re

from textual import events
from textual.message import Message

from tui_agent.ui.widgets.block_lines import is_cut
from tui_agent.ui.widgets.block_view import BlockView
from tui_agent.ui.widgets.blocks import (
    AnswerBlock,
    Block,
    DeedBlock,
    NoticeBlock,
    ReasoningBlock,
    Role,
    ToolBlock,
    UserBlock,
    role_of,
    source_of,
)
from tui_agent.ui.widgets.finding import Finding
from tui_agent.ui.widgets.folding import last_up_to
from tui_agent.ui.widgets.lines import Highlight, Line, Run
from tui_agent.values import frozen, posted

FLASH_SECONDS = 0.8

NEAR_CALL = 64
"""Blocks above a result's place in which its call is looked for."""

_code_block = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)(?:^[ \t>]*(?P=mark)|\Z)", re.M | re.S
)


@frozen
class Current:
    """The message the cursor is on."""

    seq: int
    """Its sequence number; 0 while it is still being written."""

    role: Role
    text: str
    """Its source, byte for byte."""

    typed: str = ""
    """For a command of the user's own: what was typed to run it."""


class BlockBrowser(BlockView):
    """A view of blocks that a person moves about in."""

    @posted
    class CursorMoved(Message):
        """The cursor over messages stands elsewhere; None when it is gone."""

        current: Current | None

    @posted
    class LinkChosen(Message):
        """A link was clicked; the widget never opens one itself."""

        url: str

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._cursor: int | None = None
        self._flashed: int | None = None
        self._finding: Finding | None = None
        self._found: tuple[int, int, int] | None = None
        self._details_opened = False
        self._codes_given: tuple[int, int] = (0, 0)

    # ── the cursor ───────────────────────────────────────────────────────────

    @property
    def current(self) -> Current | None:
        """The message under the cursor."""
        if self._cursor is None:
            return None
        block = self.blocks[self._cursor]
        typed = f"!{block.subject}" if isinstance(block, DeedBlock) and block.kind == "command" else ""
        return Current(block.seq, role_of(block), source_of(block), typed)

    def cursor_up(self) -> None:
        """Move the cursor to the message above; the first call puts it on the last message in view."""
        start = self._cursor
        if start is None:
            last = self._line_at(self._view.height - 1)
            start = self.blocks.end if last is None else last[0] + 1
        self._move_cursor(start - 1, -1)

    def cursor_down(self) -> None:
        """Move the cursor to the message below; past the last one it goes away."""
        if self._cursor is not None:
            self._move_cursor(self._cursor + 1, 1)

    def clear_cursor(self) -> None:
        """Take the cursor away."""
        self._put_cursor(None)

    def _move_cursor(self, key: int, step: int) -> None:
        while self.blocks.first <= key < self.blocks.end:
            if not isinstance(self.blocks[key], NoticeBlock) and self._lines(key):
                self._put_cursor(key)
                self._bring_into_view(key)
                return
            key += step
        if step > 0:
            self._put_cursor(None)
            self.follow()

    def _put_cursor(self, key: int | None) -> None:
        if key == self._cursor:
            return
        self._cursor = key
        self.refresh()
        self.post_message(self.CursorMoved(self.current))

    def _bring_into_view(self, key: int) -> None:
        """Scroll as little as needed to show a block, or its beginning if it is taller than the view."""
        height = len(self._lines(key))
        first = self._top
        if key < first[0] or (key == first[0] and first[1] > 0) or height >= self._view.height:
            self._go_to((key, 0))
            return
        last = self._walk((key, height - 1), 1 - self._view.height)
        if last > first:
            self._go_to(last)

    # ── folding ──────────────────────────────────────────────────────────────

    def toggle_fold(self) -> None:
        """Fold or open the block under the cursor."""
        if self._cursor is not None:
            self._toggle(self._cursor)

    def toggle_details(self) -> None:
        """Open all tool and reasoning blocks, or fold them all; those to come do as the last time."""
        self._details_opened = not self._details_opened
        for block in self.blocks:
            if isinstance(block, ToolBlock | ReasoningBlock) and block.opened != self._details_opened:
                block.opened = self._details_opened
                self._changed(block.key)
        self._settle()

    def _as_wished(self, block: Block) -> Block:
        """A new block, open if details are wanted open."""
        if self._details_opened and isinstance(block, ToolBlock | ReasoningBlock):
            block.opened = True
        return block

    def _toggle(self, key: int, *, more: bool = False) -> None:
        """Open or fold a block; with `more`, show the rest of what is open."""
        block = self.blocks[key]
        match block:
            case UserBlock() | DeedBlock():
                block.whole = not block.whole
            case ToolBlock() if block.opened and not block.whole and (more or is_cut(block)):
                block.whole = True
            case ToolBlock() | ReasoningBlock():
                block.opened = not block.opened
            case _:
                return
        self._changed(key)
        if self._top[0] == key:
            self._top = (key, min(self._top[1], max(0, len(self._lines(key)) - 1)))
        self._settle(key)

    def _changed(self, key: int) -> None:
        """Lay a block out again when it is next seen; a subclass knows of blocks that are being written."""
        self._forget(key)

    # ── jumping ──────────────────────────────────────────────────────────────

    def jump_to(self, seq: int) -> bool:
        """Show the message with this sequence number and flash it; False if it is not loaded."""
        key = self._key_of(seq)
        if key is None:
            return False
        self._go_to((key, 0))
        self._flashed = key
        self.set_timer(FLASH_SECONDS, self._end_flash)
        self.refresh()
        return True

    def _key_of(self, seq: int) -> int | None:
        """The first block of an entry, or the call that a tool's result belongs to."""
        key = last_up_to(self.blocks, seq)
        while key > self.blocks.first and self.blocks[key - 1].seq == seq:
            key -= 1
        if key >= self.blocks.first and self.blocks[key].seq == seq:
            return key
        for back in range(key, max(self.blocks.first, key - NEAR_CALL) - 1, -1):
            block = self.blocks[back]
            if isinstance(block, ToolBlock) and block.result_seq == seq:
                return back
        return None

    def _keys_of(self, seq: int) -> range:
        """All blocks of an entry: an answer, and each call it makes."""
        key = self._key_of(seq)
        if key is None:
            return range(0)
        end = key + 1
        while end < self.blocks.end and self.blocks[end].seq == seq:
            end += 1
        return range(key, end)

    def _end_flash(self) -> None:
        self._flashed = None
        self.refresh()

    # ── code ─────────────────────────────────────────────────────────────────

    def next_code_block(self) -> str | None:
        """The text of the next code block of the current message (else of the last answer); None if it has none."""
        key = self._cursor if self._cursor is not None else self._last_answer()
        if key is None:
            return None
        codes = [_dedented(match) for match in _code_block.finditer(source_of(self.blocks[key]))]
        if not codes:
            return None
        given = self._codes_given[1] if self._codes_given[0] == key else 0
        self._codes_given = (key, given + 1)
        return codes[given % len(codes)]

    def _last_answer(self) -> int | None:
        for key in range(self.blocks.end - 1, self.blocks.first - 1, -1):
            if isinstance(self.blocks[key], AnswerBlock):
                return key
        return None

    # ── finding ──────────────────────────────────────────────────────────────

    def find(self, query: str) -> int:
        """Highlight `query` (case ignored) in what is loaded, show the last hit; how many there are."""
        if not query:
            self.clear_find()
            return 0
        self._finding = Finding(query, self.blocks)
        self.find_previous()
        return self._finding.total

    def find_next(self) -> None:
        """Show the next hit below, or the first."""
        if self._finding is not None:
            self._show_hit(self._finding.next())

    def find_previous(self) -> None:
        """Show the next hit above, or the last."""
        if self._finding is not None:
            self._show_hit(self._finding.previous())

    def find_in(self, query: str, seq: int) -> bool:
        """Find `query` in what is loaded by now and show the hit in entry `seq`; False when it has none."""
        self._finding = Finding(query, self.blocks)
        hit = self._finding.last_in(self._keys_of(seq))
        self._show_hit(hit)
        return hit is not None

    @property
    def hits(self) -> tuple[int, int]:
        """How many hits there are in what is loaded, and the number of the one that is shown, from 1; 0 for none."""
        return (self._finding.total, self._finding.at) if self._finding is not None else (0, 0)

    def is_at_last_hit(self, step: int) -> bool:
        """Whether a step (1 down, -1 up) leads past the hits that are loaded."""
        return self._finding is None or self._finding.is_at_end(step)

    def clear_find(self) -> None:
        """Take the highlights away."""
        self._finding = self._found = None
        self.refresh()

    def _show_hit(self, hit: tuple[int, int] | None) -> None:
        self._found = None
        self.refresh()
        if hit is None or self._finding is None:
            return
        key, number = hit
        self._open_for(self.blocks[key])
        layout = self._layout(key)
        places = list(self._finding.places(layout.rows))
        block = self.blocks[key]
        if number >= len(places) and isinstance(block, ToolBlock) and is_cut(block):
            block.whole = True
            self._changed(key)
            layout = self._layout(key)
            places = list(self._finding.places(layout.rows))
        row, offset = places[min(number, len(places) - 1)] if places else (0, 0)
        self._found = key, row, offset
        line = layout.line_of(row, offset)
        self._go_to(self._walk((key, line), -(self._view.height // 3)))

    def _open_for(self, block: Block) -> None:
        """Open what is folded, so that a hit in it can be seen."""
        match block:
            case ToolBlock() | ReasoningBlock() if not block.opened:
                block.opened = True
                self._changed(block.key)
            case UserBlock() | DeedBlock() if not block.whole:
                block.whole = True
                self._changed(block.key)

    # ── drawing and clicking ─────────────────────────────────────────────────

    def _marked_gutter(self, key: int, line: Line, gutter: Run) -> Run:
        if key != self._cursor:
            return gutter
        return Run("> " if self.plain else "▌ ", "cursor")

    def _highlights(self, key: int, line: Line) -> list[Highlight]:
        highlights = super()._highlights(key, line)
        if key == self._flashed:
            highlights.insert(0, Highlight(0, len(line.row.text), "flash"))
        if self._finding is not None:
            found = self._found
            offset = found[2] if found is not None and found[:2] == (key, line.number) else None
            highlights = self._finding.highlights(line.row, offset) + highlights
        return highlights

    def on_click(self, event: events.Click) -> None:
        link = event.style.meta.get("link")
        if isinstance(link, str):
            event.stop()
            self.post_message(self.LinkChosen(link))
            return
        placed = self._line_at(event.get_content_offset_capture(self).y)
        if placed is None or not placed[1].row.action or self.text_selection is not None:
            return
        event.stop()
        self._toggle(placed[0], more=placed[1].row.action == "more")


def _dedented(match: re.Match[str]) -> str:
    """The code of a match without the indentation of its fence."""
    indent = match["indent"]
    lines = match["code"].removesuffix("\n").split("\n")
    return "\n".join(line.removeprefix(indent) for line in lines)
