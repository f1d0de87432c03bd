"""Tools for a model that has none: each answer is one JSON object, a reply or one call, held to it by a schema."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from tui_agent.core.entries import ToolCall
from tui_agent.core.messages import Message, ToolSpec
from tui_agent.core.unicode import repaired
from tui_agent.model.arguments import normalise_arguments
from tui_agent.model.events import Reply
from tui_agent.model.toolcalls import new_call_id

REPLY = "reply"
"""The name in `tool` that stands for an answer in words."""

_GUIDE = (
    "Answer with one JSON object and nothing else.\n"
    'To say something to the user: {"tool": "reply", "text": "..."}\n'
    'To use a tool: {"tool": "<name>", "arguments": {...}}; its result comes back as the next message. '
    "One tool at a time. When you know enough, reply.\n"
    "The tools:"
)

_REPLY_HEAD = re.compile(r'\s*\{\s*"tool"\s*:\s*"reply"\s*,\s*"text"\s*:\s*"')
_CALL_HEAD = re.compile(r'\s*\{\s*"tool"\s*:')
_LONGEST_HEAD = 200
"""Characters, blanks included, by which a reply's first words would have begun."""

_WHOLE_CHARACTERS = re.compile(
    r"(?:[^\"\\]|\\[\"\\/bfnrt]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}(?=[^\\]|\\[^u]))*"
)
"""What of a JSON string can be shown already: no half escape, no half surrogate pair that may still be completed."""


def simplified(spec: ToolSpec) -> ToolSpec:
    """The tool with what it cannot do without, or else with the first thing it takes: a small model fills in everything
    it is offered, and thinks up a glob, a directory or a limit that nobody asked for."""
    parameters = _parameters(spec)
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return spec
    required = parameters.get("required") or [*properties][:1]
    kept = {name: each for name, each in properties.items() if name in required}
    slim = {**parameters, "properties": kept, "required": required}
    return replace(spec, parameters=json.dumps(slim, separators=(",", ":")))


def response_format(specs: Sequence[ToolSpec]) -> dict[str, Any]:
    """What holds an answer to one action: the request's `response_format`."""
    said = {"tool": {"const": REPLY}, "text": {"type": "string"}}
    options = [_object(said)]
    for spec in specs:
        options.append(_object({"tool": {"const": spec.name}, "arguments": _parameters(spec)}))
    return {"type": "json_schema", "json_schema": {"name": "action", "schema": {"anyOf": options}}}


def in_words(messages: Sequence[Message], specs: Sequence[ToolSpec] = ()) -> tuple[Message, ...]:
    """The messages as a model without tools can read them: calls as the JSON it would write, results as the user's.

    With `specs` the system prompt says which actions there are.
    """
    told: list[Message] = []
    names: dict[str, str] = {}
    is_result = False
    for message in messages:
        match message:
            case Message(role="system") if specs:
                told.append(replace(message, text=f"{message.text}\n\n{_guide(specs)}".strip()))
            case Message(role="assistant", tool_calls=calls) if calls:
                names = {call.id: call.name for call in calls}
                told.append(Message("assistant", "\n".join(_as_action(message.text, calls)), seq=message.seq))
            case Message(role="tool", call_id=call_id):
                result = f"[Result of {names.get(call_id) or 'a tool'}; reply when you know enough]\n{message.text}"
                if is_result:
                    result = f"{told.pop().text}\n\n{result}"
                told.append(Message("user", result, seq=message.seq))
            case _:
                told.append(message)
        is_result = message.role == "tool"
    return tuple(told)


def _guide(specs: Sequence[ToolSpec]) -> str:
    return "\n".join([_GUIDE, *(f"- {spec.name}: {spec.description} Arguments: {spec.parameters}" for spec in specs)])


def _as_action(text: str, calls: Iterable[ToolCall]) -> list[str]:
    actions = [f'{{"tool": {json.dumps(call.name)}, "arguments": {call.arguments}}}' for call in calls]
    return [text, *actions] if text.strip() else actions


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _parameters(spec: ToolSpec) -> dict[str, Any]:
    """The schema of a tool's arguments; one that refers to parts of itself would lose them here."""
    if '"$ref"' in spec.parameters:
        return {"type": "object"}
    parameters: dict[str, Any] = json.loads(spec.parameters)
    return parameters


class ActionReader:
    """Reads one answer while it arrives: the words of a reply are shown as they come, a call is kept back."""

    def __init__(self) -> None:
        self._unread = ""
        """What has arrived and is not shown; it stays short once the answer's kind is known."""

        self._kind: Literal["unknown", "reply", "prose", "call"] = "unknown"
        self.is_action = False
        """Whether the whole answer was an action: known after `reply`."""

    def feed(self, piece: str) -> str:
        """Take the next piece; the words that it adds to what is shown."""
        if self._kind == "call":
            return ""
        self._unread += piece
        if self._kind == "unknown":
            self._kind = self._recognised()
        match self._kind:
            case "reply":
                whole = _WHOLE_CHARACTERS.match(self._unread)
                shown = whole.group() if whole is not None else ""
                self._unread = self._unread[len(shown) :]
                return _decoded(shown)
            case "prose":
                shown, self._unread = self._unread, ""
                return shown
            case _:
                return ""

    def _recognised(self) -> Literal["unknown", "reply", "prose", "call"]:
        begun = self._unread.lstrip()
        head = _REPLY_HEAD.match(self._unread)
        if head is not None:
            self._unread = self._unread[head.end() :]
            return "reply"
        if begun and not begun.startswith("{"):
            return "prose"
        return "call" if len(begun) > _LONGEST_HEAD else "unknown"

    def reply(self, reply: Reply) -> Reply:
        """The whole answer with the action in it taken for what it is; one that is none keeps the words it has."""
        action = None if reply.tool_calls else _action_in(reply.text)
        self.is_action = action is not None
        match action:
            case {"tool": "reply", "text": str(text)} | {"tool": "reply", "arguments": {"text": str(text)}}:
                return replace(reply, text=repaired(text))
            case {"tool": str(name), "arguments": dict(given)}:
                arguments = normalise_arguments(given)
                call = ToolCall(new_call_id(), repaired(name), arguments.text, arguments.malformed)
                return replace(reply, text="", tool_calls=(call,))
            case _:
                return replace(reply, text=_words_in(reply.text))


def _action_in(text: str) -> dict[str, Any] | None:
    """The action that the text is, as a whole; None when it is anything else."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    match value:
        case {"tool": "reply", "text": str()} | {"tool": str(), "arguments": dict()}:
            return dict(value)
        case _:
            return None


def _words_in(text: str) -> str:
    """What can be shown of an answer that was cut off, or is no action."""
    head = _REPLY_HEAD.match(text)
    if head is not None:
        whole = _WHOLE_CHARACTERS.match(text, head.end())
        return _decoded(whole.group()) if whole is not None else ""
    return "" if _CALL_HEAD.match(text) else text


def _decoded(inside: str) -> str:
    return repaired(str(json.loads(f'"{inside}"', strict=False)))
