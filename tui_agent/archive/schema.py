"""The tables of the archive as numbered migrations, and the rules for which file may be opened."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.errors import ArchiveTooNew, ArchiveUnavailable
from tui_agent.language import _

APPLICATION_ID = 0x74756961
"""Stands in the file's header and says whose file it is ("tuia")."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE session (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        title       BLOB NOT NULL,
        directory   BLOB NOT NULL,
        parent      TEXT,
        created     TEXT NOT NULL,
        updated     TEXT NOT NULL,
        preview     BLOB NOT NULL,
        change      INTEGER NOT NULL,
        last_seq    INTEGER NOT NULL DEFAULT 0,
        messages    INTEGER NOT NULL DEFAULT 0,
        compactions INTEGER NOT NULL DEFAULT 0,
        archived    INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE entry (
        id         INTEGER PRIMARY KEY,
        session    INTEGER NOT NULL REFERENCES session (number),
        seq        INTEGER NOT NULL,
        at         TEXT NOT NULL,
        type       TEXT NOT NULL,
        tokens     INTEGER NOT NULL,
        counter    TEXT NOT NULL,
        characters INTEGER NOT NULL,
        body       BLOB NOT NULL,
        hash       BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX entry_by_seq ON entry (session, seq);
    CREATE INDEX entry_compactions ON entry (session, seq) WHERE type = 'Compacted';

    CREATE TABLE deletion (session INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE given_out (upto INTEGER NOT NULL) STRICT;
    INSERT INTO given_out (upto) VALUES (0);
    CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
    CREATE TRIGGER entry_is_never_removed BEFORE DELETE ON entry
    WHEN NOT EXISTS (SELECT 1 FROM deletion WHERE session = old.session)
    BEGIN SELECT RAISE(ABORT, 'entries are removed only with their session'); END;

    CREATE TABLE checkpoint (
        session INTEGER PRIMARY KEY REFERENCES session (number),
        seq     INTEGER NOT NULL,
        body    BLOB NOT NULL,
        hash    BLOB NOT NULL
    ) STRICT;
    CREATE TABLE unsent (session TEXT PRIMARY KEY, text BLOB NOT NULL) STRICT;
    CREATE TABLE partial (session TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE remembered (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT;

    CREATE VIRTUAL TABLE search_index USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3'
    );
    CREATE VIRTUAL TABLE title_index USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'ascii'
    );
    """,
    """
    CREATE TABLE kept_file (
        session       TEXT NOT NULL,
        number        INTEGER NOT NULL,
        turn          INTEGER NOT NULL,
        path          BLOB NOT NULL,
        before        BLOB,
        before_digest TEXT NOT NULL,
        after         BLOB,
        after_digest  TEXT NOT NULL,
        undone        INTEGER NOT NULL DEFAULT 0,
        mode          INTEGER,
        PRIMARY KEY (session, number)
    ) STRICT;
    """,
    "ALTER TABLE kept_file ADD COLUMN made INTEGER NOT NULL DEFAULT 0;",
)
"""Each brings a file from the version before it to its own: the first makes version 1 out of nothing.

One that was released is never edited. Rows of `search_index` are numbered like the
entries they find, those of `title_index` like the sessions. An entry's number is above all that were given out
before, those of deleted entries included (`given_out`), so that it also tells which session was changed last.
"""

_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"


def refuse_newer_file(path: Path, newest: int) -> None:
    """Look at the file's header alone, so that a file of a newer version is not touched in any way.

    Raises:
        ArchiveTooNew: its version is above `newest`.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if header.startswith(_MAGIC) and len(header) == _HEADER_BYTES:
        _refuse_newer(path, int.from_bytes(header[60:64], "big"), newest)


def version_of(connection: apsw.Connection, path: Path, newest: int) -> int:
    """The version of an open file; 0 for an empty one.

    Raises:
        ArchiveTooNew: its version is above `newest`.
        ArchiveUnavailable: it is the database of another program.
    """
    version = int(connection.pragma("user_version"))
    owner = int(connection.pragma("application_id"))
    is_empty = connection.execute("SELECT count(*) FROM sqlite_master").get == 0
    if owner != APPLICATION_ID and not (is_empty and version == 0):
        raise ArchiveUnavailable(
            _("{path} is a database of another program.").format(path=path),
            _("Sessions cannot be stored in it; it was not changed."),
            _("Choose another data directory."),
        )
    _refuse_newer(path, version, newest)
    return version


def migrate(connection: apsw.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Bring the file to the newest version in one transaction.

    A file that holds sessions is copied to `<name>.v<version>.backup` first.
    """
    version = version_of(connection, path, len(migrations))
    if version == len(migrations):
        return
    if version > 0:
        _back_up(connection, path, version)
    with transaction(connection):
        # Another process may have done it between the look above and the lock.
        version = version_of(connection, path, len(migrations))
        for statements in migrations[version:]:
            connection.execute(statements)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", len(migrations))


def backups(path: Path) -> list[Path]:
    """The copies that were made before migrations."""
    return sorted(path.parent.glob(f"{path.name}.v*.backup"))


def _back_up(connection: apsw.Connection, path: Path, version: int) -> None:
    target = path.with_name(f"{path.name}.v{version}.backup")
    target.unlink(missing_ok=True)
    target.touch(mode=0o600)
    copy = apsw.Connection(str(target))
    try:
        with copy.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step()
    finally:
        copy.close()


def _refuse_newer(path: Path, version: int, newest: int) -> None:
    if version > newest:
        raise ArchiveTooNew(
            _(
                "{path} was written by a newer version of this program (archive version {version}, this one knows up "
                "to {newest})."
            ).format(path=path, version=version, newest=newest),
            _("Nothing was changed."),
            _("Update the program, or choose another data directory."),
        )
