"""An entry as the message it is sent as, alone: what needs its neighbours (pairing, stubs) is the fold's."""

import json
from dataclasses import replace

from tui_agent.context.harmless import sendable_arguments, sendable_extra
from tui_agent.context.tokens import around, estimate_message, estimate_parts
from tui_agent.core.deeds import DeedPart, told_text
from tui_agent.core.entries import (
    AssistantSaid,
    Entry,
    Logged,
    OtherPart,
    Part,
    TextPart,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.messages import Message
from tui_agent.core.readings import part_text
from tui_agent.core.unicode import repaired


def is_sent(entry: Entry) -> bool:
    """Whether there is a message for it in a context: not for an answer without text and calls."""
    match entry:
        case AssistantSaid(text=text, tool_calls=calls):
            return bool(calls or text.strip())
        case UserSaid() | ToolReturned():
            return True
        case _:
            return False


def message_of(entry: Entry, seq: int | None = None) -> Message | None:
    """The message an entry is; None for what is no message, and for an answer without text and calls (never sent)."""
    match entry:
        case UserSaid(parts):
            return _user_message(parts, seq)
        case AssistantSaid(text, reasoning, calls, endpoint=endpoint) if calls or text.strip():
            sendable = tuple(map(_sendable_call, calls)) if calls else ()
            said = repaired(text)
            return Message("assistant", said, tool_calls=sendable, reasoning=reasoning, endpoint=endpoint, seq=seq)
        case ToolReturned(call_id=call_id, output=output):
            return Message("tool", repaired(output), call_id=repaired(call_id), seq=seq)
        case _:
            return None


def tokens_of(logged: Logged, message: Message) -> int:
    """Tokens of a logged message: its stored count with what surrounds the words, or else the estimate."""
    if logged.tokens <= 0:
        return estimate_message(message)
    tokens = logged.tokens + around(message)
    if not message.parts:
        return tokens
    return tokens + estimate_parts([part for part in message.parts if not isinstance(part, TextPart)])


def _user_message(parts: tuple[Part, ...], seq: int | None) -> Message:
    match parts:
        case (TextPart(text),):
            return Message("user", repaired(text), seq=seq)
    sendable = tuple(map(_sendable_part, parts))
    text = "\n".join(map(part_text, sendable))
    if all(isinstance(part, TextPart) for part in sendable):
        return Message("user", text, seq=seq)
    return Message("user", text, parts=sendable, seq=seq)


def _sendable_part(part: Part) -> Part:
    match part:
        case TextPart(text):
            return TextPart(repaired(text))
        case DeedPart():
            return TextPart(repaired(told_text(part)))
        case OtherPart(kind, raw):
            return part if _is_sendable(raw) else TextPart(f"[{repaired(kind)}]")
        case _:
            return replace(part, url=repaired(part.url), name=repaired(part.name))


def _sendable_call(call: ToolCall) -> ToolCall:
    arguments = "{}" if call.malformed is not None else sendable_arguments(call.arguments)
    sendable = (repaired(call.id), repaired(call.name), arguments, sendable_extra(call.extra))
    if sendable == (call.id, call.name, call.arguments, call.extra):
        return call
    identity, name, arguments, extra = sendable
    return replace(call, id=identity, name=name, arguments=arguments, extra=extra)


def _is_sendable(raw: str) -> bool:
    """Whether an endpoint can be sent it as a part: an object that says its type, which imported parts need not be."""
    try:
        part = json.loads(raw)
        raw.encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return isinstance(part, dict) and isinstance(part.get("type"), str)
