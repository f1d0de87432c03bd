"""Small things kept beside the logs: unsent text, partial answers, what is remembered. All replaceable."""

from collections.abc import Callable
from typing import Any

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.last_resort import LastResort
from tui_agent.archive.rows import DamagedRow, packed_json, packed_text, unpacked_json, unpacked_text


class ArchivedNotes(LastResort):
    """The part of the archive that holds small things which may be lost without harm to a session's log."""

    async def save_unsent(self, session_id: str, text: str) -> None:
        """Keep the text standing in the prompt; `session_id` is "" for a session not made yet.

        Raises:
            NotSaved
        """
        await self._save(lambda connection: _save_unsent(connection, session_id, text))

    async def unsent(self, session_id: str) -> str:
        """The unsent text last kept, or ""."""
        return await self._worker.read(lambda connection: _unsent(connection, session_id))

    async def save_partial(self, session_id: str, partial: dict[str, Any]) -> None:
        """Keep what has arrived of an answer, in place of what was kept of it before.

        Raises:
            NotSaved
        """
        await self._save(lambda connection: _save_partial(connection, session_id, partial))

    async def partial(self, session_id: str) -> dict[str, Any] | None:
        """What was kept of an answer that never ended; None for no such answer."""
        return await self._worker.read(lambda connection: _partial(connection, session_id))

    async def clear_partial(self, session_id: str) -> None:
        """Forget the partial answer.

        Raises:
            NotSaved
        """
        await self._worker.write(lambda connection: clear_partial(connection, session_id))

    async def remember(self, key: str, value: Any) -> None:
        """Keep a JSON value under a key, across sessions; None forgets it.

        Raises:
            NotSaved
        """
        await self._worker.write(lambda connection: _remember(connection, key, value))

    async def revise(self, key: str, change: Callable[[Any], Any]) -> Any:
        """Keep what `change` makes of the value under a key, in one step: what another process has kept there is not
        overwritten unseen. The new value. `change` runs on the archive's thread.

        Raises:
            NotSaved
        """
        return await self._worker.write(lambda connection: _revise(connection, key, change))

    async def recall(self, key: str) -> Any:
        """The value kept under a key, or None."""
        return await self._worker.read(lambda connection: _recall(connection, key))


# ── on the archive's thread ──────────────────────────────────────────────────


def _save_unsent(connection: apsw.Connection, session_id: str, text: str) -> None:
    """Keep the text that stands in the session's prompt; "" forgets it."""
    if not text:
        connection.execute("DELETE FROM unsent WHERE session = ?", (session_id,))
        return
    connection.execute("INSERT OR REPLACE INTO unsent (session, text) VALUES (?, ?)", (session_id, packed_text(text)))


def _unsent(connection: apsw.Connection, session_id: str) -> str:
    """The text that was last kept, or ""."""
    stored = connection.execute("SELECT text FROM unsent WHERE session = ?", (session_id,)).get
    return "" if stored is None else unpacked_text(stored)


def _save_partial(connection: apsw.Connection, session_id: str, partial: dict[str, Any]) -> None:
    """Keep what has arrived of an answer."""
    connection.execute(
        "INSERT OR REPLACE INTO partial (session, body) VALUES (?, ?)", (session_id, packed_json(partial))
    )


def _partial(connection: apsw.Connection, session_id: str) -> dict[str, Any] | None:
    """What was last kept of an answer that never ended, or None."""
    stored = connection.execute("SELECT body FROM partial WHERE session = ?", (session_id,)).get
    value = None if stored is None else _value(stored)
    return value if isinstance(value, dict) else None


def clear_partial(connection: apsw.Connection, session_id: str) -> None:
    """Forget the partial answer."""
    connection.execute("DELETE FROM partial WHERE session = ?", (session_id,))


def _remember(connection: apsw.Connection, key: str, value: Any) -> None:
    """Keep a JSON value under a key; None forgets it."""
    if value is None:
        connection.execute("DELETE FROM remembered WHERE key = ?", (packed_text(key),))
        return
    connection.execute(
        "INSERT OR REPLACE INTO remembered (key, value) VALUES (?, ?)", (packed_text(key), packed_json(value))
    )


def _revise(connection: apsw.Connection, key: str, change: Callable[[Any], Any]) -> Any:
    """Read, change and keep a value under one lock."""
    with transaction(connection):
        value = change(_recall(connection, key))
        _remember(connection, key, value)
    return value


def _recall(connection: apsw.Connection, key: str) -> Any:
    """The value kept under a key, or None."""
    stored = connection.execute("SELECT value FROM remembered WHERE key = ?", (packed_text(key),)).get
    return None if stored is None else _value(stored)


def _value(stored: bytes) -> Any:
    # A convenience that a damaged disk took away is as good as never kept.
    try:
        return unpacked_json(stored)
    except DamagedRow:
        return None
