"""Finding entries and titles by words, newest first. Runs on the archive's thread; only reads."""

import re
import sys
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Literal, cast

import apsw

from tui_agent.archive.index import searchable, session_term, waiting
from tui_agent.archive.rows import ENTRY_COLUMNS, EntryRow, UnusableRow, logged_of, plain_json, unpacked_text
from tui_agent.archive.terms import Piece, fold, original_offsets, pieces
from tui_agent.core.entries import Compacted, Entry, Pinned, ToolReturned, UserSaid
from tui_agent.values import frozen

HitKind = Literal["user", "assistant", "tool", "summary", "title", "pin"]

_ABOVE_ALL = 2**62
"""Above the position of every entry."""

_CANDIDATES = 2_000
"""Entries looked at when the index alone cannot tell; those further back are not found by such a query."""

_HINTED_CANDIDATES = 150
"""Entries looked at before the index is asked for all words that begin in a certain way."""

_LEAD = 60
"""Characters of a snippet before the first match."""

_SNIPPET = 200


@frozen
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


_TITLE = "SELECT id, title, updated FROM session WHERE number = ?"
_ENTRY = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE id = ?"


def find(connection: apsw.Connection, query: str, *, session: int | None, limit: int, before: int | None) -> list[Hit]:
    """Titles (on the first page), then entries, newest first; see `Archive.search`."""
    wanted = pieces(query)
    if not wanted or limit < 1:
        return []
    end = _ABOVE_ALL if before is None else before
    hits = chain(
        _titles(connection, wanted, session) if before is None else (),
        _waiting(connection, wanted, session, end),
        _indexed(connection, wanted, session, end),
    )
    return list(islice(hits, min(limit, sys.maxsize)))


def _titles(connection: apsw.Connection, wanted: Sequence[Piece], session: int | None) -> Iterator[Hit]:
    query = "SELECT rowid FROM title_index WHERE title_index MATCH ? AND (? IS NULL OR rowid = ?) ORDER BY rowid DESC"
    expression = " AND ".join(piece.as_match() for piece in wanted)
    matching: Any = connection.execute(query, (expression, session, session))
    for (number,) in matching:
        row: Any = connection.execute(_TITLE, (number,)).fetchone()
        title = unpacked_text(row[1])
        match = _matches(title, wanted)
        if match is not None:
            yield Hit(row[0], title, 0, row[2], "title", *match, _ABOVE_ALL)


def _waiting(connection: apsw.Connection, wanted: Sequence[Piece], session: int | None, before: int) -> Iterator[Hit]:
    for row, row_id in waiting(connection, session, before):
        hit = _hit(connection, row_id, row, wanted, trust_terms=False)
        if hit is not None:
            yield hit


def _indexed(connection: apsw.Connection, wanted: Sequence[Piece], session: int | None, before: int) -> Iterator[Hit]:
    of_session = [] if session is None else [session_term(session)]
    exact = " AND ".join([*(piece.as_match() for piece in wanted), *of_session])
    hints = " AND ".join([*filter(None, (piece.as_hint() for piece in wanted)), *of_session])
    if hints != exact:
        # All words that begin in a certain way have to be gathered before the first is known. Where such words are
        # common, a look at the newest entries is enough; where it is not, they are rare and soon gathered.
        rows_seen = 0
        for row_id in _candidates(connection, hints, before, _HINTED_CANDIDATES):
            rows_seen, before = rows_seen + 1, row_id
            hit = _hit(connection, row_id, _row(connection, row_id), wanted, trust_terms=False)
            if hit is not None:
                yield hit
        if rows_seen < _HINTED_CANDIDATES:
            return
    for row_id in _candidates(connection, exact, before, _CANDIDATES):
        hit = _hit(connection, row_id, _row(connection, row_id), wanted, trust_terms=True)
        if hit is not None:
            yield hit


def _candidates(connection: apsw.Connection, expression: str, before: int, limit: int) -> Iterator[int]:
    if expression:
        where, values = "search_index MATCH ? AND rowid < ?", (expression, before, limit)
        matching: Any = connection.execute(
            f"SELECT rowid FROM search_index WHERE {where} ORDER BY rowid DESC LIMIT ?", values
        )
    else:
        everything = "SELECT id FROM search_index_docsize WHERE id < ? ORDER BY id DESC LIMIT ?"
        matching = connection.execute(everything, (before, limit))
    for (row_id,) in matching:
        yield row_id


def _row(connection: apsw.Connection, row_id: int) -> EntryRow:
    return cast(EntryRow, connection.execute(_ENTRY, (row_id,)).fetchone())


def _hit(
    connection: apsw.Connection, row_id: int, row: EntryRow, wanted: Sequence[Piece], *, trust_terms: bool
) -> Hit | None:
    try:
        is_sure = trust_terms and all(piece.exact for piece in wanted)
        if not is_sure and _surely_lacks(plain_json(row[-2]), wanted):
            return None
        logged = logged_of(row)
    except (UnusableRow, zlib.error):
        return None
    match = _matches(searchable(logged.entry), wanted, trust_terms=trust_terms)
    if match is None:
        return None
    session: Any = connection.execute(_TITLE, (row[0],)).fetchone()
    title = unpacked_text(session[1])
    return Hit(session[0], title, logged.seq, logged.at, _kind(logged.entry), *match, row_id)


def _surely_lacks(stored: bytes, wanted: Sequence[Piece]) -> bool:
    """Whether a look at the stored form is enough to say no: much cheaper than reading the entry."""
    if b"\\u" in stored:
        return False  # something in it is written with escapes
    folded = fold(stored.decode("utf-8", "replace"))
    return any(needle not in folded for piece in wanted for needle in piece.needles)


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
        first = next(piece.spans(folded), None)
        if first is not None:
            firsts.append(first[0])
        elif not (piece.exact and trust_terms):
            return None
    return _snippet(text, folded, min(firsts, default=0), wanted)


def _snippet(text: str, folded: str, first: int, wanted: Sequence[Piece]) -> tuple[str, tuple[tuple[int, int], ...]]:
    spans = [span for piece in wanted for span in piece.spans(folded, first, first + _SNIPPET)]
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
