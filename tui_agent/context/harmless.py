"""A call made safe for the wire: valid Unicode, valid JSON, and not one character more changed."""

import json
import re
from functools import lru_cache

from tui_agent.core.unicode import repaired

_ESCAPES = re.compile(
    r"\\\\"  # an escaped backslash: what follows it is no escape
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole pair
    r"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"  # half a pair
)


def sendable_arguments(arguments: str) -> str:
    """The arguments as a JSON object in a string; `{}` when they are none, U+FFFD for escaped half pairs."""
    if not _is_object(arguments):
        return "{}"
    if "\\u" not in arguments:
        return repaired(arguments)
    return repaired(_ESCAPES.sub(lambda escape: "\\ufffd" if escape.group(1) else escape.group(0), arguments))


def sendable_extra(extra: str) -> str:
    """A call's unknown keys as a JSON object; "" when they are none. They never replace what the call itself says."""
    if not _is_object(extra):
        return ""
    keys = json.loads(extra)
    known = {"id", "type", "function"} & set(keys)
    if not known:
        return extra
    rest = {key: value for key, value in keys.items() if key not in known}
    return json.dumps(rest, ensure_ascii=False, separators=(",", ":")) if rest else ""


@lru_cache(maxsize=2048)
def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> object:
    raise ValueError(constant)
