"""Sessions rolled by a die: turns with tools, approvals, stops, crashes and compactions; each request must be valid.

`python -m tests.soak.generated_logs 100000` rolls so many, on every processor, and prints what it found. What closes
open calls, where a log may be cut and what a request holds is the program's own; what an endpoint refuses and which
message is where is read independently of it.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.valid import problems
from tui_agent.agent.pending import CANCELLED, closing, open_calls, passed_over, pending_approval, repairs
from tui_agent.context.checkpoint import EMPTY, Checkpoint, advance, checkpoint_from_json, checkpoint_to_json
from tui_agent.context.fold import Context, Surroundings, context_of, fold
from tui_agent.context.gauge import Limits
from tui_agent.context.policy import plan
from tui_agent.context.prune import clipped, superseded
from tui_agent.context.saying import message_of
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Detail,
    Entry,
    Failed,
    Interrupted,
    Logged,
    MessageEntry,
    Noticed,
    Pinned,
    Pruned,
    Reasoning,
    Rewound,
    Size,
    SummaryRestored,
    TextPart,
    ToolCall,
    ToolReturned,
    Unpruned,
    Usage,
    UserSaid,
)
from tui_agent.core.messages import characters
from tui_agent.errors import ApprovalPending, NothingToFold
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.wire import Request, body

SURROUNDINGS = (
    Surroundings(date="2031-02-03", directory="~/project", window=4096),
    Surroundings(
        date="2031-02-03", window=4096, instructions="Use tabs.\n</record>>> \ud83d", retrieved=("folded \0 words",)
    ),
)
"""A session has one of them, by its number: without and with an instructions file and something brought back."""

LIMITS = Limits(window=4096, threshold=0.8, keep_recent=6)
HERE = Endpoint("http://127.0.0.1:1/v1")

IDS = ("call_0", "call_1", "call_2", "call_3", "call_0_2", "")
"""Few, so that they repeat across turns and within a message, as some endpoints' do."""

ARGUMENTS = ('{"path":"a.txt"}', "{}", '{"text":"\\ud83c\\udf78"}', '{"text":"\\ud83c"}')
ODD_TEXTS = ("half \ud83d", "null \0", "\u2028", "", "  ", "</record>", "🍸")


class Stopped(Exception):
    """The user stopped the turn, or the program was killed: the turn ends here."""


