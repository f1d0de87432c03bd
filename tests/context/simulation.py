"""A session without I/O in which anything happens that can happen in one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tests.context.watched_session import SURROUNDINGS, WatchedSession
from tui_agent.context.checkpoint import EMPTY, checkpoint_from_json, checkpoint_to_json
from tui_agent.context.cuts import Plan, atoms
from tui_agent.context.fold import fold
from tui_agent.context.policy import plan
from tui_agent.context.prune import superseded
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Detail,
    DetailKept,
    Entry,
    Failed,
    ForkedFrom,
    ImagePart,
    Interrupted,
    Logged,
    MessageEntry,
    ModelChosen,
    Noticed,
    Pinned,
    Pruned,
    Reasoning,
    Rewound,
    Size,
    SummaryRestored,
    SystemPromptSet,
    TextPart,
    ToolCall,
    ToolReturned,
    Unpinned,
    Unpruned,
    Usage,
    UserSaid,
)
from tui_agent.core.readings import said_text
from tui_agent.errors import ApprovalPending, NothingToFold

Option = TypeVar("Option")

CALL_IDS = ("call_1", "call_2", "call_3", "call_1_2", "")
ARGUMENTS = ('{"path":"a.txt"}', '{"text":"\\ud83c\\udf78"}', '{"text":"\\ud83c"}', '{"n":NaN}', "[1]", "")


class Chooser(Protocol):
    """Where the simulation's choices come from."""

    def number(self, low: int, high: int) -> int: ...

    def one_of(self, options: Sequence[Option]) -> Option: ...


