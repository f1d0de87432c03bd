"""Logs built from what other programs exported: numbered, measured, every tool call with its result."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from tui_agent.context.saying import message_of
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import (
    AssistantSaid,
    Entry,
    Logged,
    OtherPart,
    Reasoning,
    TitleSet,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.messages import characters
from tui_agent.values import frozen, mutable

EPOCH = "1970-01-01T00:00:00.000Z"
NO_RESULT = "(the export holds no result of this call)"


@frozen
class Imported:
    """A session read from a file, not stored yet."""

    title: str
    created: str
    directory: str | None
    """None when the file knows of none."""

    entries: tuple[Logged, ...]


@mutable
class LogBuilder:
    """Puts a log together, entry by entry."""

    title: str
    created: str
    at: str = field(init=False)
    """The time of the newest entry; entries without a time of their own take it over."""

    entries: list[Logged] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _open: list[ToolCall] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at = self.created
        if self.title:
            self.add(TitleSet(self.title, by_user=True))

    def add(self, entry: Entry, at: Any = None) -> None:
        """The next entry; calls that are still open get a result first, unless it is one."""
        self.at = time_of(at) or self.at
        if not isinstance(entry, ToolReturned):
            self.close_calls()
        self._append(entry)

    def think(self, text: str) -> None:
        """Reasoning that belongs to the next answer."""
        if text.strip():
            self._reasoning.append(text.strip())

    def answer(self, text: str, calls: tuple[ToolCall, ...] = (), *, at: Any = None, **more: Any) -> None:
        """An answer, with the reasoning before it and the calls it makes; nothing when there is nothing in it."""
        if not (text.strip() or calls or self._reasoning):
            return
        reasoning = Reasoning("\n\n".join(self._reasoning), field="think") if self._reasoning else None
        self._reasoning.clear()
        self.add(AssistantSaid(text, reasoning, calls, finish=more.pop("finish", "stop"), **more), at)
        self._open = list(calls)

    def call(self, name: str, arguments: Any) -> ToolCall:
        """A call with an id of its own."""
        return ToolCall(f"imported_{len(self.entries) + 1}_{len(self._open) + 1}", name or "tool", _object(arguments))

    def result(self, output: str, name: str = "", *, failed: bool = False, at: Any = None) -> None:
        """What a tool returned: to the oldest open call, else to a call made up for it."""
        if not self._open:
            self.answer("", (self.call(name, {}),), at=at)
        call = self._open.pop(0)
        self.add(ToolReturned(call.id, output, failed=failed, name=call.name), at)

    def close_calls(self) -> None:
        """Give every open call a result."""
        for call in self._open:
            self._append(ToolReturned(call.id, NO_RESULT, failed=True, name=call.name))
        self._open.clear()

    def finished(self) -> Imported | None:
        """The session; None when nothing was said in it."""
        self.answer("")
        self.close_calls()
        if not any(isinstance(logged.entry, UserSaid | AssistantSaid) for logged in self.entries):
            return None
        return Imported(self.title, self.created, None, tuple(self.entries))

    def _append(self, entry: Entry) -> None:
        self.entries.append(measured(len(self.entries) + 1, self.at, entry))


def measured(seq: int, at: str, entry: Entry) -> Logged:
    """The entry in its place, with its size as a message."""
    message = message_of(entry)
    if message is None:
        return Logged(seq, at, entry)
    text = message.text + "".join(call.name + call.arguments for call in message.tool_calls)
    return Logged(seq, at, entry, estimate(text), "estimate", characters(message))


def time_of(told: Any) -> str:
    """A time as `Logged.at` wants it, from seconds since 1970 or from ISO 8601; "" for what is neither."""
    try:
        if isinstance(told, int | float) and not isinstance(told, bool):
            moment = datetime.datetime.fromtimestamp(told, datetime.UTC)
        elif isinstance(told, str):
            moment = datetime.datetime.fromisoformat(told)
            moment = moment.astimezone(datetime.UTC) if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def other_part(origin: str, kind: str, raw: Any) -> OtherPart:
    """A part that this program has no form for, kept whole. It stands in no request but as `[kind]`."""
    return OtherPart(kind, compact({origin: raw}))


def labelled(kind: str, raw: Any) -> str:
    """A part of an answer that this program has no form for, kept whole in its text."""
    return f"[{kind}]\n```json\n{compact(raw)}\n```"


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_at(holder: Any, key: str) -> str:
    """The text under a key; "" when there is none."""
    value = holder.get(key) if isinstance(holder, Mapping) else None
    return value if isinstance(value, str) else ""


def object_at(holder: Any, key: str) -> Mapping[str, Any]:
    """The object under a key; an empty one when there is none."""
    value = holder.get(key) if isinstance(holder, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def list_at(holder: Any, key: str) -> list[Any]:
    """The list under a key; an empty one when there is none."""
    value = holder.get(key) if isinstance(holder, Mapping) else None
    return value if isinstance(value, list) else []


def _object(arguments: Any) -> str:
    """Arguments as a JSON object in a string."""
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            parsed = None
        return compact(parsed if isinstance(parsed, dict) else {"input": arguments})
    return compact(arguments if isinstance(arguments, Mapping) else {"input": arguments})
