"""A model's list of facts in whatever shape it came (JSON, a table, tags, boxes to tick), as plain lines."""

import json
import re
from collections.abc import Iterator

from tui_agent.context.words import lines_of

_TAG = re.compile(r"</?(?:item|li|ul|ol|fact|facts|point|note|entry|list)\b[^<>]{0,80}>", re.IGNORECASE)
_BOX = re.compile(r"^(\s*(?:[-*•]\s*)?)\[[ xX✓✔]\]\s+")
_ROW = re.compile(r"^\s*\|(.*)\|\s*$")
_RULER = re.compile(r"^[\s|:-]+$")
_NUMBER_KEYS = frozenset(
    {"seq", "id", "number", "no", "n", "message", "msg", "source", "sources", "ref", "refs", "index"}
)
_DEEPEST = 4


def as_lines(text: str) -> str:
    """The text with each fact in a line of its own, its number in brackets in front; ordinary lists as they are."""
    facts = _json_facts(text)
    if facts is not None:
        return "\n".join(facts)
    lines = lines_of(text)
    return "\n".join(_plain_lines(lines))


def _plain_lines(lines: list[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        row = _ROW.match(line)
        if not row:
            yield _BOX.sub(r"\1", _TAG.sub("", line))
            continue
        following = lines[place + 1] if place + 1 < len(lines) else ""
        is_head = "|" in following and "-" in following and bool(_RULER.match(following))
        if not is_head and not _RULER.match(line):
            yield _numbered([cell.strip() for cell in row.group(1).split("|")])


def _numbered(cells: list[str]) -> str:
    """Cells of a row as a line: a number in front of others is a reference."""
    told = [cell for cell in cells if cell]
    if len(told) > 1 and told[0].strip("[]#").isdigit():
        return f"- [{told[0].strip('[]#')}] {', '.join(told[1:])}"
    return f"- {', '.join(told)}" if told else ""


def _json_facts(text: str) -> list[str] | None:
    """The lines of a reply that is JSON as a whole; None when it is not."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or not stripped.endswith(("}", "]")):
        return None
    try:
        parsed = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return list(_told(parsed, _DEEPEST))


def _told(value: object, depth: int) -> Iterator[str]:
    if depth == 0 or value is None:
        return
    match value:
        case list():
            for each in value:
                yield from _told(each, depth - 1) if isinstance(each, list | dict) else (f"- {each}",)
        case dict() if any(isinstance(each, list | dict) and not _is_number(key) for key, each in value.items()):
            for key, each in value.items():
                yield f"{key}:"
                yield from _told(each if isinstance(each, list | dict) else [each], depth - 1)
        case dict():
            numbers = [number for key, each in value.items() if _is_number(key) for number in _numbers(each)]
            words = [str(each) for key, each in value.items() if not _is_number(key) and each not in ("", None)]
            if words:
                yield f"- {', '.join(words)}" + (f" [{', '.join(numbers)}]" if numbers else "")
        case _:  # pragma: no cover - what is told is a list or an object, and single values are told there
            yield f"- {value}"


def _is_number(key: str) -> bool:
    """Whether what stands under this key says which message a fact is from."""
    return key.lower() in _NUMBER_KEYS


def _numbers(value: object) -> list[str]:
    return re.findall(r"\d{1,9}", str(value))
