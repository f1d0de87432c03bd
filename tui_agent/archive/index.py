"""The search index in SQL: what goes in, when, and how it is taken out. Runs on the archive's thread."""

from collections.abc import Iterator
from typing import Any, cast

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.rows import ENTRY_COLUMNS, EntryRow, UnusableRow, logged_of
from tui_agent.archive.terms import index_text, without_encoded
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Pinned, ToolReturned, UserSaid
from tui_agent.core.readings import said_text

GROUP = 32
"""Entries indexed in one transaction. Indexed singly, each would cost as much again as all the rest of its append."""

_MARK = "\ue000"
"""Begins the term that stands for an entry's session; no text can hold such a term, for it is no letter."""

_LAST_INDEXED = "(SELECT coalesce(max(id), 0) FROM search_index_docsize)"
_WAITING = f"""
    SELECT {ENTRY_COLUMNS}, id FROM entry
    WHERE id > {_LAST_INDEXED} AND type IN ('UserSaid', 'AssistantSaid', 'ToolReturned', 'Compacted', 'Pinned')
"""

_WHOLE = 1_000_000
"""Characters; of longer texts the beginning and the end are indexed, half of this each."""


def searchable(entry: Entry) -> str:
    """The text an entry is found by; "" for one that is not to be found."""
    text = _words(entry)
    if len(text) > _WHOLE:
        text = f"{text[: _WHOLE // 2]}\n{text[-_WHOLE // 2 :]}"
    return without_encoded(text)


def _words(entry: Entry) -> str:
    match entry:
        case AssistantSaid(text, _, calls) if calls:
            return "\n".join([text, *(f"{call.name} {call.arguments}" for call in calls)])
        case UserSaid() | AssistantSaid() | ToolReturned() | Compacted() | Pinned():
            return said_text(entry)
        case _:
            return ""


def session_term(number: int) -> str:
    """An expression for the entries of one session."""
    return f'"{_MARK}{number}"'


def index_group(connection: apsw.Connection) -> bool:
    """Index a group of the entries that wait for it; whether more may be waiting."""
    with transaction(connection):
        found: Any = connection.execute(f"{_WAITING} ORDER BY id LIMIT ?", (GROUP,)).fetchall()
        for *row, row_id in found:
            try:
                text = index_text(searchable(logged_of(tuple(row)).entry))
            except UnusableRow:
                text = ""
            connection.execute(
                "INSERT INTO search_index (rowid, text) VALUES (?, ?)", (row_id, f"{_MARK}{row[0]} {text}")
            )
    return len(found) == GROUP


def waiting(connection: apsw.Connection, session: int | None, before: int) -> Iterator[tuple[EntryRow, int]]:
    """The entries that are not indexed yet, newest first, with their rows' numbers."""
    query = f"{_WAITING} AND id < ? AND (? IS NULL OR session = ?) ORDER BY id DESC"
    found: Any = connection.execute(query, (before, session, session))
    for *row, row_id in found:
        yield cast(EntryRow, tuple(row)), row_id


def index_title(connection: apsw.Connection, session: int, title: str) -> None:
    """Let the search find the title instead of the one before; inside a transaction."""
    connection.execute("INSERT OR REPLACE INTO title_index (rowid, text) VALUES (?, ?)", (session, index_text(title)))


def forget(connection: apsw.Connection, session: int) -> None:
    """Let the search find nothing of the session any more; inside a transaction, before its entries go."""
    connection.execute("DELETE FROM search_index WHERE rowid IN (SELECT id FROM entry WHERE session = ?)", (session,))
    connection.execute("DELETE FROM title_index WHERE rowid = ?", (session,))


def purge(connection: apsw.Connection) -> None:
    """Rewrite the index without what was forgotten, which until then is only marked."""
    connection.execute("INSERT INTO search_index (search_index) VALUES ('optimize')")
    connection.execute("INSERT INTO title_index (title_index) VALUES ('optimize')")
