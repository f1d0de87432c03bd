"""The sessions in SQL: made, listed, named, forked, deleted. Runs on the archive's thread."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from tui_agent.archive import index, log, schema
from tui_agent.archive.faults import transaction
from tui_agent.archive.rows import SESSION_COLUMNS, NewSession, SessionInfo, is_utf8, packed_text, session_of
from tui_agent.archive.terms import fold
from tui_agent.core.entries import Logged
from tui_agent.errors import SessionBusy, SessionNotFound
from tui_agent.language import _

_CANDIDATES_NAMED = 5


def create(
    connection: apsw.Connection, session_id: str, directory: str, at: str, title: str, parent: str | None
) -> int:
    """Make a session without entries; inside a transaction. Returns its number.

    Raises:
        SessionBusy: there is one of this id.
    """
    if connection.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).get:
        raise SessionBusy(
            _("There is already a session {session_id}.").format(session_id=session_id),
            _("It was left as it is."),
            _("Choose another id."),
        )
    connection.execute(
        "INSERT INTO session (id, title, directory, parent, created, updated, preview, change) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, {log.LAST_GIVEN_OUT})",
        (session_id, b"", packed_text(directory), parent, at, at, b""),
    )
    number = connection.last_insert_rowid()
    if title:
        log.set_title(connection, number, title)
    return number


def add(connection: apsw.Connection, session: NewSession) -> None:
    """Make a session with its entries; inside a transaction.

    Raises:
        SessionBusy: there is one of this id.
    """
    create(connection, session.id, session.directory, session.created, session.title, None)
    if session.entries:
        number = log.insert(connection, session.id, session.entries)
        log.set_checkpoint(connection, number, session.entries[-1].seq, session.checkpoint)


def listed(
    connection: apsw.Connection, query: str, directory: str | None, archived: bool | None, limit: int
) -> list[SessionInfo]:
    """The sessions that fit, the one changed last first."""
    wanted = " ".join(fold(query).split())
    found: list[SessionInfo] = []
    for row in connection.execute(f"SELECT {SESSION_COLUMNS} FROM session ORDER BY change DESC, number DESC"):
        if len(found) >= limit:
            break
        info = session_of(row)
        if archived is not None and info.archived != archived:
            continue
        if directory is not None and info.directory != directory:
            continue
        if wanted and wanted not in " ".join(fold(info.title).split()):
            continue
        found.append(info)
    return found


def one(connection: apsw.Connection, id_or_prefix: str) -> SessionInfo:
    """The session of this id, or the only one whose id begins so.

    Raises:
        SessionNotFound: none, or several.
    """
    found = _beginning(connection, id_or_prefix) if is_utf8(id_or_prefix) else []
    if not found:
        raise SessionNotFound(
            _("There is no session {id_or_prefix!r}.").format(id_or_prefix=id_or_prefix),
            "",
            _("List the sessions to see their ids."),
        )
    if len(found) > 1:
        names = ", ".join(info.id for info in found[:_CANDIDATES_NAMED])
        more = ", ..." if len(found) > _CANDIDATES_NAMED else ""
        raise SessionNotFound(
            _("Several sessions begin with {id_or_prefix!r}: {names}{more}.").format(
                id_or_prefix=id_or_prefix, names=names, more=more
            ),
            "",
            _("Give more of the id."),
        )
    return found[0]


def _beginning(connection: apsw.Connection, id_or_prefix: str) -> list[SessionInfo]:
    """The session of this id, or some of those whose ids begin so, the one changed last first."""
    select = f"SELECT {SESSION_COLUMNS} FROM session WHERE"
    exact: Any = connection.execute(f"{select} id = ?", (id_or_prefix,)).fetchone()
    if exact is not None:
        return [session_of(exact)]
    begins = f"{select} ? <> '' AND substr(id, 1, length(?)) = ? ORDER BY change DESC, number DESC LIMIT ?"
    wanted = (id_or_prefix, id_or_prefix, id_or_prefix, _CANDIDATES_NAMED + 1)
    return [session_of(row) for row in connection.execute(begins, wanted)]


def exactly(connection: apsw.Connection, session_id: str) -> SessionInfo:
    """The session of this very id.

    Raises:
        SessionNotFound
    """
    log.number_of(connection, session_id)
    return one(connection, session_id)


def copy_prefix(connection: apsw.Connection, source: str, upto: int, target: str) -> None:
    """Copy the entries up to `upto` under the same numbers; inside a transaction.

    Raises:
        ArchiveDamaged: one of them is damaged.
    """
    entries: Sequence[Logged] = log.load(connection, source, 0, upto)
    if entries:
        log.insert(connection, target, entries)


def delete(connection: apsw.Connection, session_id: str) -> None:
    """Remove everything that holds the session's text. What remains of it in the file is removed by
    `sweep_or_postpone`."""
    with transaction(connection):
        number = log.number_of(connection, session_id)
        connection.execute("INSERT INTO deletion (session) VALUES (?)", (number,))
        connection.execute(f"UPDATE given_out SET upto = {log.LAST_GIVEN_OUT}")
        index.forget(connection, number)
        connection.execute("DELETE FROM entry WHERE session = ?", (number,))
        connection.execute("DELETE FROM checkpoint WHERE session = ?", (number,))
        connection.execute("DELETE FROM unsent WHERE session = ?", (session_id,))
        connection.execute("DELETE FROM partial WHERE session = ?", (session_id,))
        connection.execute("DELETE FROM kept_file WHERE session = ?", (session_id,))
        connection.execute("DELETE FROM session WHERE number = ?", (number,))


def sweep_is_due(connection: apsw.Connection) -> bool:
    """Whether deleted text may still stand in the file."""
    return connection.execute("SELECT 1 FROM deletion LIMIT 1").get is not None


def _sweep(connection: apsw.Connection, path: Path) -> bool:
    """Rewrite the file, so that no byte of deleted sessions is left in it, in its WAL or in a copy made before a
    migration; False when another process that reads the archive keeps the WAL, and it has to be done again."""
    for backup in schema.backups(path):
        backup.unlink(missing_ok=True)
    index.purge(connection)
    connection.execute("VACUUM")
    checkpointed: Any = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if checkpointed[0] != 0:
        return False
    connection.execute("DELETE FROM deletion")
    return True


def sweep_or_postpone(connection: apsw.Connection, path: Path) -> bool:
    """Sweep; False when that is not possible now (a reader, a full disk) and is left to the next opening."""
    try:
        return _sweep(connection, path)
    except (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError):
        return False
