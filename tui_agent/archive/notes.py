"""Small things kept beside the logs, in SQL: unsent text, partial answers, what is remembered. All replaceable."""

from typing import Any

import apsw

from tui_agent.archive.rows import DamagedRow, packed_json, packed_text, unpacked_json, unpacked_text


def save_unsent(connection: apsw.Connection, session_id: str, text: str) -> None:
    """Keep the text that stands in the session's prompt; "" forgets it."""
    if not text:
        connection.execute("DELETE FROM unsent WHERE session = ?", (session_id,))
        return
    connection.execute("INSERT OR REPLACE INTO unsent (session, text) VALUES (?, ?)", (session_id, packed_text(text)))


def unsent(connection: apsw.Connection, session_id: str) -> str:
    """The text that was last kept, or ""."""
    stored = connection.execute("SELECT text FROM unsent WHERE session = ?", (session_id,)).get
    return "" if stored is None else unpacked_text(stored)


def save_partial(connection: apsw.Connection, session_id: str, partial: dict[str, Any]) -> None:
    """Keep what has arrived of an answer."""
    connection.execute(
        "INSERT OR REPLACE INTO partial (session, body) VALUES (?, ?)", (session_id, packed_json(partial))
    )


def partial(connection: apsw.Connection, session_id: str) -> dict[str, Any] | None:
    """What was last kept of an answer that never ended, or None."""
    stored = connection.execute("SELECT body FROM partial WHERE session = ?", (session_id,)).get
    value = None if stored is None else _value(stored)
    return value if isinstance(value, dict) else None


def clear_partial(connection: apsw.Connection, session_id: str) -> None:
    """Forget the partial answer."""
    connection.execute("DELETE FROM partial WHERE session = ?", (session_id,))


def remember(connection: apsw.Connection, key: str, value: Any) -> None:
    """Keep a JSON value under a key; None forgets it."""
    if value is None:
        connection.execute("DELETE FROM remembered WHERE key = ?", (packed_text(key),))
        return
    connection.execute(
        "INSERT OR REPLACE INTO remembered (key, value) VALUES (?, ?)", (packed_text(key), packed_json(value))
    )


def recall(connection: apsw.Connection, key: str) -> Any:
    """The value kept under a key, or None."""
    stored = connection.execute("SELECT value FROM remembered WHERE key = ?", (packed_text(key),)).get
    return None if stored is None else _value(stored)


def _value(stored: bytes) -> Any:
    # A convenience that a damaged disk took away is as good as never kept.
    try:
        return unpacked_json(stored)
    except DamagedRow:
        return None
