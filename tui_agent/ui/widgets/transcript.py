"""The transcript: a session as blocks, whatever its length, fed by the events of its turns."""

from collections.abc import Sequence
from time import monotonic

from textual.message import Message
from textual.timer import Timer

from tui_agent.core.entries import AssistantSaid, Logged, Pinned, Unpinned
from tui_agent.core.events import (
    AnswerRestarted,
    Appended,
    CommandProgressed,
    CommandStarted,
    ContextMoved,
    Event,
    ReasoningArrived,
    TextArrived,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
)
from tui_agent.ui.keys_first import KeysFirst
from tui_agent.ui.messages import STEP
from tui_agent.ui.widgets.assembling import Assembler
from tui_agent.ui.widgets.block_browser import BlockBrowser, Current
from tui_agent.ui.widgets.block_lines import Growth, head_rows
from tui_agent.ui.widgets.blocks import AnswerBlock, Block, NoticeBlock, ReasoningBlock, ToolBlock
from tui_agent.ui.widgets.folding import Folding
from tui_agent.ui.widgets.heights import Pages
from tui_agent.values import posted

__all__ = ["Current", "Transcript"]

FRAME_SECONDS = 1 / 20
"""Between two paints of an answer that is being written."""

RUNNING_SHOWN = 2_000
"""Characters kept of what a running command has printed last."""

OLDER_SCREENS = 4
"""Screens from the upper end at which older entries are asked for."""


