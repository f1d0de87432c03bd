"""The model's own way back to what was folded: full-text search in the archive, and any entry as a whole."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from tui_agent.agent.tools.arguments import optional_number, optional_text
from tui_agent.agent.tools.base import Intent, Report, ToolResult, count_of, one_line
from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

Scope = Literal["this", "all"]

NAME = "search_past_messages"

_MOST_HITS = 8
_LONGEST_SNIPPET = 600
_LONGEST_NEIGHBOUR = 160
_PAGE = 12_000
"""Characters of an entry given at once."""


@frozen
class PastMessage:
    """A message of the archive."""

    seq: int
    role: str
    text: str


@frozen
class PastHit:
    """A message that was found, and those next to it."""

    message: PastMessage
    """Its text is the part round the match, or the whole."""

    neighbours: tuple[PastMessage, ...] = ()
    session: str = ""
    """The session's id; empty for the present one."""

    title: str = ""
    at: str = ""


class SearchPast(Protocol):
    """Looks in the archive, best hit first. The query is words, never a search language."""

    async def __call__(self, query: str, scope: Scope, limit: int) -> Sequence[PastHit]: ...


class ReadPast(Protocol):
    """An entry of the present session as a message, or None when there is none of that number."""

    async def __call__(self, seq: int) -> PastMessage | None: ...


@frozen
class _Query:
    words: str
    scope: Scope


@frozen
class _Entry:
    seq: int
    offset: int


class SearchPastMessages:
    """Finds earlier messages, folded ones too, and gives back single entries in full."""

    read_only = True

    def __init__(self, search: SearchPast, read: ReadPast | None = None) -> None:
        self._search = search
        self._read = read
        self.spec = ToolSpec(NAME, _description(read is not None), _schema(read is not None))

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        seq = optional_number(arguments, "entry", 0, 0, 10**9)
        if seq and self._read is not None:
            entry = _Entry(seq, optional_number(arguments, "offset", 0, 0, 10**9))
            return self._intent(f"entry {seq}", entry)
        words = optional_text(arguments, "query").strip()
        if not words:
            raise ToolFailed("query is missing.", "", "Call the tool again with the words to look for.")
        scope = optional_text(arguments, "session", "this") or "this"
        match scope:
            case "this" | "all":
                return self._intent(words, _Query(words, scope))
            case _:
                raise ToolFailed(f'session must be "this" or "all", not {scope!r}.')

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        match intent.payload:
            case _Entry(seq, offset) if self._read is not None:
                return _page(await self._read(seq), seq, offset)
            case _Query(words, scope):
                hits = await self._search(words, scope, _MOST_HITS)
                return ToolResult(_listing(words, hits), subject=intent.subject, summary=count_of(len(hits), "match"))
            case _:
                raise ToolFailed("This intent was made by another tool.")

    def _intent(self, subject: str, payload: _Query | _Entry) -> Intent:
        line = one_line(subject, 100)
        return Intent(self.spec.name, "read", line, f"{self.spec.name} {line}", binding=subject, payload=payload)


def _description(can_read: bool) -> str:
    text = (
        "Search what was said earlier in this session, also what is no longer in the context, or in all sessions; it "
        "knows nothing else. "
        "Gives entry number, role and the words round each match."
    )
    return text + " With `entry` it gives that entry's full text instead." if can_read else text


def _schema(can_read: bool) -> str:
    properties: dict[str, object] = {
        "query": {"type": "string", "description": "Words to look for."},
        "session": {"type": "string", "enum": ["this", "all"]},
    }
    if can_read:
        properties["entry"] = {"type": "integer", "description": "Number of an entry to read in full."}
        properties["offset"] = {"type": "integer", "description": "Characters of that entry to skip."}
    required = [] if can_read else ["query"]
    return json.dumps({"type": "object", "properties": properties, "required": required}, separators=(",", ":"))


def _listing(words: str, hits: Sequence[PastHit]) -> str:
    if not hits:
        return f"Nothing in the archive matches {words!r}. Try fewer or other words."
    return "\n\n".join(_hit_text(hit) for hit in hits)


def _hit_text(hit: PastHit) -> str:
    where = f"session {hit.session} ({hit.title or 'untitled'}), " if hit.session else ""
    when = f", {hit.at}" if hit.at else ""
    lines = [f"[{where}entry {hit.message.seq}, {hit.message.role}{when}]", _cut(hit.message.text, _LONGEST_SNIPPET)]
    for neighbour in hit.neighbours:
        place = "before" if neighbour.seq < hit.message.seq else "after"
        text = one_line(neighbour.text.strip(), _LONGEST_NEIGHBOUR)
        lines.append(f"  ({place}: entry {neighbour.seq}, {neighbour.role}: {text})")
    return "\n".join(lines)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest:,} more characters)"


def _page(message: PastMessage | None, seq: int, offset: int) -> ToolResult:
    if message is None:
        raise ToolFailed(f"There is no message with the number {seq} in this session.")
    length = len(message.text)
    if offset >= length > 0:
        raise ToolFailed(f"Entry {seq} has only {length:,} characters; offset {offset:,} is past its end.")
    piece = message.text[offset : offset + _PAGE]
    end = offset + len(piece)
    note = f"\n[characters {offset:,} to {end:,} of {length:,}; go on with offset {end}]" if end < length else ""
    output = f"[entry {seq}, {message.role}]\n{piece}{note}"
    return ToolResult(output, subject=f"entry {seq}", summary=count_of(len(piece), "character"))
