"""Saving what is whole in a damaged file, entry by entry, into a new one that takes its place."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from types import UnionType
from typing import Any, cast

import apsw

from tui_agent.archive import index, log, schema
from tui_agent.archive.faults import transaction
from tui_agent.archive.pages import Pages, Value
from tui_agent.archive.rows import (
    ENTRY_COLUMNS,
    MESSAGE_TYPES,
    EntryRow,
    is_whole,
    packed_text,
    row_of,
    unpacked_text,
)
from tui_agent.core.entries import Logged, Noticed, TitleSet
from tui_agent.language import _, ngettext
from tui_agent.values import frozen, mutable

_NOTES = (
    ("unsent", "session, text"),
    ("partial", "session, body"),
    ("remembered", "key, value"),
    ("kept_file", "session, number, turn, path, before, before_digest, after, after_digest, undone, mode, made"),
    ("kept_file", "session, number, turn, path, before, before_digest, after, after_digest, undone, mode"),  # version 2
)
"""Tables without hashes; they are copied as far as they can be read."""

_PLAUSIBLE_TAIL = 10_000
"""Entries at the end of a session that a damaged file may claim to have lost; more is taken for damage itself."""


@frozen
class Salvage:
    """What came of it."""

    copy: Path
    """The damaged file as it was."""

    sessions: int
    entries: int
    lost: int
    """Entries known to have been there and not saved; each left a notice in its place."""

    def sentence(self) -> str:
        """It in words for the user."""
        lost = ngettext("; {n} was lost", "; {n} were lost", self.lost).format(n=self.lost) if self.lost else ""
        return ngettext(
            "The archive was damaged: {n} entry of {sessions} was saved{lost}. The damaged file was kept as {copy}.",
            "The archive was damaged: {n} entries of {sessions} were saved{lost}. The damaged file was kept as {copy}.",
            self.entries,
        ).format(
            n=self.entries,
            sessions=ngettext("{n} session", "{n} sessions", self.sessions).format(n=self.sessions),
            lost=lost,
            copy=self.copy,
        )


@frozen
class _SessionRow:
    """A session as its row has it; what the entries say themselves is not taken from it."""

    number: int
    id: str
    title: bytes
    directory: bytes
    parent: str | None
    created: str
    updated: str
    preview: bytes
    last_seq: int
    archived: int


def salvage(path: Path) -> Salvage:
    """Copy the file aside and put a new one with every whole entry in its place.

    Entries keep their numbers. Where one is lost in the middle of a session, a notice stands instead, so that the log
    has no gap. Nobody else may have the file open.
    """
    copy = _copy_aside(path)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    connection = apsw.Connection(str(fresh))
    try:
        schema.migrate(connection, fresh, schema.MIGRATIONS)
        with transaction(connection):
            _save_entries(connection, Pages(copy))
            lost = _close_gaps(connection)
            _set_counts(connection)
            _save_notes(connection, copy)
        sessions = int(connection.execute("SELECT count(*) FROM session").get)
        entries = int(connection.execute("SELECT count(*) FROM entry").get) - lost.filled
    finally:
        connection.close()
    # The old WAL must be gone before the new file is there: it would be taken for the new one's.
    path.with_name(f"{path.name}-wal").unlink(missing_ok=True)
    os.replace(fresh, path)
    return Salvage(copy, sessions, entries, lost.filled + lost.tail)


def _copy_aside(path: Path) -> Path:
    copy = next(
        candidate for number in count(1) if not (candidate := path.with_name(f"{path.name}.damaged-{number}")).exists()
    )
    for suffix in ("", "-wal"):
        source, target = path.with_name(path.name + suffix), copy.with_name(copy.name + suffix)
        if source.exists():
            target.touch(mode=0o600)
            shutil.copyfile(source, target)
    return copy


# ── entries and sessions ─────────────────────────────────────────────────────


def _save_entries(connection: apsw.Connection, pages: Pages) -> None:
    sessions: dict[int, _SessionRow] = {}
    insert = f"INSERT OR IGNORE INTO entry (id, {ENTRY_COLUMNS}) VALUES ({', '.join('?' * 10)})"
    numbers: set[int] = set()
    for row in pages.rows():
        session = _as_session(row)
        if session is not None:
            known = sessions.get(session.number)
            if known is None or known.last_seq <= session.last_seq:
                sessions[session.number] = session
        elif _is_whole_entry(row):
            connection.execute(insert, (row[0], *row[2:]))
            numbers.add(cast(int, row[2]))
    taken: set[str] = set()
    for number in sorted(numbers | sessions.keys()):
        _save_session(connection, number, sessions.get(number), taken)


def _is_whole_entry(row: tuple[Value, ...]) -> bool:
    if not _has_shape(row, (int, type(None), int, int, str, str, int, str, int, bytes, bytes)):
        return False
    return is_whole(cast(EntryRow, row[2:]))


def _has_shape(row: tuple[Value, ...], shape: tuple[type | UnionType, ...]) -> bool:
    return len(row) == len(shape) and all(isinstance(value, kind) for value, kind in zip(row, shape, strict=True))


def _as_session(row: tuple[Value, ...]) -> _SessionRow | None:
    shape = (int, type(None), str, bytes, bytes, str | None, str, str, bytes, int, int, int, int, int)
    if not _has_shape(row, shape):
        return None
    values = cast(tuple[Any, ...], row)
    number, _key, id_, title, directory, parent, created, updated, preview = values[:9]
    _change, last_seq, _messages, _compactions, archived = values[9:]
    return _SessionRow(number, id_, title, directory, parent, created, updated, preview, last_seq, archived)


def _save_session(connection: apsw.Connection, number: int, session: _SessionRow | None, taken: set[str]) -> None:
    if session is None:
        session = _session_from_entries(connection, number)
    id_ = session.id if session.id not in taken else f"{session.id}-{number}"
    taken.add(id_)
    columns = "number, id, title, directory, parent, created, updated, preview, change, last_seq, archived"
    connection.execute(
        f"INSERT INTO session ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
        (
            number,
            id_,
            session.title,
            session.directory,
            session.parent,
            session.created,
            session.updated,
            session.preview,
            session.last_seq,
            int(bool(session.archived)),
        ),
    )
    index.index_title(connection, number, unpacked_text(session.title))


def _session_from_entries(connection: apsw.Connection, number: int) -> _SessionRow:
    last_title = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE session = ? AND type = 'TitleSet' ORDER BY seq DESC"
    said = next(log.usable(connection.execute(last_title, (number,))), None)
    title = said.entry.title if said is not None and isinstance(said.entry, TitleSet) else _("Recovered session")
    at = str(connection.execute("SELECT min(at) FROM entry WHERE session = ?", (number,)).get)
    return _SessionRow(number, f"recovered-{number}", packed_text(title), b"", None, at, at, b"", 0, 0)


@mutable
class _Lost:
    filled: int = 0
    """Entries in whose place a notice stands."""

    tail: int = 0
    """Entries behind the last one that was saved."""


def _close_gaps(connection: apsw.Connection) -> _Lost:
    lost = _Lost()
    for number, claimed in _pairs(connection, "SELECT number, last_seq FROM session"):
        expected, at = 1, ""
        found: Any = connection.execute(
            "SELECT seq, at FROM entry WHERE session = ? ORDER BY seq", (number,)
        ).fetchall()
        for seq, present_at in found:
            for missing in range(expected, seq):
                _insert_notice(connection, number, missing, at or present_at)
                lost.filled += 1
            expected, at = seq + 1, present_at
        if 0 < claimed - (expected - 1) <= _PLAUSIBLE_TAIL:
            lost.tail += claimed - (expected - 1)
    return lost


def _insert_notice(connection: apsw.Connection, number: int, seq: int, at: str) -> None:
    notice = Noticed(_("An entry stood here that was lost when the archive was damaged."), "warning")
    connection.execute(
        f"INSERT INTO entry ({ENTRY_COLUMNS}) VALUES ({', '.join('?' * 9)})", row_of(number, Logged(seq, at, notice))
    )


def _set_counts(connection: apsw.Connection) -> None:
    """What sessions say about their entries, from the entries that there are."""
    kinds = ", ".join(f"'{kind}'" for kind in MESSAGE_TYPES)
    connection.execute(
        f"""
        UPDATE session SET
            last_seq = (SELECT coalesce(max(seq), 0) FROM entry WHERE session = number),
            change = (SELECT coalesce(max(id), 0) FROM entry WHERE session = number AND type <> 'Noticed'),
            messages = (SELECT count(*) FROM entry WHERE session = number AND type IN ({kinds}))
        """
    )
    for number, _zero in _pairs(connection, "SELECT DISTINCT session, 0 FROM entry WHERE type = 'Compacted'"):
        log.recount_compactions(connection, number)


def _pairs(connection: apsw.Connection, query: str) -> Iterator[tuple[int, int]]:
    found: Any = connection.execute(query).fetchall()
    yield from found


# ── the rest ─────────────────────────────────────────────────────────────────


def _save_notes(connection: apsw.Connection, copy: Path) -> None:
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)) as damaged:
        for table, columns in _NOTES:
            places = ", ".join("?" * len(columns.split(",")))
            with suppress(apsw.Error):  # the rest of a table may be unreadable, or there be none in an older file
                for row in damaged.execute(f"SELECT {columns} FROM {table}"):
                    connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", row)
    copy.with_name(f"{copy.name}-shm").unlink(missing_ok=True)
