"""A log as the messages of the next request: pure, total, and valid on the wire whatever the log holds."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from tui_agent.context.block import acknowledgement, block
from tui_agent.context.checkpoint import Checkpoint, Pin, checkpoint_of
from tui_agent.context.pairing import Ranges, Step, is_rewound, pair
from tui_agent.context.prune import stubs_of
from tui_agent.context.saying import message_of, tokens_of
from tui_agent.context.tokens import estimate, estimate_message, estimate_tools
from tui_agent.core.entries import (
    Compacted,
    Detail,
    DetailKept,
    Logged,
    ToolCall,
    ToolReturned,
)
from tui_agent.core.events import GaugeParts
from tui_agent.core.messages import Message, ToolSpec, characters
from tui_agent.core.unicode import repaired
from tui_agent.values import frozen

__all__ = ["Context", "Surroundings", "context_of", "fold", "message_of"]

DEFAULT_SYSTEM_PROMPT = (
    "You are a helpful assistant in a terminal. Answer briefly and exactly, in the user's language. "
    "If you do not know something, say so."
)

CANCELLED = "Cancelled by the user."
UNKNOWN_OUTCOME = "Interrupted: the outcome of this call is unknown."
OPENING = "(The conversation goes on below.)"
"""The user's words where a context would begin with an answer, which strict chat templates refuse."""

Place = Literal["context", "folded", "rewound"]
"""Where a message entry is: exactly one of the three."""


@frozen
class Surroundings:
    """What a context depends on that is not in the log."""

    date: str = ""
    directory: str = ""
    window: int | None = None
    tools: tuple[ToolSpec, ...] = ()
    system_prompt: str = DEFAULT_SYSTEM_PROMPT
    """Used while the log sets none."""

    instructions: str = ""
    """Text of the workspace's instructions file, as confirmed by the user."""

    retrieved: tuple[str, ...] = ()
    """Folded messages brought back for this request alone, each in a line."""


@frozen
class Context:
    """What the next request will carry."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    parts: GaugeParts
    """Estimated tokens, not calibrated."""

    characters: int
    """Of everything but the system message."""

    message_count: int
    """Messages, the system message not counted."""

    upto: int
    """Messages up to here are covered by the summary."""

    added: int
    """Estimated tokens of what stands behind the checkpoint's anchor; all of it when there is none."""

    tail_starts: tuple[int, ...]
    """For each message of the tail (the block not among them), the estimated tokens of the tail before it."""

    @property
    def tokens(self) -> int:
        """The uncalibrated estimate of the whole request: what `AssistantSaid.estimated` records."""
        parts = self.parts
        return parts.system + parts.tools + parts.summary + parts.pins + parts.tail + parts.retrieved


@frozen
class _Weighed:
    """A message with its sizes."""

    message: Message
    tokens: int
    characters: int
    since: int
    """From which sequence number on a request holds it."""


