"""Scripted answers of the fake endpoint: what is sent, byte for byte, and when it waits."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any


class Gate:
    """A place where the endpoint stops until the test opens it: order without sleeping."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        """Set when the endpoint has come to the gate."""

        self.opened = threading.Event()
        self.left = threading.Event()
        """Set when the client hung up while the endpoint waited here."""

    def open(self) -> None:
        self.opened.set()

    def wait_until_reached(self, seconds: float = 10.0) -> None:
        if not self.reached.wait(seconds):
            raise AssertionError("the endpoint never came to this gate")


@dataclass(frozen=True, slots=True)
class Send:
    """Bytes of the body."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait at a gate."""

    gate: Gate


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for seconds; for showing the program by hand, not for tests."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Close the connection without the mark of a complete body."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Drop the connection the hard way (RST)."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Keep the connection and say nothing more, until the client leaves."""


Step = Send | Hold | Pause | Cut | Reset | Hang


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in a scripted answer."""

    name: str
    arguments: str | dict[str, Any] = "{}"
    id: str = ""


@dataclass(frozen=True, slots=True)
class Scripted:
    """One answer. With nothing given it is an empty answer that stopped."""

    text: str = ""
    pieces: Sequence[str] = ()
    """The text in these pieces; by default it is split into words."""

    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    tool_calls: Sequence[Call] = ()
    usage: dict[str, Any] | str | None = "counted"
    """"counted" reports the fake's own count; None reports nothing."""

    finish: str | None = ""
    """"" means `stop`, or `tool_calls` if there are any; None ends without saying why."""

    status: int = 200
    error: dict[str, Any] | str | None = None
    """The body of an error; a dict is wrapped as `{"error": ...}`."""

    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = ""
    steps: Sequence[Step] = ()
    """The whole body, instead of all the above."""

    hold: Gate | None = None
    hold_after: int = 0
    """After how many pieces of text the gate stands."""

    end: Step | None = None
    """How it ends instead of in good order."""

    is_stream: bool = True
    """False sends one JSON completion."""

    chunked: bool = True
    """False ends the body by closing the connection."""

    head: bytes | None = None
    """Bytes in place of the status line and headers."""

    pause: float = 0.0
    """Seconds between pieces, for showing the program by hand."""

    model: str = ""
    role_apart: bool = True
    """Whether the first chunk of a stream holds no words; some programs take such a chunk for the end."""


def says(text: str = "", **more: Any) -> Scripted:
    """An answer in words."""
    return Scripted(text=text, **more)


def calls(*tool_calls: Call, text: str = "", **more: Any) -> Scripted:
    """An answer that asks for tools."""
    return Scripted(text=text, tool_calls=tool_calls, **more)


def refuses(status: int, error: dict[str, Any] | str | None = None, **more: Any) -> Scripted:
    """An answer with an error status."""
    return Scripted(status=status, error=error, **more)


def raw(*data: bytes | str | Step, **more: Any) -> Scripted:
    """An answer given byte for byte, or step for step."""
    steps = [each if not isinstance(each, bytes | str) else Send(_bytes(each)) for each in data]
    return Scripted(steps=steps, **more)


def event(payload: dict[str, Any] | str) -> bytes:
    """One event of a stream."""
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return b"data: " + _bytes(text) + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One event with a chunk of a chat completion."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return event({"id": "c1", "object": "chat.completion.chunk", "choices": [choice], **more})


_NUMBERS = count(1)
"""For the ids of calls that were scripted without one."""

DONE = b"data: [DONE]\n\n"


def steps_of(scripted: Scripted, usage: dict[str, Any] | None, model: str) -> list[Step]:
    """The body of an answer, step by step."""
    if scripted.steps:
        return [*scripted.steps, *([scripted.end] if scripted.end else [])]
    if scripted.status != 200:
        return [Send(error_body(scripted.error))]
    name = scripted.model or model
    if not scripted.is_stream:
        return [Send(json.dumps(_completion(scripted, usage, name), ensure_ascii=False).encode())]
    role: dict[str, Any] = {"role": "assistant"}
    steps: list[Step] = [Send(chunk({**role, "content": None}, model=name))] if scripted.role_apart else []
    if scripted.reasoning:
        steps.append(Send(chunk({scripted.reasoning_field: scripted.reasoning}, model=name)))
    for place, piece in enumerate(_pieces(scripted)):
        if scripted.hold and place == scripted.hold_after:
            steps.append(Hold(scripted.hold))
        if scripted.pause:
            steps.append(Pause(scripted.pause))
        steps.append(Send(chunk({"content": piece} if steps else {**role, "content": piece}, model=name)))
    if scripted.hold and scripted.hold_after >= len(_pieces(scripted)):
        steps.append(Hold(scripted.hold))
    for place, call in enumerate(scripted.tool_calls):
        steps += [Send(chunk({"tool_calls": [each]}, model=name)) for each in _fragments(call, place)]
    if scripted.end is not None:
        return [*steps, scripted.end]
    finish = _finish(scripted)
    if finish is not None:
        steps.append(Send(chunk({}, finish, model=name)))
    if usage is not None:
        steps.append(Send(event({"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": usage})))
    return [*steps, Send(DONE)] if finish is not None else steps


def error_body(error: dict[str, Any] | str | None) -> bytes:
    if isinstance(error, dict):
        return json.dumps(error if "error" in error or "detail" in error else {"error": error}).encode()
    return _bytes(error or "")


def scripted_from_json(told: dict[str, Any]) -> Scripted:
    """An answer as written in a script file: the fields of `Scripted`, with `raw` for a body given as text."""
    fields = {key: value for key, value in told.items() if key not in ("raw", "tool_calls", "contains", "end", "hold")}
    scripted = Scripted(**fields)
    if "tool_calls" in told:
        scripted = replace(scripted, tool_calls=tuple(Call(**call) for call in told["tool_calls"]))
    if "raw" in told:
        scripted = replace(scripted, steps=(Send(_bytes(told["raw"])),))
    ends: dict[str, Step] = {"cut": Cut(), "reset": Reset(), "hang": Hang()}
    return replace(scripted, end=ends[told["end"]]) if told.get("end") else scripted


def _bytes(text: bytes | str) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _pieces(scripted: Scripted) -> Sequence[str]:
    if scripted.pieces:
        return scripted.pieces
    words = scripted.text.split(" ")
    return [word if not place else f" {word}" for place, word in enumerate(words)] if scripted.text else []


def _finish(scripted: Scripted) -> str | None:
    if scripted.finish == "":
        return "tool_calls" if scripted.tool_calls else "stop"
    return scripted.finish


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def _fragments(call: Call, place: int) -> list[dict[str, Any]]:
    """A call as most endpoints stream it: the head, then the arguments in two pieces."""
    arguments = _arguments(call)
    middle = len(arguments) // 2
    call_id = call.id or f"call_{next(_NUMBERS)}"
    head = {"index": place, "id": call_id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    rest = [{"index": place, "function": {"arguments": half}} for half in (arguments[:middle], arguments[middle:])]
    return [head, *rest]


def _completion(scripted: Scripted, usage: dict[str, Any] | None, model: str) -> dict[str, Any]:
    text = scripted.text or "".join(scripted.pieces)
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if scripted.reasoning:
        message[scripted.reasoning_field] = scripted.reasoning
    if scripted.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{next(_NUMBERS)}",
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call)},
            }
            for call in scripted.tool_calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": _finish(scripted)}
    answer = {"id": "c1", "object": "chat.completion", "model": model, "choices": [choice]}
    return {**answer, "usage": usage} if usage else answer
