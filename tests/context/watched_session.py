"""A session without I/O that is kept as the real one is, and what must always hold for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.context.logs import placement
from tests.fakes.valid import problems
from tui_agent.context.block import HEADER
from tui_agent.context.checkpoint import EMPTY, Checkpoint, advance
from tui_agent.context.cuts import Plan
from tui_agent.context.fold import Context, Surroundings, context_of, fold, place_of
from tui_agent.context.gauge import Limits, measure
from tui_agent.context.saying import message_of
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Entry,
    Failed,
    Interrupted,
    Logged,
    MessageEntry,
    Pruned,
    Rewound,
    ToolCall,
    ToolReturned,
    Unpruned,
    UserSaid,
)
from tui_agent.core.messages import Message, as_wire, characters
from tui_agent.core.readings import said_text

SURROUNDINGS = Surroundings(date="2031-02-03", directory="~/project", window=8192)


@dataclass
class WatchedSession:
    """A session's log with its checkpoint and tail, kept as the real session keeps them."""

    log: list[Logged] = field(default_factory=list)
    checkpoint: Checkpoint = EMPTY
    tail: list[Logged] = field(default_factory=list)
    folded_by: dict[int, set[int]] = field(default_factory=dict)
    """The message entries that each compaction folded anew, by its sequence number."""

    rewound_before: dict[int, set[int]] = field(default_factory=dict)
    """What was rewound when a compaction was made, by its sequence number."""

    def append(self, entry: Entry) -> Logged:
        seq = len(self.log) + 1
        logged = Logged(seq, f"2031-02-03T00:00:{seq % 60:02}.000Z", entry)
        message = message_of(entry, seq)
        if message is not None:
            words = estimate(message.text + "".join(call.name + call.arguments for call in message.tool_calls))
            logged = replace(logged, tokens=words, counter="estimate", characters=characters(message))
        before, self.checkpoint = self.checkpoint, advance(self.checkpoint, logged)
        self.log.append(logged)
        if self.checkpoint.upto < before.upto:
            self.tail = [each for each in self.log if each.seq > self.checkpoint.upto]
        else:
            self.tail = [each for each in (*self.tail, logged) if each.seq > self.checkpoint.upto]
        return logged

    def context(self) -> Context:
        return context_of(self.checkpoint, self.tail, SURROUNDINGS)

    # ── what must always hold ────────────────────────────────────────────────

    def check(self) -> None:
        context = self.context()
        assert context == fold(self.log, SURROUNDINGS), "a checkpoint and its tail fold to another context"
        self._check_coverage()
        self._check_messages(context)
        if len(context.messages) > 1:
            found = problems([as_wire(message) for message in context.messages])
            assert not found, found
        self._check_pins(context)
        self._check_counts(context)

    def _check_coverage(self) -> None:
        rewound = self.rewound()
        for ref in self.checkpoint.chain[:1]:
            spoken_of = {seq for seq in rewound - self.rewound_before[ref.seq] if seq <= ref.upto}
            assert not spoken_of, f"the summary {ref.seq} speaks of {spoken_of}, which were rewound"
        covered = set[int]().union(*(self.folded_by[ref.seq] for ref in self.checkpoint.chain))
        assert sum(len(self.folded_by[ref.seq]) for ref in self.checkpoint.chain) == len(covered), "folded twice"
        for seq, place in placement(self.log).items():
            if seq in rewound:
                assert place == "rewound"
            elif seq in covered:
                assert place == "folded"
            else:
                assert place == "context", f"{seq} is covered by no summary and not in the context"

    def rewound(self) -> set[int]:
        return {
            seq
            for each in self.log
            if isinstance(each.entry, Rewound)
            for seq in range(max(each.entry.after, 0) + 1, each.seq)
        }

    def _check_messages(self, context: Context) -> None:
        sent = {message.seq: message for message in context.messages if message.seq is not None}
        for logged in self.log:
            is_in_context = place_of(logged.seq, self.checkpoint) == "context"
            match logged.entry:
                case UserSaid():
                    assert (logged.seq in sent) == is_in_context
                case AssistantSaid(text=text, tool_calls=calls):
                    assert (logged.seq in sent) == (is_in_context and bool(text.strip() or calls))
                case _:
                    assert logged.seq not in sent or (isinstance(logged.entry, ToolReturned) and is_in_context)
            if logged.seq in sent and not isinstance(logged.entry, ToolReturned):
                self._check_is_verbatim(logged, sent[logged.seq])
        self._check_results(sent)
        assert context.messages[0].text.count(SURROUNDINGS.date) == 1
        if context.messages[1:] and context.messages[1].text.startswith(HEADER):
            assert context.messages[2:3] == () or context.messages[2].role == "assistant"

    def _check_results(self, sent: dict[int, Message]) -> None:
        """Each result is sent if it is the first for the nearest call of its id, as its output or its stub."""
        rewound = self.rewound()
        stubs: dict[int, str] = {}
        answered: set[tuple[int, str]] = set()
        for logged in self.tail:
            match logged.entry:
                case Pruned(seqs, texts):
                    stubs.update(zip(seqs, texts, strict=False))
                case Unpruned(seqs):
                    stubs = {seq: text for seq, text in stubs.items() if seq not in seqs}
        for logged in self.tail:
            if not isinstance(logged.entry, ToolReturned) or logged.seq in rewound:
                continue
            owner, copies = self._owner(logged)
            is_first = (owner, logged.entry.call_id) not in answered
            if copies <= 1:
                assert (logged.seq in sent) == (is_first and owner > 0 and owner not in rewound)
            answered.add((owner, logged.entry.call_id))
            if logged.seq in sent:
                assert sent[logged.seq].text == stubs.get(logged.seq, logged.entry.output)

    def _owner(self, returned: Logged) -> tuple[int, int]:
        """The nearest answer before a result with a call of its id (0: none), and how many calls in it have the id."""
        assert isinstance(returned.entry, ToolReturned)
        for logged in reversed(self.tail):
            if logged.seq < returned.seq and isinstance(logged.entry, AssistantSaid):
                copies = [call.id for call in logged.entry.tool_calls].count(returned.entry.call_id)
                if copies:
                    return logged.seq, copies
        return 0, 0

    @staticmethod
    def _check_is_verbatim(logged: Logged, message: Message) -> None:
        said = said_text(logged.entry)
        assert message.text == (said if said.isascii() else said.replace("\ud83d", "\ufffd"))

    def _check_pins(self, context: Context) -> None:
        everything = "\n".join(message.text for message in context.messages)
        for pin in self.checkpoint.pins:
            assert everything.count(pin.text) == 1, f"{pin.text!r} occurs {everything.count(pin.text)} times"

    def _check_counts(self, context: Context) -> None:
        body = context.messages[1:]
        assert context.message_count == len(body)
        assert context.characters == sum(map(characters, body))
        assert self.checkpoint.messages == sum(isinstance(each.entry, MessageEntry) for each in self.log)
        assert len(context.tail_starts) <= len(body)
        gauge = measure(context, self.checkpoint, Limits(window=8192))
        parts = gauge.parts
        assert gauge.tokens == parts.system + parts.tools + parts.summary + parts.pins + parts.tail > 0
        assert gauge.compactions == len(self.checkpoint.chain)

    def check_atoms_are_whole(self, made: Plan) -> None:
        """Between an answer and what answers its calls there is no cut; read from the sent messages, not from atoms."""
        owner = 0
        for message in self.context().messages:
            if message.role == "assistant":
                owner = message.seq or 0
            elif message.role == "tool" and message.seq is not None:
                assert (owner <= made.upto) == (message.seq <= made.upto), f"the cut {made.upto} splits {owner}"

    def check_nothing_folded_waits(self, made: Plan) -> None:
        """No call whose result or approval may still come is folded, and nothing while an approval is pending."""
        rewound = self.rewound()
        standing = [each for each in self.tail if each.seq not in rewound]
        for place, logged in enumerate(standing):
            later = [each.entry for each in standing[place + 1 :]]
            match logged.entry:
                case AssistantSaid(tool_calls=(ToolCall(call_id),), finish="tool_calls") if logged.seq <= made.upto:
                    assert not self._waits(call_id, later, closed_by=(UserSaid, Failed, Interrupted))
                case ApprovalAsked(call_id) if self._asks_for_one_call(logged, call_id):
                    assert not self._waits(call_id, later, closed_by=(Interrupted, ApprovalAnswered))

    def _asks_for_one_call(self, asked: Logged, call_id: str) -> bool:
        """Whether the approval is for the only call of the newest answer, which has no result yet."""
        before = [each.entry for each in self.tail if each.seq < asked.seq]
        newest = next((each for each in reversed(before) if isinstance(each, AssistantSaid)), None)
        if newest is None or [call.id for call in newest.tool_calls] != [call_id] or newest.finish is None:
            return False
        since = before[len(before) - before[::-1].index(newest) :]
        return not any(isinstance(each, ToolReturned | Interrupted | Rewound) for each in since)

    @staticmethod
    def _waits(call_id: str, later: Sequence[Entry], closed_by: tuple[type[Entry], ...]) -> bool:
        """Whether the entries after a call neither answer it nor end its turn."""
        return not any(
            isinstance(each, closed_by)
            or (isinstance(each, ToolReturned | ApprovalAnswered) and each.call_id == call_id)
            or (isinstance(each, AssistantSaid) and (not each.tool_calls or each.finish is None))
            for each in later
        )
