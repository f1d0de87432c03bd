"""Messages: what a model is sent. Built from entries by `context`, turned into bytes by `model`."""

import json
from dataclasses import field
from typing import Any, Literal

from tui_agent.core.deeds import DeedPart, told_text
from tui_agent.core.entries import ImagePart, OtherPart, Part, Reasoning, TextPart, ToolCall
from tui_agent.values import frozen

Role = Literal["system", "user", "assistant", "tool"]


@frozen
class Message:
    """One message of a request."""

    role: Role
    text: str = ""
    parts: tuple[Part, ...] = ()
    """A user's parts when they are more than text; `text` is then their placeholder form."""

    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    """For a tool message: the call it answers."""

    reasoning: Reasoning | None = None
    endpoint: str = field(default="", compare=False)
    """Where an answer came from: what is unknown in its calls goes back there alone. "" when that is not known."""

    seq: int | None = None
    """The entry it came from; None for what the context adds itself (system prompt, summary block, stubs)."""


@frozen
class ToolSpec:
    """A tool as offered to a model."""

    name: str
    description: str
    parameters: str
    """JSON schema of the arguments, as compact JSON."""


def as_wire(message: Message) -> dict[str, Any]:
    """The message as a chat-completions object, without reasoning and endpoint quirks (`model.wire` adds those)."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    content: Any = message.text
    if message.parts:
        content = [_part_as_wire(part) for part in message.parts]
    wire: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        wire["tool_calls"] = [_call_as_wire(call) for call in message.tool_calls]
        if not message.text:
            wire["content"] = None
    return wire


def characters(message: Message) -> int:
    """Length of the message as compact JSON with non-ASCII kept: the measure of the `characters` trigger."""
    return len(json.dumps(as_wire(message), ensure_ascii=False, separators=(",", ":")))


def _part_as_wire(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ImagePart(url):
            return {"type": "image_url", "image_url": {"url": url}}
        case OtherPart(kind, raw):
            parsed = json.loads(raw)
            return parsed if isinstance(parsed, dict) else {"type": kind}
        case DeedPart():
            return {"type": "text", "text": told_text(part)}


def _call_as_wire(call: ToolCall) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }
    if call.extra:
        wire.update(json.loads(call.extra))
    return wire
