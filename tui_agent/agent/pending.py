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
    Logged,
    ToolCall,
    ToolReturned,
    UserSaid,
)

CANCELLED = "cancelled by the user"
PASSED_OVER = "The user did not allow this call and wrote the next message instead."
NEVER_BEGUN = "cancelled: the program ended before this call was made"
OUTCOME_UNKNOWN = "interrupted: the program ended before this call was done; what it had done by then is unknown"


class Log(Protocol):
    """What is read of a session here: its newest entries, and what of them still stands."""

    checkpoint: Checkpoint

    @property
    def tail(self) -> Sequence[Logged]: ...


def open_calls(log: Log) -> tuple[ToolCall, ...]:
    """Tool calls of the newest assistant message that have no result yet."""
    answered: set[str] = set()
    for logged in reversed(_standing(log)):
        match logged.entry:
            case ToolReturned(call_id=call_id):
                answered.add(call_id)
            case AssistantSaid(tool_calls=calls) if calls:
                return tuple(call for call in calls if call.id not in answered)
            case AssistantSaid() | UserSaid():
                return ()
            case _:
                pass
    return ()


def pending_approval(log: Log) -> ToolCall | None:
    """The call whose approval was asked and not answered; it is asked again when the session is opened."""
    waiting = {call.id: call for call in open_calls(log)}
    pending: ToolCall | None = None
    for logged in _standing(log) if waiting else ():
        match logged.entry:
            case ApprovalAsked(call_id) if call_id in waiting:
                pending = waiting[call_id]
            case ApprovalAnswered(call_id) if pending is not None and call_id == pending.id:
                pending = None
            case _:
                pass
    return pending


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


def _standing(log: Log) -> list[Logged]:
    """The tail without what was rewound."""
    return [each for each in log.tail if not is_rewound(each.seq, log.checkpoint.rewound)]
