"""Logs for tests, written the way they read."""

from collections.abc import Sequence
from typing import Any

from tui_agent.context.checkpoint import checkpoint_of
from tui_agent.context.fold import Context, Place, Surroundings, context_of, place_of
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Entry,
    Logged,
    MessageEntry,
    TextPart,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.messages import as_wire

HERE = Surroundings(date="2031-02-03", directory="~/project", system_prompt="SYS-PROMPT")
FENCE = "0123456789abcdef"


def user(text: str) -> UserSaid:
    return UserSaid((TextPart(text),))


def answer(text: str) -> AssistantSaid:
    return AssistantSaid(text)


def calls(*ids: str, text: str = "") -> AssistantSaid:
    """An answer that asks for a tool once for each id."""
    asked = tuple(ToolCall(each, "read_file", '{"path":"a.txt"}') for each in ids)
    return AssistantSaid(text, tool_calls=asked, finish="tool_calls")


def result(call_id: str, output: str = "output", subject: str = "") -> ToolReturned:
    return ToolReturned(call_id, output, name="read_file", subject=subject)


def compacted(upto: int, text: str, previous: int | None = None, **more: Any) -> Compacted:
    return Compacted(previous, upto, (), text, fence=FENCE, **more)


def log_of(*entries: Entry) -> list[Logged]:
    return [Logged(seq, f"2031-02-03T00:00:{seq % 60:02}.000Z", entry) for seq, entry in enumerate(entries, 1)]


def context_at_end(log: Sequence[Logged], surroundings: Surroundings = HERE) -> Context:
    return context_of(checkpoint_of(log), log, surroundings)


def wire_of(log: Sequence[Logged], surroundings: Surroundings = HERE) -> list[dict[str, Any]]:
    """The messages as they would be sent."""
    return [as_wire(message) for message in context_at_end(log, surroundings).messages]


def placement(log: Sequence[Logged]) -> dict[int, Place]:
    """Where each message entry of a log is, by sequence number."""
    checkpoint = checkpoint_of(log)
    return {logged.seq: place_of(logged.seq, checkpoint) for logged in log if isinstance(logged.entry, MessageEntry)}


def alternating(count: int) -> list[Entry]:
    """u1, a2, u3, ...: a user's message first, and in turn from there."""
    return [user(f"question {place}") if place % 2 else answer(f"answer {place}") for place in range(1, count + 1)]
