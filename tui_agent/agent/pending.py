"""What a session's newest tool calls still wait for: a result, or the user's word."""

from tui_agent.agent.session import Session
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
from tui_agent.core.events import Event

CANCELLED = "cancelled by the user"
PASSED_OVER = "The user did not allow this call and wrote the next message instead."
NEVER_BEGUN = "cancelled: the program ended before this call was made"
OUTCOME_UNKNOWN = "interrupted: the program ended before this call was done; what it had done by then is unknown"


def open_calls(session: Session) -> tuple[ToolCall, ...]:
    """Tool calls of the newest assistant message that have no result yet."""
    answered: set[str] = set()
    for logged in reversed(_standing(session)):
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


def pending_approval(session: Session) -> ToolCall | None:
    """The call whose approval was asked and not answered; it is asked again when the session is opened."""
    waiting = {call.id: call for call in open_calls(session)}
    pending: ToolCall | None = None
    for logged in _standing(session) if waiting else ():
        match logged.entry:
            case ApprovalAsked(call_id) if call_id in waiting:
                pending = waiting[call_id]
            case ApprovalAnswered(call_id) if pending is not None and call_id == pending.id:
                pending = None
            case _:
                pass
    return pending


async def close_open_calls(session: Session, reason: str) -> list[Event]:
    """Give every open call a result, so that the log is valid for the next request."""
    results = [_closing(call, reason) for call in open_calls(session)]
    return await session.append(*results) if results else []


async def repair(session: Session) -> list[Event]:
    """What a crash left half done: every open call gets a result, but for one whose approval is to be asked again.

    None is run again by itself: a call may have done its work before its result could be written down.
    """
    pending = pending_approval(session)
    reason = OUTCOME_UNKNOWN if pending is None else NEVER_BEGUN
    others = [call for call in open_calls(session) if pending is None or call.id != pending.id]
    return await session.append(*(_closing(call, reason) for call in others)) if others else []


def passed_over(session: Session) -> list[Entry]:
    """What closes the open calls when the user says something else instead of answering: a denial, in the log too."""
    pending = pending_approval(session)
    entries: list[Entry] = []
    for call in open_calls(session):
        if pending is not None and call.id == pending.id:
            entries.append(ApprovalAnswered(call.id, "denied"))
            entries.append(ToolReturned(call.id, PASSED_OVER, failed=True, name=call.name))
        else:
            entries.append(_closing(call, CANCELLED))
    return entries


def _closing(call: ToolCall, reason: str) -> ToolReturned:
    return ToolReturned(call.id, f"({reason})", failed=True, name=call.name)


def _standing(session: Session) -> list[Logged]:
    """The tail without what was rewound."""
    return [each for each in session.tail if not is_rewound(each.seq, session.checkpoint.rewound)]