class Scales:
    """Weighs each entry of a log once, although the log is folded again whenever it has grown."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Logged, _Weighed | None]] = {}
        self._block: tuple[tuple[object, ...], _Carried] | None = None

    def weigh(self, logged: Logged) -> _Weighed | None:
        """The entry as the message it is by itself; None when it is none."""
        known = self._known.get(logged.seq)
        if known is not None and known[0] is logged:
            return known[1]
        message = message_of(logged.entry, logged.seq)
        weighed = _as_logged(logged, message) if message is not None else None
        self._known[logged.seq] = logged, weighed
        return weighed

    def block(self, made_of: tuple[object, ...], weigh: Callable[[], "_Carried"]) -> "_Carried":
        """The block before the tail, weighed again only when something of what it is made of has changed."""
        if self._block is None or self._block[0] != made_of:
            self._block = made_of, weigh()
        return self._block[1]

    def weigh_all(self, entries: Iterable[Logged]) -> None:
        """Weigh these now, so that a fold of them takes little time."""
        for logged in entries:
            self.weigh(logged)

    def forget(self, upto: int) -> None:
        """Let go of the entries up to there."""
        self._known = {seq: known for seq, known in self._known.items() if seq > upto}


def fold(log: Sequence[Logged], surroundings: Surroundings) -> Context:
    """The context of a whole log."""
    return context_of(checkpoint_of(log), log, surroundings)


def context_of(
    checkpoint: Checkpoint, entries: Sequence[Logged], surroundings: Surroundings, scales: Scales | None = None
) -> Context:
    """The context at a checkpoint, from the entries after `checkpoint.upto` (others are passed over).

    With `scales` what was weighed before, of the same log, is not weighed again.
    """
    upto = checkpoint.upto
    entries = _between(entries, upto, checkpoint.seq)
    scales = scales or Scales()
    tail = tuple(_tail(entries, checkpoint.rewound, scales))
    system = _weighed(Message("system", _system_text(checkpoint, surroundings)))
    carried = _carried(checkpoint, entries, tail, surroundings, scales)
    before = () if carried.message is None else (carried.message,)
    sent = (*before, *_bridge(carried.text, tail), *tail)
    starts = tuple(accumulate((each.tokens for each in tail), initial=0))
    tail_tokens = starts[-1] + sum(each.tokens for each in sent[: len(sent) - len(tail)]) - carried.tokens
    return Context(
        messages=(system.message, *(each.message for each in sent)),
        tools=surroundings.tools,
        parts=carried.parts(system.tokens, estimate_tools(surroundings.tools), tail_tokens),
        characters=sum(each.characters for each in sent),
        message_count=len(sent),
        upto=upto,
        added=sum(each.tokens for each in tail if checkpoint.anchor is None or each.since > checkpoint.anchor.seq),
        tail_starts=starts[:-1],
    )


def place_of(seq: int, checkpoint: Checkpoint) -> Place:
    """Where the message entry with this sequence number is."""
    if is_rewound(seq, checkpoint.rewound):
        return "rewound"
    return "folded" if seq <= checkpoint.upto else "context"


def _between(entries: Sequence[Logged], after: int, upto: int) -> Sequence[Logged]:
    first = bisect_right(entries, after, key=lambda each: each.seq)
    end = bisect_right(entries, upto, key=lambda each: each.seq)
    return entries[first:end]


# ── the tail ─────────────────────────────────────────────────────────────────


def _tail(entries: Sequence[Logged], rewound: Ranges, scales: Scales) -> Iterator[_Weighed]:
    """What was said and still stands, each result right behind its call."""
    steps = pair(entries, rewound).steps
    stubs = stubs_of(entries)
    for logged in entries:
        if is_rewound(logged.seq, rewound) or isinstance(logged.entry, ToolReturned):
            continue
        weighed = scales.weigh(logged)
        if weighed is None:
            continue
        if logged.seq in steps:
            yield from _exchange(steps[logged.seq], weighed, stubs, scales)
        else:
            yield weighed


def _exchange(step: Step, weighed: _Weighed, stubs: dict[int, str], scales: Scales) -> Iterator[_Weighed]:
    """An assistant's calls and their results; a call without result gets one that says why."""
    said = weighed.message
    ids = _unique_ids(said.tool_calls)
    if ids == [call.id for call in said.tool_calls]:
        yield weighed
    else:
        calls = tuple(replace(call, id=unique) for call, unique in zip(said.tool_calls, ids, strict=True))
        yield _as_logged(step.said, replace(said, tool_calls=calls), changed=True)
    for call_id, result in zip(ids, step.results, strict=True):
        answer = None if result is None else scales.weigh(result)
        if result is None or answer is None:
            text = CANCELLED if step.interrupted else UNKNOWN_OUTCOME
            yield _weighed(Message("tool", text, call_id=call_id), since=step.said.seq + 1)
        elif result.seq in stubs:
            stub = replace(answer.message, text=repaired(stubs[result.seq]), call_id=call_id)
            yield _weighed(stub, since=result.seq)
        elif answer.message.call_id != call_id:
            yield _as_logged(result, replace(answer.message, call_id=call_id), changed=True)
        else:
            yield answer


def _unique_ids(calls: Sequence[ToolCall]) -> list[str]:
    """An id for each call of one message: its own, or, where that is empty or taken, one made from it."""
    own = {call.id for call in calls}
    ids: list[str] = []
    for call in calls:
        unique, copies = call.id, 1
        while not unique or unique in ids or (copies > 1 and unique in own):
            copies += 1
            unique = f"{call.id or 'call'}_{copies}"
        ids.append(unique)
    return ids


def _as_logged(logged: Logged, message: Message, *, changed: bool = False) -> _Weighed:
    size = characters(message) if changed or not logged.characters else logged.characters
    return _Weighed(message, tokens_of(logged, message), size, since=logged.seq)


