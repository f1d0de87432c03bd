"""What real endpoints refuse about a list of messages: an independent reading, sharing no code with the product."""

import json
import re
from typing import Any

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def problems(body_messages: list[dict[str, Any]]) -> list[str]:
    """Everything that makes the messages of a request body invalid; empty when an endpoint would take them."""
    return [
        *_system_problems(body_messages),
        *_role_problems(body_messages),
        *_pairing_problems(body_messages),
        *_content_problems(body_messages),
        *_argument_problems(body_messages),
        *_unicode_problems(body_messages),
    ]


def _system_problems(messages: list[dict[str, Any]]) -> list[str]:
    places = [place for place, message in enumerate(messages) if message.get("role") == "system"]
    return [] if places == [0] else [f"system messages stand at {places}, not only at 0"]


def _role_problems(messages: list[dict[str, Any]]) -> list[str]:
    known = {"system", "user", "assistant", "tool"}
    found = [
        f"{place}: unknown role {message.get('role')!r}"
        for place, message in enumerate(messages)
        if message.get("role") not in known
    ]
    if not any(message.get("role") == "user" for message in messages):
        found.append("there is no user message")
    return found


def _pairing_problems(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    waiting: set[str] = set()
    for place, message in enumerate(messages):
        if message.get("role") == "tool":
            answered = message.get("tool_call_id")
            if answered in waiting:
                waiting.remove(answered)
            else:
                found.append(f"{place}: the tool message answers {answered!r}, which no call before it waits for")
            continue
        if waiting:
            found.append(f"{place}: the calls {sorted(waiting)} have no result")
        ids = [call.get("id") for call in message.get("tool_calls") or []]
        if len(set(ids)) < len(ids) or not all(ids):
            found.append(f"{place}: call ids {ids} are empty or not unique")
        waiting = {each for each in ids if each}
    if waiting:
        found.append(f"end: the calls {sorted(waiting)} have no result")
    return found


def _content_problems(messages: list[dict[str, Any]]) -> list[str]:
    return [
        f"{place}: the assistant message has neither words nor calls"
        for place, message in enumerate(messages)
        if message.get("role") == "assistant"
        and not message.get("tool_calls")
        and not str(message.get("content") or "").strip()
    ]


def _argument_problems(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    for place, message in enumerate(messages):
        for call in message.get("tool_calls") or []:
            arguments = call.get("function", {}).get("arguments")
            try:
                parsed = json.loads(arguments, parse_constant=_refuse) if isinstance(arguments, str) else None
            except ValueError:
                parsed = None
            if not isinstance(parsed, dict):
                found.append(f"{place}: the arguments {arguments!r} are no JSON object in a string")
            elif _has_half_pair(parsed):
                found.append(f"{place}: the arguments hold half a surrogate pair")
    return found


def _unicode_problems(messages: list[dict[str, Any]]) -> list[str]:
    return [f"{place}: half a surrogate pair" for place, message in enumerate(messages) if _has_half_pair(message)]


def _has_half_pair(value: Any) -> bool:
    return _HALF_PAIR.search(json.dumps(value, ensure_ascii=False)) is not None


def _refuse(constant: str) -> object:
    raise ValueError(constant)