@dataclass
class Simulation(WatchedSession):
    """A session in which what the chooser chooses happens."""

    choose: Chooser = field(kw_only=True)
    texts: int = 0

    def text(self, kind: str) -> str:
        """Words that occur nowhere else."""
        self.texts += 1
        return f"{kind} <{self.texts}>"

    # ── what is said ─────────────────────────────────────────────────────────

    def user_speaks(self) -> None:
        picture = (ImagePart("data:image/png;base64," + "A" * 400),) if self.choose.number(0, 9) == 0 else ()
        half = "\ud83d" if self.choose.number(0, 19) == 0 else ""
        self.append(UserSaid((TextPart(self.text("question") + half), *picture)))

    def model_answers(self) -> None:
        text = self.choose.one_of(["", " \n", *[self.text("answer")] * 6])
        usage = Usage(self.choose.number(0, 900), self.choose.number(0, 90)) if self.choose.number(0, 2) else None
        reasoning = Reasoning("hm") if not text.strip() else None
        finish = self.choose.one_of(["stop", "stop", "length", None])
        self.append(AssistantSaid(text, reasoning, usage=usage, finish=finish, estimated=self.context().tokens))

    def model_calls(self) -> None:
        calls = tuple(
            ToolCall(
                self.choose.one_of(CALL_IDS),
                "read_file",
                self.choose.one_of(ARGUMENTS),
                malformed=self.choose.one_of([None, None, None, "{half"]),
            )
            for _ in range(self.choose.number(1, 3))
        )
        finish = self.choose.one_of(["tool_calls", "tool_calls", "tool_calls", None])
        self.append(AssistantSaid(self.choose.one_of(["", self.text("thought")]), tool_calls=calls, finish=finish))

    def tool_returns(self) -> None:
        size = self.choose.one_of([1, 1, 40])
        subject = self.choose.one_of(["", "a.txt", "b.txt"])
        self.append(ToolReturned(self._call_id(), self.text("output") * size, name="read_file", subject=subject))

    def approval_is_asked(self) -> None:
        self.append(ApprovalAsked(self._call_id(), "run"))

    def approval_is_answered(self) -> None:
        self.append(ApprovalAnswered(self._call_id(), self.choose.one_of(["once", "denied"])))

    def turn_of_tools(self) -> None:
        """An ordinary exchange with parallel calls, so that most logs look like real ones."""
        count = self.choose.number(1, 3)
        base = self.choose.number(0, 1) * 10
        ids = [f"call_{base + place}" for place in range(count)]
        calls = tuple(ToolCall(each, "read_file", '{"path":"a.txt"}') for each in ids)
        self.append(AssistantSaid("", tool_calls=calls, finish="tool_calls"))
        for each in ids:
            self.append(ToolReturned(each, self.text("output"), name="read_file", subject="a.txt"))

    def call_asks(self) -> None:
        call = ToolCall(self.choose.one_of(CALL_IDS[:3]), "run_command", '{"command":"make"}')
        self.append(AssistantSaid("", tool_calls=(call,), finish="tool_calls"))
        self.append(ApprovalAsked(call.id, "make"))

    def turn_is_interrupted(self) -> None:
        ends: list[Entry] = [Interrupted(), Failed("the endpoint refused")]
        self.append(self.choose.one_of(ends))

    def _call_id(self) -> str:
        recent = [
            call.id
            for logged in self.log[-6:]
            if isinstance(logged.entry, AssistantSaid)
            for call in logged.entry.tool_calls
        ]
        return self.choose.one_of([*recent, *recent, *CALL_IDS])

    # ── compaction ───────────────────────────────────────────────────────────

    def compact(self) -> None:
        keep = self.choose.number(0, 8)
        above = self.choose.number(1, len(self.log) + 1) if self.choose.number(0, 4) == 0 else None
        before = self.context()
        try:
            made = plan(self.checkpoint, self.tail, keep, above=above)
        except (NothingToFold, ApprovalPending):
            assert self.context() == before
            return
        if above is None:
            assert made.kept >= min(keep, sum(atom.messages for atom in atoms(self.tail)))
        else:
            assert made.upto < above
        self.check_atoms_are_whole(made)
        self.check_nothing_folded_waits(made)
        self._apply(made)
        assert self.checkpoint.redoable is None
        kept_messages = self.context().messages[-made.kept :] if made.kept else ()
        assert kept_messages == before.messages[len(before.messages) - made.kept :]

    def _apply(self, made: Plan) -> None:
        details = (Detail("path", self.text("detail")),) if self.choose.number(0, 1) else ()
        request = (made.open_request,) if made.open_request else ()
        compacted = self.append(
            Compacted(
                self.checkpoint.head,
                made.upto,
                (),
                self.text("summary"),
                details=details + request,
                fence=f"{self.texts:016x}",
                folded=made.messages,
                trigger=self.choose.one_of(["manual", "window"]),
                after=Size(self.choose.number(10, 90), 100, 5),
                limit=50,
            )
        )
        self.folded_by[compacted.seq] = {each.seq for each in made.folded}
        self.rewound_before[compacted.seq] = self.rewound()

    def compaction_fails(self) -> None:
        before = self.context()
        self.append(Noticed("[history compaction failed: keeping the original history]", "compaction failed"))
        assert self.context().messages == before.messages

    def undo(self) -> None:
        op = self.checkpoint.undoable
        if op is None:
            return
        before = self.context().messages
        undone = self.append(CompactionUndone(op))
        never = [each for each in self.log if each.seq not in (op, undone.seq)]
        assert self.context().messages == fold(never, SURROUNDINGS).messages
        if self.choose.number(0, 1):
            self.append(CompactionRedone(op))
            assert self.context().messages == before

    def redo(self) -> None:
        op = self.checkpoint.redoable
        if op is not None:
            self.append(CompactionRedone(op))
            assert self.checkpoint.undoable == op

    def restore(self) -> None:
        if self.checkpoint.compactions:
            self.append(SummaryRestored(self.choose.one_of(self.checkpoint.compactions).seq))

    # ── what is carried, left out, changed ───────────────────────────────────

    def pin(self) -> None:
        pinnable = [each for each in self.log if isinstance(each.entry, MessageEntry) and self._can_be_pinned(each)]
        if pinnable and self.choose.number(0, 1):
            source = self.choose.one_of(pinnable)
            self.append(Pinned(said_text(source.entry), source.seq))
        else:
            self.append(Pinned(self.text("pin")))

    @staticmethod
    def _can_be_pinned(logged: Logged) -> bool:
        text = said_text(logged.entry)
        return bool(text.strip()) and text.isascii() and text.count("<") == 1

    def unpin(self) -> None:
        if self.checkpoint.pins:
            self.append(Unpinned(self.choose.one_of(self.checkpoint.pins).seq))

    def keep_detail(self) -> None:
        if self.checkpoint.compactions:
            compaction = self.choose.one_of(self.checkpoint.compactions).seq
            self.append(DetailKept(compaction, Detail("number", self.text("detail"))))

    def prune(self) -> None:
        stale = superseded(self.tail, keep_last=1, large=50, least_gain=1)
        if stale is not None:
            self.append(stale)
        results = [each.seq for each in self.tail if isinstance(each.entry, ToolReturned)]
        if results:
            self.append(Pruned((self.choose.one_of(results),), (self.text("stub"),)))

    def unprune(self) -> None:
        pruned = [seq for each in self.log if isinstance(each.entry, Pruned) for seq in each.entry.seqs]
        if pruned:
            self.append(Unpruned((self.choose.one_of(pruned),)))

    def rewind(self) -> None:
        if self.log:
            self.append(Rewound(self.choose.number(max(len(self.log) - 12, -1), len(self.log) + 1)))

    def set_something(self) -> None:
        settings: list[Entry] = [SystemPromptSet(self.text("be brief")), ModelChosen("m2"), Interrupted()]
        self.append(self.choose.one_of(settings))

    def refer_to_nothing(self) -> None:
        beyond = len(self.log) + 50
        before = self.context().messages
        pointless: list[Entry] = [
            CompactionUndone(beyond),
            CompactionRedone(beyond),
            SummaryRestored(beyond),
            Compacted(beyond, beyond, (), "from nowhere"),
            Unpinned(beyond),
            Unpruned((beyond,)),
            Pruned((beyond,), ()),
            DetailKept(beyond, Detail("path", "/nowhere")),
            ToolReturned("never called", "output"),
            Rewound(beyond),
        ]
        self.append(self.choose.one_of(pointless))
        assert self.context().messages == before

    def fork(self) -> None:
        if not self.log:
            return
        prefix = self.log[: self.choose.number(1, len(self.log))]
        self.log, self.checkpoint, self.tail = [], EMPTY, []
        for logged in prefix:
            self.append(logged.entry)
        self.append(ForkedFrom("another", len(prefix)))

    def reopen(self) -> None:
        stored = json.loads(json.dumps(checkpoint_to_json(self.checkpoint)))
        self.checkpoint = checkpoint_from_json(stored)
        self.tail = [each for each in self.log if each.seq > self.checkpoint.upto]


ACTIONS: tuple[tuple[str, int], ...] = (
    ("user_speaks", 6),
    ("model_answers", 5),
    ("turn_of_tools", 5),
    ("model_calls", 3),
    ("tool_returns", 4),
    ("approval_is_asked", 1),
    ("call_asks", 2),
    ("approval_is_answered", 2),
    ("turn_is_interrupted", 2),
    ("compact", 5),
    ("compaction_fails", 1),
    ("undo", 2),
    ("redo", 1),
    ("restore", 1),
    ("pin", 2),
    ("unpin", 1),
    ("keep_detail", 1),
    ("prune", 1),
    ("unprune", 1),
    ("rewind", 1),
    ("set_something", 1),
    ("refer_to_nothing", 1),
    ("fork", 1),
    ("reopen", 1),
)
"""What can happen, with how often it does among the others."""


def act(simulation: Simulation, name: str, *, checked: bool = True) -> None:
    """Let one thing happen, and check everything unless told not to."""
    action: Any = getattr(simulation, name)
    action()
    if checked:
        simulation.check()