def _weighed(message: Message, since: int = 0) -> _Weighed:
    return _Weighed(message, estimate_message(message), characters(message), since)


# ── before the tail ──────────────────────────────────────────────────────────


@frozen
class _Carried:
    """The block before the tail, and what its sections weigh."""

    message: _Weighed | None = None
    """None for no block."""

    pins: int = 0
    instructions: int = 0
    retrieved: int = 0
    has_summary: bool = False

    @property
    def text(self) -> str:
        return self.message.message.text if self.message is not None else ""

    @property
    def tokens(self) -> int:
        return self.message.tokens if self.message is not None else 0

    def parts(self, system: int, tools: int, tail: int) -> GaugeParts:
        """The request's tokens by part.

        The instructions file counts as system, and so does the block's frame where there is no summary for it to hold:
        what a pin takes must not depend on what else stands there.
        """
        frame = self.tokens - self.pins - self.instructions - self.retrieved
        return GaugeParts(
            system=system + self.instructions + (0 if self.has_summary else frame),
            tools=tools,
            summary=frame if self.has_summary else 0,
            pins=self.pins,
            tail=tail,
            retrieved=self.retrieved,
        )


def _carried(
    checkpoint: Checkpoint,
    entries: Sequence[Logged],
    tail: Sequence[_Weighed],
    surroundings: Surroundings,
    scales: Scales,
) -> _Carried:
    head, kept = _head(checkpoint, entries), tuple(_kept(checkpoint, entries))
    pins = tuple(_carried_pins(checkpoint.pins, tail))
    instructions, retrieved = surroundings.instructions, surroundings.retrieved
    summary = (head.text, head.details, head.fence) if head is not None else None
    return scales.block(
        (summary, kept, pins, instructions, retrieved),
        lambda: _weighed_block(head, block(head, kept, pins, instructions, retrieved), pins, surroundings),
    )


def _weighed_block(head: Compacted | None, text: str, pins: Sequence[str], surroundings: Surroundings) -> _Carried:
    if not text:
        return _Carried()
    return _Carried(
        _weighed(Message("user", text)),
        pins=sum(map(estimate, pins)),
        instructions=estimate(surroundings.instructions),
        retrieved=sum(map(estimate, surroundings.retrieved)),
        has_summary=head is not None,
    )


def _head(checkpoint: Checkpoint, entries: Sequence[Logged]) -> Compacted | None:
    live = next((each.entry for each in entries if each.seq == checkpoint.head), None)
    return live if isinstance(live, Compacted) else None


def _kept(checkpoint: Checkpoint, entries: Iterable[Logged]) -> list[Detail]:
    return [
        each.entry.detail
        for each in entries
        if isinstance(each.entry, DetailKept) and each.entry.compaction == checkpoint.head
    ]


def _carried_pins(pins: Sequence[Pin], tail: Sequence[_Weighed]) -> list[str]:
    """Texts of the pins that the tail does not hold already in the pinned message itself."""
    sources = {pin.source for pin in pins} - {None}
    standing = {each.message.seq: each.message.text for each in tail if each.message.seq in sources}
    in_tail = {pin.text for pin in pins if pin.text in standing.get(pin.source, "")}
    return [pin.text for pin in pins if pin.text not in in_tail]


def _bridge(block_text: str, tail: Sequence[_Weighed]) -> tuple[_Weighed, ...]:
    """What makes the roles alternate between the block, or nothing, and the tail."""
    if not tail:
        return ()
    begins_with_user = tail[0].message.role == "user"
    if block_text and begins_with_user:
        return (_weighed(Message("assistant", acknowledgement(block_text))),)
    if not block_text and not begins_with_user:
        return (_weighed(Message("user", OPENING)),)
    return ()


def _system_text(checkpoint: Checkpoint, surroundings: Surroundings) -> str:
    """The system prompt with what changes from day to day, made fresh each time."""
    set_in_log = checkpoint.system_prompt
    prompt = (surroundings.system_prompt if set_in_log is None else set_in_log).strip()
    fresh = [
        f"Today is {surroundings.date}." if surroundings.date else "",
        f"The working directory is {surroundings.directory}." if surroundings.directory else "",
    ]
    return repaired("\n\n".join(part for part in (prompt, " ".join(filter(None, fresh))) if part))
