"""Requests as bodies of `POST /chat/completions`: the only place that knows their keys."""

import json
import re
from typing import Any

from tui_agent.core.entries import Reasoning, ToolCall
from tui_agent.core.messages import Message, ToolSpec, as_wire
from tui_agent.core.unicode import repaired_json
from tui_agent.digests import sha256
from tui_agent.model.arguments import normalise_arguments
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.quirks import NEEDED_FIELDS, NO_QUIRKS, Quirks
from tui_agent.values import frozen

THINK = "think"
"""`Reasoning.field` of what stood in tags inside the content; never sent back, templates drop it."""

DETAILS = "reasoning_details"

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""Names under which endpoints send reasoning as text; the first that holds something counts."""


@frozen
class Request:
    """What is asked of a model. Nothing optional is sent unless it is set here."""

    messages: tuple[Message, ...]
    model: str
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    response_format: dict[str, Any] | None = None


def body(request: Request, endpoint: Endpoint, quirks: Quirks = NO_QUIRKS) -> dict[str, Any]:
    """The request as a JSON object, free of lone surrogates, with nothing the endpoint is known to refuse."""
    messages = [_message(message, endpoint, quirks) for message in request.messages]
    if quirks.fold_system:
        messages = _system_folded(messages)
    if quirks.merge_neighbours:
        messages = _neighbours_merged(messages)
    fields: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.max_tokens is not None:
        fields["max_completion_tokens" if quirks.completion_tokens else "max_tokens"] = request.max_tokens
    if request.response_format is not None:
        fields["response_format"] = request.response_format
    kept = {name: value for name, value in fields.items() if name not in quirks.dropped}
    repaired_body: dict[str, Any] = repaired_json(kept)
    return repaired_body


def names_in(fields: dict[str, Any]) -> frozenset[str]:
    """The fields of a body, with those of its messages and of their calls."""
    messages = fields["messages"]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    return frozenset(fields).union(*messages, *calls)


def _message(message: Message, endpoint: Endpoint, quirks: Quirks) -> dict[str, Any]:
    wire = as_wire(message)
    is_foreign = message.endpoint not in ("", endpoint.base_url)
    for call, sent in zip(message.tool_calls, wire.get("tool_calls", ()), strict=True):
        sent["function"]["name"] = wire_name(call.name)
        sent["function"]["arguments"] = _arguments(call)
        if quirks.short_ids:
            sent["id"] = _short_id(sent["id"])
        for name in set(sent) - NEEDED_FIELDS:
            if is_foreign or name in quirks.dropped:
                del sent[name]
    if quirks.short_ids and "tool_call_id" in wire:
        wire["tool_call_id"] = _short_id(wire["tool_call_id"])
    if message.role == "assistant":
        wire.update(_thought(message, endpoint, quirks))
    return wire


def _thought(message: Message, endpoint: Endpoint, quirks: Quirks) -> dict[str, Any]:
    """What goes back of the reasoning: to where it came from, beside tool calls, or wherever it is demanded."""
    own = message.reasoning if message.reasoning and message.reasoning.endpoint == endpoint.base_url else None
    fields = _reasoning(own) if own and (message.tool_calls or quirks.wants_reasoning) else {}
    if quirks.wants_reasoning:
        fields = {"reasoning_content": "", **fields}
    return {name: value for name, value in fields.items() if name not in quirks.dropped}


def _reasoning(reasoning: Reasoning) -> dict[str, Any]:
    """Reasoning under the name it came in. Only beside tool calls: there some models refuse to go on without it."""
    if reasoning.field == THINK:
        return {}
    fields: dict[str, Any] = {}
    if reasoning.raw:
        fields[DETAILS] = json.loads(reasoning.raw)
    elif reasoning.field == DETAILS:
        fields[DETAILS] = [{"type": "reasoning.text", "text": reasoning.text}]
    if reasoning.field in REASONING_FIELDS:
        fields[reasoning.field] = reasoning.text
    return fields


def _arguments(call: ToolCall) -> str:
    """The arguments as a JSON object in a string, whatever an older log may hold."""
    return normalise_arguments(call.arguments).text


def wire_name(name: str) -> str:
    """A made-up tool name in the form endpoints accept, so that the answer to it can be sent back."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return {"type": "function", "function": function}


def _short_id(call_id: str) -> str:
    """Nine letters and digits for an id: the same id always gives the same nine."""
    if re.fullmatch(r"[a-zA-Z0-9]{9}", call_id):
        return call_id
    return sha256(call_id.encode("utf-8", "surrogatepass"))[:9]


def _system_folded(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the system prompt at the head of the first user message."""
    if not messages or messages[0]["role"] != "system":
        return messages
    system, *rest = messages
    for place, message in enumerate(rest):
        if message["role"] == "user":
            folded = {**message, "content": _joined(system["content"], message["content"])}
            return [*rest[:place], folded, *rest[place + 1 :]]
    return [{"role": "user", "content": system["content"]}, *rest]


def _neighbours_merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with neighbours of the same role joined, as far as they are only words."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        last = merged[-1] if merged else None
        is_plain = message["role"] in ("user", "assistant") and "tool_calls" not in message
        if last is not None and is_plain and last["role"] == message["role"] and "tool_calls" not in last:
            merged[-1] = {**last, "content": _joined(last["content"], message["content"])}
        else:
            merged.append(message)
    return merged


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
