"""The strings in the arguments of a tool call, for the ledger to look into."""

import json
from collections.abc import Iterator
from typing import Any

from tui_agent.core.entries import ToolCall


def strings_in(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Every string with the key it stands under ("" for none); without recursion, for nesting of any depth."""
    waiting = [("", _arguments(call))]
    while waiting:
        name, each = waiting.pop()
        if isinstance(each, str):
            yield name, each
        elif isinstance(each, dict):
            waiting += [(str(inner), each[inner]) for inner in reversed(each)]
        elif isinstance(each, list):
            waiting += [(name, inner) for inner in reversed(each)]


def _arguments(call: ToolCall) -> Any:
    try:
        return json.loads(call.arguments if call.malformed is None else call.malformed)
    except (ValueError, RecursionError):
        return call.malformed or ""
