"""What was found in entries, kept beside them: worth the time it takes to find it again, and nothing else.

Its table is no part of the file's version: it is made when it is first needed, programs that do not know it leave it
alone, and whatever of it is missing, damaged or of another finder is found again. It goes with its session.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.last_resort import LastResort
from tui_agent.archive.log import number_of
from tui_agent.archive.rows import DamagedRow, digest, packed_json, unpacked_json

STRETCH = 32
"""Entries whose findings stand in one row: together they take less room."""

_TABLE = """
    CREATE TABLE IF NOT EXISTS found (
        session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
        stretch INTEGER NOT NULL,
        finder  INTEGER NOT NULL,
        body    BLOB NOT NULL,
        hash    BLOB NOT NULL,
        PRIMARY KEY (session, stretch)
    ) STRICT
"""

Findings = dict[int, Any]
"""What was found in entries, as JSON, by their sequence numbers."""


class ArchivedFindings(LastResort):
    """The part of the archive that holds what was found in entries."""

    async def found(self, session_id: str, finder: int, *, after: int, upto: int) -> Findings:
        """What this version of a finder found in the entries with `after < seq <= upto`, as far as it is kept.

        Raises:
            ArchiveUnavailable, ArchiveDamaged, SessionNotFound
        """

        def job(connection: apsw.Connection) -> Findings:
            return _load(connection, number_of(connection, session_id), finder, after, upto)

        return await self._worker.read(job)

    def keep_found(self, session_id: str, finder: int, findings: Mapping[int, Any]) -> None:
        """Keep what a finder found, when nothing else is to be done; what cannot be kept now is dropped."""

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                _keep(connection, number_of(connection, session_id), finder, findings)

        if findings and not self._worker.read_only and not self._worker.is_short:
            self._worker.later(job)


def copy_found(connection: apsw.Connection, source: int, upto: int, target: int) -> None:
    """Let a copy of the entries up to `upto` have what was found in them; inside a transaction."""
    if _is_there(connection):
        rows: Any = connection.execute("SELECT DISTINCT finder FROM found WHERE session = ?", (source,)).fetchall()
        for (finder,) in rows:
            _keep(connection, target, finder, _load(connection, source, finder, 0, upto))


def _is_there(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'found'").get is not None


def _load(connection: apsw.Connection, number: int, finder: int, after: int, upto: int) -> Findings:
    if not _is_there(connection):
        return {}
    query = (
        "SELECT stretch, body, hash FROM found WHERE session = ? AND finder = ? AND stretch BETWEEN ? AND ? "
        "ORDER BY stretch"
    )
    found: Findings = {}
    values = (number, finder, (after + 1) // STRETCH, upto // STRETCH)
    for stretch, body, written in connection.execute(query, values):
        if digest(number, stretch, finder, body) == written:
            with suppress(DamagedRow):  # pragma: no cover - a hash that fits by chance
                found.update((seq, value) for seq, value in unpacked_json(body) if after < seq <= upto)
    return found


def _keep(connection: apsw.Connection, number: int, finder: int, findings: Mapping[int, Any]) -> None:
    """Add to what is kept of each stretch; of another finder nothing stays there."""
    connection.execute(_TABLE)
    stretches: dict[int, Findings] = {}
    for seq, value in findings.items():
        stretches.setdefault(seq // STRETCH, {})[seq] = value
    for stretch, new in stretches.items():
        before = _load(connection, number, finder, stretch * STRETCH - 1, (stretch + 1) * STRETCH - 1)
        body = packed_json(sorted((before | new).items()))
        connection.execute(
            "INSERT OR REPLACE INTO found (session, stretch, finder, body, hash) VALUES (?, ?, ?, ?, ?)",
            (number, stretch, finder, body, digest(number, stretch, finder, body)),
        )
