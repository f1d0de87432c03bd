"""What a session's newest tool calls still wait for: a result, or the user's word."""

from tui_agent.agent.session import Session
from tui_agent.core.entries import ApprovalAnswered, ApprovalAsked, AssistantSaid, ToolCall, ToolReturned, UserSaid
from tui_agent.core.events import Event


def open_calls(session: Session) -> tuple[ToolCall, ...]:
    """Tool calls of the newest assistant message that have no result yet."""
    answered: set[str] = set()
    for logged in reversed(session.tail):
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
    for logged in session.tail:
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
    results = [ToolReturned(call.id, f"({reason})", failed=True, name=call.name) for call in open_calls(session)]
    return await session.append(*results) if results else []
