"""Entries become blocks: the one projection, for a turn that is going on and for a session that is read again."""

from dataclasses import field

from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    CompactionRedone,
    CompactionUndone,
    Failed,
    ForkedFrom,
    Interrupted,
    Logged,
    ModelChosen,
    Noticed,
    Pinned,
    Pruned,
    Rewound,
    SummaryRestored,
    ToolCall,
    ToolReturned,
    Unpinned,
    Unpruned,
    UserSaid,
)
from tui_agent.core.readings import deed_of, said_text
from tui_agent.language import _
from tui_agent.ui.widgets.blocks import (
    AnswerBlock,
    Block,
    DeedBlock,
    FailureBlock,
    NoticeBlock,
    ReasoningBlock,
    ToolBlock,
    UserBlock,
)
from tui_agent.values import mutable


@mutable
class Assembler:
    """Turns entries, in their order, into blocks; knows the calls that wait for a result."""

    calls: dict[str, ToolBlock] = field(default_factory=dict)
    """Calls by id that have no result yet."""

    results: dict[int, ToolBlock] = field(default_factory=dict)
    """Cards by the sequence number of their result."""

    orphans: dict[str, ToolBlock] = field(default_factory=dict)
    """Results by call id whose calls are not loaded."""

    pins: dict[int, int] = field(default_factory=dict)
    """Pinned entries by the sequence number of their `Pinned`."""

    agent_speaks: bool = False
    """Whether the next block of the agent goes on under a label that already stands."""

    changed: list[ToolBlock | DeedBlock] = field(default_factory=list)
    """Cards of earlier entries that an entry has changed; whoever lays out takes them."""

    running: DeedBlock | None = None
    """A command of the user's own that has no entry yet."""

    def blocks_of(self, logged: Logged) -> list[Block]:
        """The blocks an entry adds."""
        seq, at = logged.seq, logged.at
        match logged.entry:
            case UserSaid():
                self.agent_speaks = False
                deed = deed_of(logged.entry)
                return [UserBlock(seq, at, said_text(logged.entry))] if deed is None else self._did(seq, at, deed)
            case AssistantSaid() as said:
                return self._said(seq, at, said)
            case ToolReturned() as returned:
                return self._returned(seq, at, returned)
            case Interrupted(reason):
                self.agent_speaks = False
                return [NoticeBlock(seq, at, _(reason), "stopped")]
            case Failed(what, meaning, todo):
                self.agent_speaks = False
                return [FailureBlock(seq, at, what, meaning, todo)]
            case Rewound():
                self.agent_speaks = False
                return []
            case Noticed(text, kind):
                return [NoticeBlock(seq, at, text, kind)]
            case CompactionUndone():
                return [NoticeBlock(seq, at, _("[history compaction: taken back]"), "compaction")]
            case CompactionRedone():
                return [NoticeBlock(seq, at, _("[history compaction: applied again]"), "compaction")]
            case SummaryRestored():
                return [NoticeBlock(seq, at, _("[history compaction: an earlier summary stands again]"), "compaction")]
            case ForkedFrom(session, fork_seq):
                words = _("forked from session {session} at message {seq}")
                return [NoticeBlock(seq, at, words.format(session=session[:8], seq=fork_seq))]
            case ModelChosen(model) if self.agent_speaks:
                return [NoticeBlock(seq, at, _("model: {model}").format(model=model))]
            case Pinned(text, None):
                return [NoticeBlock(seq, at, _("pinned: {text}").format(text=text))]
            case _:
                self._changes(logged)
                return []

    def start(self, command: str) -> DeedBlock:
        """The block of a command that begins to run."""
        self.agent_speaks = False
        self.running = DeedBlock(0, "", "command", command, running=True)
        return self.running

    def _did(self, seq: int, at: str, deed: DeedPart) -> list[Block]:
        block, self.running = self.running, None
        new: list[Block] = []
        if block is None or (block.kind, block.subject) != (deed.kind, deed.subject):
            block = DeedBlock(seq, at, deed.kind, deed.subject, labelled=deed.kind == "command")
            new = [block]
        else:
            self.changed.append(block)
        block.seq, block.at, block.running = seq, at, False
        block.output, block.failed = deed.output, deed.failed
        return new

    def calls_of(self, seq: int, at: str, calls: tuple[ToolCall, ...]) -> list[Block]:
        """A card for each call."""
        cards: list[Block] = []
        for call in calls:
            card = ToolBlock(seq, at, call, labelled=self.label())
            self.calls[call.id] = card
            cards.append(card)
        return cards

    def label(self) -> bool:
        """Whether a block of the agent needs a label; from then on one stands."""
        needed, self.agent_speaks = not self.agent_speaks, True
        return needed

    def join(self, older: "Assembler") -> None:
        """Take over what entries that were loaded later, but stand above, have left open."""
        for call_id, orphan in list(self.orphans.items()):
            card = older.calls.pop(call_id, None)
            if card is not None:
                card.output, card.state, card.subject = orphan.output, orphan.state, orphan.subject
                card.result_seq = orphan.result_seq
                self.results[card.result_seq] = card
                orphan.superseded = True
                del self.orphans[call_id]
        self.calls = {**older.calls, **self.calls}
        self.results = {**older.results, **self.results}
        self.orphans = {**older.orphans, **self.orphans}
        self.pins = {**older.pins, **self.pins}

    def _said(self, seq: int, at: str, said: AssistantSaid) -> list[Block]:
        blocks: list[Block] = []
        if said.reasoning is not None and said.reasoning.text.strip():
            blocks.append(ReasoningBlock(seq, at, said.reasoning.text, labelled=self.label()))
        if said.text.strip() or not said.tool_calls:
            blocks.append(AnswerBlock(seq, at, said.text, labelled=self.label(), finish=said.finish))
        return blocks + self.calls_of(seq, at, said.tool_calls)

    def _returned(self, seq: int, at: str, returned: ToolReturned) -> list[Block]:
        card = self.calls.pop(returned.call_id, None)
        new: list[Block] = []
        if card is None:
            call = ToolCall(returned.call_id, returned.name or "tool", "{}")
            card = ToolBlock(seq, at, call, labelled=self.label())
            self.orphans[returned.call_id] = card
            new = [card]
        else:
            self.changed.append(card)
        denied = card.state == "denied"
        card.state = "denied" if denied else "failed" if returned.failed else "returned"
        card.output, card.subject, card.result_seq = returned.output, returned.subject, seq
        card.summary = returned.summary
        self.results[seq] = card
        return new

    def _changes(self, logged: Logged) -> None:
        """What an entry changes in cards that are there."""
        match logged.entry:
            case ApprovalAsked(call_id) if call_id in self.calls:
                self._mark(self.calls[call_id]).state = "asked"
            case ApprovalAnswered(call_id, decision) if call_id in self.calls:
                self._mark(self.calls[call_id]).state = "denied" if decision == "denied" else "called"
            case Pruned(seqs):
                self._mark_pruned(seqs, True)
            case Unpruned(seqs):
                self._mark_pruned(seqs, False)
            case Pinned(_, int() as source):
                self.pins[logged.seq] = source
            case Unpinned(pin):
                self.pins.pop(pin, None)

    def _mark(self, card: ToolBlock) -> ToolBlock:
        self.changed.append(card)
        return card

    def _mark_pruned(self, seqs: tuple[int, ...], pruned: bool) -> None:
        for seq in seqs:
            if seq in self.results:
                self._mark(self.results[seq]).pruned = pruned