class Transcript(BlockBrowser):
    """What was said in a session."""

    @posted
    class OlderWanted(Message):
        """The view is near its upper end and there is more above it."""

        before: int
        """The sequence number of the oldest loaded entry."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.keys_first = KeysFirst()
        self._assembler = Assembler()
        self._answer: AnswerBlock | None = None
        self._reasoning: ReasoningBlock | None = None
        self._oldest = 0
        self._more_above = self._older_asked = False
        self._pieces: list[str] = []
        self._thoughts: list[str] = []
        self._waiting = 0
        """Characters in them."""

        self._thinking_since = self._painted_at = 0.0
        self._frames: Timer | None = None
        self._blank = ""  # what has arrived before the first letter of an answer
        self._last_seq = 0

    def on_mount(self) -> None:
        self._frames = self.set_interval(FRAME_SECONDS, self._frame, pause=not (self._pieces or self._thoughts))

    # ── what was said before ─────────────────────────────────────────────────

    def load(self, entries: Sequence[Logged], *, more_above: bool) -> None:
        """Show a session from these entries on; what was shown before is gone."""
        self._start_afresh()
        for logged in entries:
            for block in self._assembler.blocks_of(logged):
                self.blocks.append(self._as_wished(block))
        self._assembler.changed.clear()
        self._oldest, self._last_seq = (entries[0].seq, entries[-1].seq) if entries else (0, 0)
        self._more_above, self._older_asked = more_above, False
        self._folding.pinned = frozenset(self._assembler.pins.values())
        self.follow()

    def _start_afresh(self) -> None:
        self.clear_cursor()
        self.clear_find()
        self._answer = self._reasoning = self._flashed = None
        self._drop_pieces()
        self._growths.clear()
        self._layouts.clear()
        self._codes_given = (0, 0)
        self._assembler, self._folding = Assembler(), Folding()
        self.blocks = Pages(self._text_width)

    def prepend(self, entries: Sequence[Logged], *, more_above: bool) -> None:
        """Add older entries above; the lines in view stay where they are."""
        self._more_above, self._older_asked = more_above, False
        if not entries:
            return
        older = Assembler()
        blocks = [self._as_wished(block) for logged in entries for block in older.blocks_of(logged)]
        self._join_labels(older)
        self._assembler.join(older)
        self.blocks.prepend(blocks)
        self._oldest = entries[0].seq
        self._folding.pinned = frozenset(self._assembler.pins.values())
        self._folding.place_divider(self.blocks)
        self._settle()
        self._ask_for_older()

    def _join_labels(self, older: Assembler) -> None:
        """The agent's first block loses its label if older ones now stand under the same."""
        for key in range(self.blocks.first, self.blocks.end):
            block = self.blocks[key]
            if (
                isinstance(block, ToolBlock)
                and block.call.id in older.calls
                and block.call.id in self._assembler.orphans
            ):
                self._forget(key)
                continue
            if isinstance(block, ReasoningBlock | AnswerBlock | ToolBlock) and older.agent_speaks:
                block.labelled = False
                self._forget(key)
            if not isinstance(block, NoticeBlock) or block.kind == "stopped":
                return

    def _place(self, place: tuple[int, int]) -> None:
        super()._place(place)
        self._ask_for_older()

    def _ask_for_older(self) -> None:
        near = self.scroll_y < OLDER_SCREENS * self._view.height
        if near and self._more_above and not self._older_asked and self._view.height:
            self._older_asked = True
            self.post_message(self.OlderWanted(self._oldest))

    # ── what happens ─────────────────────────────────────────────────────────

    def apply(self, event: Event) -> None:
        """Show what happened: the one projection for a live turn and for a reopened session.

        What is only waited for (a request, a retry, a summary) is another widget's to say.
        """
        match event:
            case TextArrived(text):
                self._pieces.append(text)
                self._wake(len(text))
            case ReasoningArrived(text):
                self._thoughts.append(text)
                self._wake(len(text))
            case Appended(logged):
                self._flush_pieces()
                self._append(logged)
            case AnswerRestarted(text, reasoning):
                self._restart(text, reasoning)
            case ContextMoved():
                self._move_context(event)
            case ToolStarted() | ToolProgressed():
                self._show_tool(event)
            case CommandStarted(command):
                self._add([self._assembler.start(command)])
            case CommandProgressed(text) if (running := self._assembler.running) is not None:
                running.output = (running.output + text)[-RUNNING_SHOWN:]
                self._forget(running.key)
                self._settle(running.key)
            case TurnEnded():
                self._flush_pieces()
                self._stop_growing()

    def _append(self, logged: Logged) -> None:
        growing = self._answer is not None or self._reasoning is not None
        if isinstance(logged.entry, AssistantSaid) and growing:
            new = self._settle_answer(logged.seq, logged.at, logged.entry)
        else:
            new = self._assembler.blocks_of(logged)
        self._oldest = self._oldest or logged.seq
        self._last_seq = logged.seq
        for card in self._assembler.changed:
            self._forget(card.key)
        self._assembler.changed.clear()
        if isinstance(logged.entry, Pinned | Unpinned):
            self._show_pins()
        self._add(new)

    def _add(self, new: Sequence[Block]) -> None:
        for block in new:
            self.blocks.append(self._as_wished(block))
        if new and not self._following:
            self._count_new(self._new_below + 1)
        self._settle()

    def _show_pins(self) -> None:
        before, self._folding.pinned = self._folding.pinned, frozenset(self._assembler.pins.values())
        for seq in before ^ self._folding.pinned:
            key = self._key_of(seq)
            if key is not None:
                self._forget(key)

    def _move_context(self, moved: ContextMoved) -> None:
        before, divider = self._folding.moved, self._folding.divider_key
        self._folding.moved = moved
        self._folding.place_divider(self.blocks)
        if self.plain or moved.rewound != before.rewound:
            self._forget_all()
        for key in (divider, self._folding.divider_key):
            if key is not None:
                self._changed(key)
        self._settle()

    def _show_tool(self, event: ToolStarted | ToolProgressed) -> None:
        call_id = event.call.id if isinstance(event, ToolStarted) else event.call_id
        card = self._assembler.calls.get(call_id)
        if card is None:
            return
        if isinstance(event, ToolStarted):
            card.state = "running"
        else:
            card.progress = event.text
        self._forget(card.key)
        self._settle(card.key)

    # ── an answer that is being written ──────────────────────────────────────

    def _wake(self, characters: int) -> None:
        """Paint what has arrived: at once after a pause or when it is much, else with the next frame."""
        self._waiting += characters
        is_due = monotonic() - self._painted_at >= FRAME_SECONDS and not self.keys_first.wait
        if is_due or self._waiting >= STEP:
            self._flush()
        elif self._frames is not None:
            self._frames.resume()

    def _frame(self) -> None:
        """It is time for a frame; a key that is on its way goes before it."""
        if wait := self.keys_first.wait:
            self.set_timer(wait, self._flush)
        else:
            self._flush()

    def _flush(self) -> None:
        if not self._pieces and not self._thoughts:
            if self._frames is not None:
                self._frames.pause()
            return
        self._flush_pieces()
        self._painted_at = monotonic()
        if self._frames is not None:
            self._frames.resume()

    def _flush_pieces(self) -> None:
        """Put what has arrived into the blocks that are being written."""
        self._waiting = 0
        if self._thoughts:
            self._grow_reasoning("".join(self._thoughts))
            self._thoughts.clear()
        if self._pieces:
            self._grow_answer("".join(self._pieces))
            self._pieces.clear()

    def _drop_pieces(self) -> None:
        self._waiting = 0
        self._pieces.clear()
        self._thoughts.clear()
        self._blank = ""

    def _grow_reasoning(self, text: str) -> None:
        if self._reasoning is None:
            self._thinking_since = monotonic()
            self._reasoning = ReasoningBlock(0, "", "", labelled=self._assembler.label(), growing=True)
            self._start_growing(self._reasoning)
        block = self._reasoning
        block.text += text
        block.seconds = monotonic() - self._thinking_since
        self._grow(block)

    def _grow_answer(self, text: str) -> None:
        text = self._blank + text
        self._blank = "" if text.strip() or self._answer is not None else text
        if self._blank:
            return
        self._end_thinking()
        if self._answer is None:
            self._answer = AnswerBlock(0, "", "", labelled=self._assembler.label(), growing=True)
            self._start_growing(self._answer)
        self._answer.text += text
        self._grow(self._answer)

    def _start_growing(self, block: AnswerBlock | ReasoningBlock) -> None:
        self.blocks.append(self._as_wished(block))
        self._growths[block.key] = Growth(block, self._text_width, self._manner, self._folding.standing(block))
        if not self._following:
            self._count_new(self._new_below + 1)

    def _grow(self, block: AnswerBlock | ReasoningBlock) -> None:
        growth = self._growths[block.key]
        growth.feed()
        if isinstance(block, ReasoningBlock):
            head = head_rows(block, self._manner, self._folding.standing(block))
            growth.layout.replace(len(head) - 1, head[-1])
        self.blocks.set_height(block.key, len(growth.layout.lines))
        self._settle(block.key)

    def _end_thinking(self) -> None:
        """The reasoning is complete; its block is laid out as any other from now on."""
        block = self._reasoning
        if block is not None and block.growing:
            block.growing = False
            self._growths.pop(block.key, None)
            self._forget(block.key)
            self._lines(block.key)

    def _stop_growing(self) -> None:
        """Whatever was being written is written no more; the end of its text is laid out too."""
        self._end_thinking()
        for spoken in (self._reasoning, self._answer):
            if spoken is not None:
                spoken.seq = spoken.seq or self._last_seq
        self._reasoning = None
        block, self._answer = self._answer, None
        if block is None or not block.growing:
            return
        block.growing = False
        growth = self._growths.pop(block.key, None)
        if growth is not None:
            growth.finish()
            self._keep(growth)

    def _keep(self, growth: Growth) -> None:
        """Use a finished answer's layout on, with its label and its ending as they are now."""
        block = growth.block
        standing = self._folding.standing(block)
        for number, row in enumerate(head_rows(block, self._manner, standing)):
            growth.layout.replace(number, row)
        growth.end(self._manner, standing)
        self._layouts[block.key] = growth.layout
        self.blocks.set_height(block.key, len(growth.layout.lines))

    def _settle_answer(self, seq: int, at: str, said: AssistantSaid) -> list[Block]:
        """What was streamed is in the log now; the blocks that are there become its blocks."""
        answer, reasoning = self._answer, self._reasoning
        if reasoning is not None:
            reasoning.seq, reasoning.at = seq, at
            self._forget(reasoning.key)
            reasoning.text = said.reasoning.text if said.reasoning is not None else ""
            if answer is not None and not reasoning.text.strip():
                answer.labelled = answer.labelled or reasoning.labelled
        if answer is not None:
            answer.seq, answer.at, answer.finish = seq, at, said.finish
            if answer.text != said.text:
                answer.text = said.text
                self._growths.pop(answer.key, None)
                self._forget(answer.key)
        self._stop_growing()
        new: list[Block] = []
        if answer is None and (said.text.strip() or not said.tool_calls):
            new.append(AnswerBlock(seq, at, said.text, labelled=self._assembler.label(), finish=said.finish))
        return new + self._assembler.calls_of(seq, at, said.tool_calls)

    def _restart(self, text: str, reasoning: str) -> None:
        """What was streamed so far is void."""
        self._drop_pieces()
        written = [block for block in (self._reasoning, self._answer) if block is not None]
        for block in sorted(written, key=lambda block: block.key, reverse=True):
            self._take_away(block)
        self._answer = self._reasoning = None
        if reasoning:
            self._grow_reasoning(reasoning)
        if text:
            self._grow_answer(text)
        self._settle()

    def _take_away(self, block: AnswerBlock | ReasoningBlock) -> None:
        """Show a block no more; one that others stand below keeps its place without a line."""
        if self._cursor == block.key:
            self.clear_cursor()
        self._growths.pop(block.key, None)
        self._forget(block.key)
        self._assembler.agent_speaks = self._assembler.agent_speaks and not block.labelled
        if block.key == self.blocks.end - 1:
            self.blocks.pop()
        else:
            block.text, block.growing = "", False

    def _changed(self, key: int) -> None:
        growth = self._growths.get(key)
        if growth is None:
            self._forget(key)
            return
        standing = self._folding.standing(growth.block)
        self._growths[key] = Growth(growth.block, self._text_width, self._manner, standing)
        self.blocks.set_height(key, len(self._growths[key].layout.lines))
        self._window = None
