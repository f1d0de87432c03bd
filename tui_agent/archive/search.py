"""The search index in SQL: what goes in, and what is found, newest first. Runs on the archive's thread."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.rows import ENTRY_COLUMNS, DamagedRow, EntryRow, logged_of, unpacked_text
from tui_agent.archive.terms import Piece, fold, index_text, original_offsets, pieces
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Pinned, ToolReturned, UserSaid, said_text

HitKind = Literal["user", "assistant", "tool", "summary", "title", "pin"]

_SESSION_MARK = "\ue000"
"""Begins the term that stands for an entry's session; no text can hold such a term, for it is no letter."""

_CANDIDATES = 1_000
"""Entries looked at when the index alone cannot tell; those further back are not found by such a query."""

_ABOVE_ALL = 2**62
"""Above the position of every entry."""

GROUP = 32
"""Entries indexed in one transaction."""

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


_IS_SEARCHABLE = "type IN ('UserSaid', 'AssistantSaid', 'ToolReturned', 'Compacted', 'Pinned')"

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


_PENDING = f"""
    SELECT {ENTRY_COLUMNS}, id FROM entry
    WHERE id > (SELECT coalesce(max(id), 0) FROM search_index_docsize) AND id < ? AND {_IS_SEARCHABLE}
"""
"""Entries that are not in the index yet. They are put in by groups, which costs a tenth of the time and of the bytes
that single ones would cost; until then they are looked through."""


def index_group(connection: apsw.Connection) -> bool:
    """Index a group of those waiting; whether more may be waiting."""
    with transaction(connection):
        rows: Any = connection.execute(f"{_PENDING} ORDER BY id LIMIT ?", (_ABOVE_ALL, GROUP)).fetchall()
        for *row, row_id in rows:
            try:
                text = searchable(logged_of(tuple(row)).entry)
            except DamagedRow:
                text = ""
            connection.execute(
                "INSERT INTO search_index (rowid, text) VALUES (?, ?)",
                (row_id, f"{_SESSION_MARK}{row[0]} {index_text(text)}"),
            )
    return len(rows) == GROUP


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
    hits = chain(
        _titles(connection, expression, wanted) if before is None else (),
        _waiting(connection, wanted, session, _ABOVE_ALL if before is None else before),
        _indexed(connection, expression, wanted, _ABOVE_ALL if before is None else before),
    )
    return list(islice(hits, limit))


def _titles(connection: apsw.Connection, expression: str, wanted: Sequence[Piece]) -> Iterator[Hit]:
    matching: Any = connection.execute(f"{_MATCHING} < 0 ORDER BY rowid", (expression,))
    for (row_id,) in matching:
        row: Any = connection.execute(_TITLE, (-row_id,)).fetchone()
        title = unpacked_text(row[1])
        match = _matches(title, wanted)
        if match is not None:
            yield Hit(row[0], title, 0, row[2], "title", *match, _ABOVE_ALL)


def _waiting(connection: apsw.Connection, wanted: Sequence[Piece], session: int | None, before: int) -> Iterator[Hit]:
    query = f"{_PENDING} AND (? IS NULL OR session = ?) ORDER BY id DESC"
    found: Any = connection.execute(query, (before, session, session))
    for *row, row_id in found:
        hit = _hit(connection, row_id, tuple(row), wanted, is_indexed=False)
        if hit is not None:
            yield hit


def _indexed(connection: apsw.Connection, expression: str, wanted: Sequence[Piece], before: int) -> Iterator[Hit]:
    query = f"{_MATCHING} BETWEEN 1 AND ? ORDER BY rowid DESC LIMIT ?"
    matching: Any = connection.execute(query, (expression, before - 1, _CANDIDATES))
    for (row_id,) in matching:
        row: Any = connection.execute(_ENTRY, (row_id,)).fetchone()
        hit = _hit(connection, row_id, row, wanted, is_indexed=True)
        if hit is not None:
            yield hit


def _hit(
    connection: apsw.Connection, row_id: int, row: EntryRow, wanted: Sequence[Piece], *, is_indexed: bool
) -> Hit | None:
    try:
        logged = logged_of(row)
    except DamagedRow:
        return None
    match = _matches(searchable(logged.entry), wanted, trust_terms=is_indexed)
    if match is None:
        return None
    session: Any = connection.execute(_TITLE, (row[0],)).fetchone()
    title = unpacked_text(session[1])
    return Hit(session[0], title, logged.seq, logged.at, _kind(logged.entry), *match, row_id)


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


def _matches(
    text: str, wanted: Sequence[Piece], *, trust_terms: bool = True
) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """A snippet with its spans; None when the text does not hold the pieces after all."""
    text = unicodedata.normalize("NFC", text)
    folded = fold(text)
    firsts = []
    for piece in wanted:
        first = piece.pattern.search(folded)
        if first is not None:
            firsts.append(first.start())
        elif not (piece.exact and trust_terms):
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
