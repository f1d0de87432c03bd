"""Which result answers which call, and which calls still wait: what the fold repairs by and cuts may not cross."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import field

from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Failed,
    Interrupted,
    Logged,
    Rewound,
    ToolReturned,
    UserSaid,
)
from tui_agent.values import frozen, mutable

Ranges = Sequence[tuple[int, int]]
"""Ranges of sequence numbers, both ends included, sorted and apart."""


@mutable
class Step:
    """An assistant's calls with what belongs to them. Filled while the log is read, not changed afterwards."""

    said: Logged
    call_ids: tuple[str, ...]
    results: list[Logged | None]
    """The result of each call, in the order of the calls; None while there is none."""

    last: int
    """The last sequence number of what belongs to it."""

    asked: set[int] = field(default_factory=set)
    """Calls (by place) whose approval was asked and not answered."""

    interrupted: bool = False
    """Whether the user stopped the turn after it, or while it was still arriving."""

    closed: bool = False
    """Whether no result can be expected any more."""

    def waits(self) -> list[int]:
        """Places of the calls without result."""
        return [place for place, result in enumerate(self.results) if result is None]

    def is_open(self) -> bool:
        """Whether a call may still get its result."""
        return bool(self.waits()) and (not self.closed or self.is_pending())

    def is_pending(self) -> bool:
        """Whether a call waits for the user's approval."""
        return not self.interrupted and any(self.results[place] is None for place in self.asked)


@frozen
class Pairs:
    """The steps of a stretch of log."""

    steps: dict[int, Step]
    """By the sequence number of the assistant's entry; rewound ones are not in it."""

    answering: set[int]
    """The sequence numbers of results and approvals that belong to a step."""


def is_rewound(seq: int, ranges: Ranges) -> bool:
    """Whether the entry was taken out of the context."""
    if not ranges:
        return False
    place = bisect_right(ranges, seq, key=lambda each: each[0]) - 1
    return place >= 0 and seq <= ranges[place][1]


def ranges_of(entries: Iterable[Logged]) -> tuple[tuple[int, int], ...]:
    """What the `Rewound` entries among these took out of the context."""
    ranges: list[tuple[int, int]] = []
    for logged in entries:
        if isinstance(logged.entry, Rewound):
            first, last = max(logged.entry.after, 0) + 1, logged.seq - 1
            while first <= last and ranges and ranges[-1][1] >= first:
                first = min(first, ranges.pop()[0])
            if first <= last:
                ranges.append((first, last))
    return tuple(ranges)


def pair(entries: Iterable[Logged], rewound: Ranges) -> Pairs:
    """Pair each result with the nearest call before it that has its id; of several results the first counts.

    What was rewound answers nothing; what answers a rewound call belongs to no step.
    """
    reader = _Reader()
    for logged in entries:
        if not is_rewound(logged.seq, rewound):
            reader.read(logged)
        elif isinstance(logged.entry, AssistantSaid):
            reader.hide(logged.entry)
    return Pairs(reader.steps, reader.answering)


class _Reader:
    """Reads a log once, entry by entry."""

    def __init__(self) -> None:
        self.steps: dict[int, Step] = {}
        self.answering: set[int] = set()
        self._nearest: dict[str, Step | None] = {}
        self._unclosed: list[Step] = []

    def read(self, logged: Logged) -> None:
        match logged.entry:
            case AssistantSaid() as entry:
                self._read_answer(logged, entry)
            case UserSaid() | Failed():
                self._close()
            case Interrupted():
                self._close(interrupted=True)
            case ToolReturned(call_id) | ApprovalAsked(call_id) | ApprovalAnswered(call_id):
                step = self._nearest.get(call_id)
                if step is not None and _take(step, logged, call_id):
                    step.last = logged.seq
                    self.answering.add(logged.seq)

    def hide(self, answer: AssistantSaid) -> None:
        """Note a rewound answer: results of its calls must not be taken for those of an earlier call."""
        self._nearest.update(dict.fromkeys((call.id for call in answer.tool_calls), None))

    def _read_answer(self, logged: Logged, answer: AssistantSaid) -> None:
        if not answer.tool_calls:
            self._close()
            return
        call_ids = tuple(call.id for call in answer.tool_calls)
        step = Step(logged, call_ids, [None] * len(call_ids), last=logged.seq)
        self.steps[logged.seq] = step
        self._nearest.update(dict.fromkeys(call_ids, step))
        self._unclosed.append(step)
        if answer.finish is None:
            step.closed = step.interrupted = True

    def _close(self, *, interrupted: bool = False) -> None:
        for step in self._unclosed:
            step.closed = True
            step.interrupted = step.interrupted or interrupted
        self._unclosed.clear()


def _take(step: Step, logged: Logged, call_id: str) -> bool:
    """Give the step what answers one of its calls; False when no call of that id waits for it."""
    waiting = [place for place in step.waits() if step.call_ids[place] == call_id]
    match logged.entry:
        case ApprovalAsked():
            place = next((each for each in waiting if each not in step.asked), None)
            if place is not None:
                step.asked.add(place)
        case ApprovalAnswered():
            place = next((each for each in waiting if each in step.asked), None)
            if place is not None:
                step.asked.discard(place)
        case _:
            place = next(iter(waiting), None)
            if place is not None:
                step.results[place] = logged
    return place is not None
