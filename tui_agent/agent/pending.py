"""What a session's newest tool calls still wait for: a result, or the user's word."""

from collections.abc import Sequence
from typing import Protocol

from tui_agent.agent.session import Session
from tui_agent.context.checkpoint import Checkpoint
from tui_agent.context.pairing import is_rewound
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Entry,
    Interrupted,
    Logged,
    ToolCall,
    ToolReturned,
    UserSaid,
)

CANCELLED = "cancelled by the user"
PASSED_OVER = "The user did not allow this call and wrote the next message instead."
NEVER_BEGUN = "cancelled: the program ended before this call was made"
OUTCOME_UNKNOWN = "interrupted: the program ended before this call was done; what it had done by then is unknown"
LEFT_TO_THE_ORIGINAL = "not made here: the call was open when this session was copied, and is left to the original"


class Log(Protocol):
    """What is read of a session here: its newest entries, and what of them still stands."""

    @property
    def checkpoint(self) -> Checkpoint: ...

    @property
    def tail(self) -> Sequence[Logged]: ...


def open_calls(log: Log) -> tuple[ToolCall, ...]:
    """Tool calls of the newest assistant message that have no result yet."""
    calls, since = _newest_step(log)
    answered = {entry.call_id for entry in since if isinstance(entry, ToolReturned)}
    return tuple(call for call in calls if call.id not in answered)


def pending_approval(log: Log) -> ToolCall | None:
    """The call whose approval was asked and not answered; it is asked again when the session is opened."""
    calls, since = _newest_step(log)
    waiting = {call.id: call for call in calls}
    pending: str | None = None
    for entry in since:
        match entry:
            case ApprovalAsked(call_id):
                pending = call_id
            case ApprovalAnswered(call_id) | ToolReturned(call_id) if call_id == pending:
                pending = None
            case Interrupted():
                pending = None
    return waiting.get(pending) if pending is not None else None


def closing(log: Log, reason: str) -> list[Entry]:
    """A result for every open call, so that the log is whole."""
    return [_closed(call, reason) for call in open_calls(log)]


def repairs(log: Log) -> list[Entry]:
    """What makes a log whole that a crash left half done: a result for every open call but the one that is pending.

    None is run again by itself: a call may have done its work before its result could be written down.
    """
    pending = pending_approval(log)
    reason = OUTCOME_UNKNOWN if pending is None else NEVER_BEGUN
    return [_closed(call, reason) for call in open_calls(log) if pending is None or call.id != pending.id]


def passed_over(log: Log) -> list[Entry]:
    """What closes the open calls when the user says something else instead of answering: a denial, in the log too."""
    pending = pending_approval(log)
    entries: list[Entry] = []
    for call in open_calls(log):
        if pending is not None and call.id == pending.id:
            entries.append(ApprovalAnswered(call.id, "denied"))
            entries.append(ToolReturned(call.id, PASSED_OVER, failed=True, name=call.name))
        else:
            entries.append(_closed(call, CANCELLED))
    return entries


async def repair(session: Session) -> None:
    """Make a log whole that a crash left half done."""
    if entries := repairs(session):
        await session.append(*entries)


def _closed(call: ToolCall, reason: str) -> ToolReturned:
    return ToolReturned(call.id, f"({reason})", failed=True, name=call.name)


def _newest_step(log: Log) -> tuple[tuple[ToolCall, ...], list[Entry]]:
    """The calls of the newest assistant message, if nobody has said anything since, and what was logged after it."""
    since: list[Entry] = []
    for logged in reversed(log.tail):
        if is_rewound(logged.seq, log.checkpoint.rewound):
            continue
        match logged.entry:
            case AssistantSaid(tool_calls=calls) if calls:
                return calls, since[::-1]
            case AssistantSaid() | UserSaid():
                break
            case entry:
                since.append(entry)
    return (), []
