"""The search index in SQL: what goes in, and what is found, newest first. Runs on the archive's thread."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from tui_agent.archive.rows import ENTRY_COLUMNS, DamagedRow, logged_of, unpacked_text
from tui_agent.archive.terms import Piece, fold, index_text, original_offsets, pieces
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Pinned, ToolReturned, UserSaid, said_text

HitKind = Literal["user", "assistant", "tool", "summary", "title", "pin"]

_SESSION_MARK = "\ue000"
"""Begins the term that stands for an entry's session; no text can hold such a term, for it is no letter."""

_CANDIDATES = 1_000
"""Entries looked at when the index alone cannot tell; those further back are not found by such a query."""

_ABOVE_ALL = 2**62
"""Above the position of every entry."""

_LEAD = 60
"""Characters of a snippet before the first match."""

_SNIPPET = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry, or a session's title, that holds all words of a query."""

    session_id: str
    session_title: str
    seq: int
    """The entry; 0 for a title."""

    at: str
    kind: HitKind
    """Who said it; a summary is the program's own text."""

    text: str
    """The neighbourhood of the first match in one line; "…" where it is cut. Not made safe for a terminal."""

    spans: tuple[tuple[int, int], ...]
    """Where the matches are in `text`."""

    position: int
    """Its place in the order of all entries: what `before` of the next page is set to."""


# ── what goes in ─────────────────────────────────────────────────────────────


def searchable(entry: Entry) -> str:
    """The text an entry is found by; "" for one that is not to be found."""
    match entry:
        case AssistantSaid(text, _, calls) if calls:
            return "\n".join([text, *(f"{call.name} {call.arguments}" for call in calls)])
        case UserSaid() | AssistantSaid() | ToolReturned() | Compacted() | Pinned():
            return said_text(entry)
        case _:
            return ""


def index_entry(connection: apsw.Connection, row_id: int, session: int, entry: Entry) -> None:
    """Let the search find the entry; inside a transaction."""
    text = searchable(entry)
    if text:
        connection.execute(
            "INSERT INTO search_index (rowid, text) VALUES (?, ?)",
            (row_id, f"{_SESSION_MARK}{session} {index_text(text)}"),
        )


def index_title(connection: apsw.Connection, session: int, title: str) -> None:
    """Let the search find the title instead of the one before; inside a transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO search_index (rowid, text) VALUES (?, ?)",
        (-session, f"{_SESSION_MARK}{session} {index_text(title)}"),
    )


# ── what is found ────────────────────────────────────────────────────────────

_MATCHING = "SELECT rowid FROM search_index WHERE search_index MATCH ? AND rowid"
_TITLE = "SELECT id, title, updated FROM session WHERE number = ?"
_ENTRY = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE id = ?"


def find(connection: apsw.Connection, query: str, *, session: int | None, limit: int, before: int | None) -> list[Hit]:
    """Titles (on the first page), then entries, newest first; see `Archive.search`."""
    wanted = pieces(query)
    if not wanted or limit < 1:
        return []
    expression = " AND ".join(piece.as_match() for piece in wanted)
    if session is not None:
        expression += f' AND "{_SESSION_MARK}{session}"'
    found = list(_titles(connection, expression, wanted, limit)) if before is None else []
    for hit in _entries(connection, expression, wanted, before):
        if len(found) >= limit:
            break
        found.append(hit)
    return found


def _titles(connection: apsw.Connection, expression: str, wanted: Sequence[Piece], limit: int) -> Iterator[Hit]:
    matching: Any = connection.execute(f"{_MATCHING} < 0 ORDER BY rowid LIMIT ?", (expression, limit))
    for (row_id,) in matching:
        row: Any = connection.execute(_TITLE, (-row_id,)).fetchone()
        title = unpacked_text(row[1])
        match = _matches(title, wanted)
        if match is not None:
            text, spans = match
            yield Hit(row[0], title, 0, row[2], "title", text, spans, _ABOVE_ALL)


def _entries(
    connection: apsw.Connection, expression: str, wanted: Sequence[Piece], before: int | None
) -> Iterator[Hit]:
    matching = connection.execute(
        f"{_MATCHING} BETWEEN 1 AND ? ORDER BY rowid DESC LIMIT ?",
        (expression, _ABOVE_ALL if before is None else before - 1, _CANDIDATES),
    )
    for (row_id,) in matching:
        row: Any = connection.execute(_ENTRY, (row_id,)).fetchone()
        try:
            logged = logged_of(row)
        except DamagedRow:
            continue
        match = _matches(searchable(logged.entry), wanted)
        if match is None:
            continue
        text, spans = match
        session: Any = connection.execute(_TITLE, (row[0],)).fetchone()
        yield Hit(
            session[0], unpacked_text(session[1]), logged.seq, logged.at, _kind(logged.entry), text, spans, row_id
        )


def _kind(entry: Entry) -> HitKind:
    match entry:
        case UserSaid():
            return "user"
        case ToolReturned():
            return "tool"
        case Compacted():
            return "summary"
        case Pinned():
            return "pin"
        case _:
            return "assistant"


def _matches(text: str, wanted: Sequence[Piece]) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """A snippet with its spans; None when the text only seemed to hold the pieces."""
    text = unicodedata.normalize("NFC", text)
    folded = fold(text)
    firsts = []
    for piece in wanted:
        first = piece.pattern.search(folded)
        if first is not None:
            firsts.append(first.start())
        elif not piece.exact:
            return None
    return _snippet(text, folded, min(firsts, default=0), wanted)


def _snippet(text: str, folded: str, first: int, wanted: Sequence[Piece]) -> tuple[str, tuple[tuple[int, int], ...]]:
    end = first - _LEAD + _SNIPPET
    spans = [
        match.span()
        for piece in wanted
        for match in piece.pattern.finditer(folded, first, max(end, first + _SNIPPET - _LEAD))
        if match.end() > match.start()
    ]
    placed = original_offsets(text, folded, [(first, first), *spans])
    start = max(0, placed[0][0] - _LEAD)
    stop = min(len(text), start + _SNIPPET)
    lead = "…" if start > 0 else ""
    snippet = lead + re.sub(r"\s", " ", text[start:stop]) + ("…" if stop < len(text) else "")
    shift = len(lead) - start
    inside = sorted({(begin + shift, min(finish, stop) + shift) for begin, finish in placed[1:] if begin < stop})
    return snippet, _apart(inside)


def _apart(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans with overlapping ones joined."""
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return tuple(joined)