@dataclass
class RolledSession:
    """A session kept as the real one is, to which what a die says happens."""

    seed: int
    log: list[Logged] = field(default_factory=list)
    checkpoint: Checkpoint = EMPTY
    tail: list[Logged] = field(default_factory=list)
    folded_by: dict[int, set[int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    invalid: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.die = random.Random(self.seed)
        self.surroundings = SURROUNDINGS[self.seed % 3 == 0]
        self.texts = 0
        self._made: tuple[int, Context] | None = None

    # ── the log ──────────────────────────────────────────────────────────────

    def append(self, *entries: Entry) -> None:
        before = self.checkpoint
        for entry in entries:
            seq = len(self.log) + 1
            logged = Logged(seq, "2031-02-03T00:00:00.000Z", entry)
            message = message_of(entry, seq)
            if message is not None:
                words = message.text + "".join(call.name + call.arguments for call in message.tool_calls)
                logged = replace(logged, tokens=estimate(words), counter="estimate", characters=characters(message))
            self.log.append(logged)
            self.checkpoint = advance(self.checkpoint, logged)
            self.tail.append(logged)
        if self.checkpoint.upto < before.upto:
            self.tail = self.log[self.checkpoint.upto :]
        else:
            self.tail = [each for each in self.tail if each.seq > self.checkpoint.upto]

    def chance(self, share: float) -> bool:
        return self.die.random() < share

    def words(self, kind: str, many: int = 1) -> str:
        self.texts += 1
        odd = self.die.choice(ODD_TEXTS) if self.chance(0.04) else ""
        return f"{kind} {self.texts} " * many + odd

    def context(self) -> Context:
        if self._made is None or self._made[0] != self.checkpoint.seq:
            self._made = (self.checkpoint.seq, context_of(self.checkpoint, self.tail, self.surroundings))
        return self._made[1]

    # ── turns ────────────────────────────────────────────────────────────────

    def play(self, turns: int) -> None:
        for _ in range(turns):
            if self.chance(0.4):
                self.between()
            try:
                self.turn()
            except Stopped:
                pass
            if self.chance(0.1):
                self.reopen()
        self.request()

    def turn(self) -> None:
        self.append(*passed_over(self), UserSaid((TextPart(self.words("question", self.die.choice((1, 1, 30)))),)))
        for _ in range(self.die.choice((0, 1, 1, 2, 3, 6))):
            self.compact_if_due()
            self.request()
            self.maybe_stop(0.04)
            self.calls()
            self.rounds()
        self.compact_if_due()
        self.request()
        self.maybe_stop(0.06)
        self.answer()

    def answer(self) -> None:
        if self.chance(0.05):
            self.append(AssistantSaid(self.die.choice(("", self.words("half"))), finish=None), Failed("it broke"))
            return
        usage = Usage(self.die.randint(1, 4000), self.die.randint(1, 400)) if self.chance(0.5) else None
        reasoning = Reasoning("hm") if self.chance(0.1) else None
        text = "" if self.chance(0.05) else self.words("answer", self.die.choice((1, 5, 40)))
        self.append(AssistantSaid(text, reasoning, usage=usage, estimated=self.context().tokens))

    def calls(self) -> None:
        asked = tuple(
            ToolCall(
                self.die.choice(IDS),
                self.die.choice(("read_file", "run_command", "no such tool")),
                self.die.choice(ARGUMENTS),
                malformed="{half" if self.chance(0.1) else None,
            )
            for _ in range(self.die.choice((1, 1, 2, 3)))
        )
        if self.chance(0.7):
            asked = tuple(replace(call, id=f"{call.id}-{place}") for place, call in enumerate(asked))
        finish = "length" if self.chance(0.03) else "tool_calls"
        self.append(AssistantSaid("" if self.chance(0.7) else self.words("thought"), tool_calls=asked, finish=finish))
        self.counts["tool calls"] += len(asked)

    def rounds(self) -> None:
        """What becomes of the calls: one after another, or, where they only read, in any order."""
        waiting = list(open_calls(self))
        if self.chance(0.3):
            self.die.shuffle(waiting)
        for call in waiting:
            self.maybe_stop(0.03)
            if call.name == "run_command" and call.malformed is None and not self.is_allowed(call):
                continue
            self.maybe_stop(0.03)
            output = self.words("output", self.die.choice((1, 1, 20, 200, 1200)))
            subject = self.die.choice(("a.txt", "b.txt", ""))
            self.append(ToolReturned(call.id, output, failed=self.chance(0.1), name=call.name, subject=subject))

    def is_allowed(self, call: ToolCall) -> bool:
        self.append(ApprovalAsked(call.id, "run"))
        self.counts["approvals"] += 1
        self.compact()
        self.maybe_stop(0.1)
        if self.chance(0.05):
            self.counts["approvals left pending"] += 1
            raise Stopped
        if self.chance(0.3):
            self.append(ApprovalAnswered(call.id, "denied", "no"), ToolReturned(call.id, "denied", failed=True))
            return False
        self.append(ApprovalAnswered(call.id, "once"))
        return True

    def maybe_stop(self, share: float) -> None:
        """At times the user stops the turn here, or the program dies; both leave what their code leaves."""
        if not self.chance(share):
            return
        if self.chance(0.5):
            if self.chance(0.3) and not open_calls(self):
                self.append(AssistantSaid(self.words("partial"), finish=None))
            self.append(*closing(self, CANCELLED), Interrupted())
            self.counts["stops"] += 1
        else:
            self.counts["crashes"] += 1
            self.reopen()
        raise Stopped

    def reopen(self) -> None:
        """The program starts anew: from the stored checkpoint and the entries behind it."""
        stored = json.loads(json.dumps(checkpoint_to_json(self.checkpoint)))
        self.checkpoint = checkpoint_from_json(stored)
        self.tail = [each for each in self.log if each.seq > self.checkpoint.upto]
        self._made = None
        self.append(*repairs(self))
        pending = pending_approval(self)
        self.compact()
        if pending is not None and self.chance(0.6):
            self.counts["approvals asked again"] += 1
            self.append(ApprovalAnswered(pending.id, "once"), ToolReturned(pending.id, "ran", name=pending.name))

    # ── compaction and what else changes a context ───────────────────────────

    def compact_if_due(self) -> None:
        for logged in self.tail:
            clip = clipped(logged, 1000) if isinstance(logged.entry, ToolReturned) and self.chance(0.3) else None
            if clip is not None:
                self.append(clip)
        if self.chance(0.3) or self.context().tokens > 3000:
            stale = superseded(self.tail, keep_last=2, large=300, least_gain=50)
            if stale is not None:
                self.append(stale)
                self.counts["prunings"] += 1
            self.compact()

    def compact(self) -> None:
        is_pending = pending_approval(self) is not None
        keep = self.die.choice((0, 1, 2, 4, 6, 6, 12))
        above = self.die.randint(1, len(self.log) + 1) if self.chance(0.1) else None
        limits = LIMITS if self.chance(0.5) else None
        try:
            made = plan(self.checkpoint, self.tail, keep, limits, above)
        except ApprovalPending:
            self.counts["compactions refused while an approval was pending"] += 1
            return
        except NothingToFold:
            return
        if is_pending:
            self.invalid.append(f"{self.where()}: compacted while an approval was pending")
        if self.chance(0.05):
            self.append(Noticed("it failed", "compaction failed"))
            return
        details = (Detail("path", self.words("detail")),) if self.chance(0.5) else ()
        request = (made.open_request,) if made.open_request else ()
        compacted = Compacted(
            self.checkpoint.head,
            made.upto,
            (),
            self.words("summary", 5),
            details=(*request, *details),
            fence=f"{self.texts:016x}",
            folded=made.messages,
            trigger="window",
            after=Size(self.die.randint(500, 5000), 5000, 9),
            limit=3276,
        )
        self.append(compacted)
        self.folded_by[len(self.log)] = {each.seq for each in made.folded}
        self.counts["compactions"] += 1
        self.request()

    def between(self) -> None:
        """What a person does between turns."""
        match self.die.randrange(9):
            case 0 if self.checkpoint.undoable is not None:
                self.append(CompactionUndone(self.checkpoint.undoable))
                self.counts["undos"] += 1
            case 1 if self.checkpoint.redoable is not None:
                self.append(CompactionRedone(self.checkpoint.redoable))
            case 2 if self.checkpoint.compactions:
                self.append(SummaryRestored(self.die.choice(self.checkpoint.compactions).seq))
            case 3:
                self.append(Pinned(self.words("pin")))
            case 4:
                pruned = [seq for each in self.log if isinstance(each.entry, Pruned) for seq in each.entry.seqs]
                self.append(Unpruned(tuple(pruned)))
            case 5:
                said = [each.seq for each in self.log[-30:] if isinstance(each.entry, UserSaid)]
                self.append(Rewound(self.die.choice(said or [1]) - self.die.randint(0, 1)))
                self.counts["rewinds"] += 1
            case _:
                self.compact()
        self.request()

    # ── what must hold ───────────────────────────────────────────────────────

    def where(self) -> str:
        return f"seed {self.seed}, entry {len(self.log)}"

    def request(self) -> None:
        """A request as it would leave now; nothing of the log may be missing from it without a reason."""
        if open_calls(self) and pending_approval(self) is not None:
            return
        context = self.context()
        if len(context.messages) < 2:
            return
        sent: list[dict[str, Any]] = body(Request(context.messages, "m"), HERE)["messages"]
        found = problems(sent)
        if found:
            self.invalid.append(f"{self.where()}: {found}")
        self.counts["requests"] += 1
        self._check_coverage(context)

    def _check_coverage(self, context: Context) -> None:
        """Each message is in the request, or in a live summary's own range, or rewound: read from the log alone."""
        in_request = {message.seq for message in context.messages}
        covered = set[int]().union(*(self.folded_by.get(ref.seq, set()) for ref in self.checkpoint.chain))
        rewound = {
            seq for each in self.log if isinstance(each.entry, Rewound) for seq in range(each.entry.after + 1, each.seq)
        }
        for logged in self.log:
            if not isinstance(logged.entry, MessageEntry) or message_of(logged.entry) is None:
                continue
            places = (logged.seq in in_request) + (logged.seq in covered - rewound) + (logged.seq in rewound)
            if places != 1:
                self.lost.append(f"{self.where()}: {type(logged.entry).__name__} {logged.seq} is in {places} places")

    def finish(self) -> None:
        if fold(self.log, self.surroundings) != self.context():
            self.lost.append(f"{self.where()}: the checkpoint folds to another context than the log")


@dataclass
class Findings:
    """What came of many sessions."""

    logs: int = 0
    entries: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    invalid: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        self.logs += other.logs
        self.entries += other.entries
        self.counts += other.counts
        self.invalid += other.invalid[:20]
        self.lost += other.lost[:20]


def roll(seeds: Sequence[int]) -> Findings:
    """One session for each seed."""
    findings = Findings()
    for seed in seeds:
        session = RolledSession(seed)
        session.play(session.die.randint(1, 7))
        session.finish()
        findings.add(Findings(1, len(session.log), session.counts, session.invalid, session.lost))
    return findings


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Rolls sessions and checks every request.")
    parser.add_argument("logs", type=int, nargs="?", default=2_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    started = time.monotonic()
    seeds = range(options.first, options.first + options.logs)
    findings = Findings()
    with ProcessPoolExecutor(options.processes) as pool:
        for part in pool.map(roll, [seeds[place : place + 500] for place in range(0, len(seeds), 500)]):
            findings.add(part)
            if not findings.logs % 10_000:
                print(f"{findings.logs:,} logs, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    for name, count in sorted(findings.counts.items()):
        print(f"{count:>12,} {name}")
    print(f"{findings.entries:>12,} entries in {findings.logs:,} logs, {time.monotonic() - started:.0f} s")
    print(f"{len(findings.invalid):>12,} invalid requests, {len(findings.lost):,} lost entries")
    for complaint in (*findings.invalid[:10], *findings.lost[:10]):
        print(complaint)
    return 1 if findings.invalid or findings.lost else 0


if __name__ == "__main__":
    sys.exit(main())
