"""The entries of a session in SQL: appended, read in ranges, copied into a fork. Runs on the archive's thread."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from tui_agent.archive import index
from tui_agent.archive.faults import damaged_entry
from tui_agent.archive.lease import busy
from tui_agent.archive.rows import (
    ENTRY_COLUMNS,
    MESSAGE_TYPES,
    DamagedRow,
    NewerRow,
    UnusableRow,
    digest,
    is_utf8,
    logged_of,
    packed_json,
    packed_text,
    row_of,
    unpacked_json,
)
from tui_agent.core.deeds import deed_line
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Logged,
    TitleSet,
    UserSaid,
)
from tui_agent.core.readings import deed_of, said_text
from tui_agent.errors import ArchiveTooNew, SessionNotFound
from tui_agent.language import _
from tui_agent.values import frozen

END = 2**62
"""Above every sequence number."""

_SELECT = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE session = ?"
_IS_MESSAGE = "type IN ({})".format(", ".join(f"'{kind}'" for kind in MESSAGE_TYPES))
_INSERT = f"INSERT INTO entry (id, {ENTRY_COLUMNS}) VALUES ({', '.join('?' * 10)})"
_PREVIEW_CHARACTERS = 120


def number_of(connection: apsw.Connection, session_id: str) -> int:
    """The number under which rows refer to the session.

    Raises:
        SessionNotFound
    """
    query = "SELECT number FROM session WHERE id = ?"
    number = connection.execute(query, (session_id,)).get if is_utf8(session_id) else None
    if number is None:
        raise SessionNotFound(_("There is no session {session_id!r}.").format(session_id=session_id))
    return int(number)


def last_seq(connection: apsw.Connection, number: int) -> int:
    """The sequence number of the session's last entry; 0 for none."""
    return int(connection.execute("SELECT last_seq FROM session WHERE number = ?", (number,)).get)


# ── writing, inside a transaction ────────────────────────────────────────────


def insert(connection: apsw.Connection, session_id: str, entries: Sequence[Logged]) -> int:
    """Add entries, and what follows from them for the session: title, counts, preview.

    Returns the session's number.

    Raises:
        SessionBusy: others have written the session meanwhile.
        SessionNotFound
        ValueError: they do not continue the log without a gap.
    """
    first = entries[0].seq
    if [logged.seq for logged in entries] != list(range(first, first + len(entries))):
        raise ValueError("entries must be numbered without a gap")
    number, first_row = _claim(connection, session_id, entries)
    for row_id, logged in enumerate(entries, first_row):
        connection.execute(_INSERT, (row_id, *row_of(number, logged)))
    _note_rarities(connection, number, entries)
    return number


LAST_GIVEN_OUT = "max((SELECT coalesce(max(id), 0) FROM entry), (SELECT upto FROM given_out))"
"""The highest number an entry has, or had."""

_CLAIM = f"""
    UPDATE session
    SET last_seq = ?, updated = ?, messages = messages + ?, preview = coalesce(?, preview),
        change = 1 + {LAST_GIVEN_OUT}
    WHERE id = ? AND last_seq = ?
    RETURNING number, change
"""


def _claim(connection: apsw.Connection, session_id: str, entries: Sequence[Logged]) -> tuple[int, int]:
    """Move the end of the session's log behind the entries; returns its number and the first one's row.

    That row's number is above all given out before, so it also says which session was changed last.
    """
    said = [logged.entry for logged in entries if isinstance(logged.entry, UserSaid)]
    preview = packed_text(_preview(said[-1])) if said else None
    messages = sum(type(logged.entry).__name__ in MESSAGE_TYPES for logged in entries)
    before = entries[0].seq - 1
    values = (entries[-1].seq, entries[-1].at, messages, preview, session_id, before)
    claimed: Any = connection.execute(_CLAIM, values).fetchone()
    if claimed is not None:
        return claimed[0], claimed[1]
    present = last_seq(connection, number_of(connection, session_id))
    if before < present:
        raise busy(session_id)
    raise ValueError(f"entries must be numbered from {present + 1} on")


def _preview(said: UserSaid) -> str:
    deed = deed_of(said)
    text = said_text(said) if deed is None else deed_line(deed)
    return " ".join(text[: 4 * _PREVIEW_CHARACTERS].split())[:_PREVIEW_CHARACTERS]


def _note_rarities(connection: apsw.Connection, number: int, entries: Sequence[Logged]) -> None:
    compactions = _live_compactions(connection, number, entries)
    if compactions:
        update = "UPDATE session SET compactions = compactions + ? WHERE number = ?"
        connection.execute(update, (compactions, number))
    titles = [logged.entry.title for logged in entries if isinstance(logged.entry, TitleSet)]
    if titles:
        set_title(connection, number, titles[-1])


def set_checkpoint(connection: apsw.Connection, number: int, seq: int, checkpoint: dict[str, Any]) -> None:
    """Keep the checkpoint that belongs to the log up to `seq`."""
    body = packed_json(checkpoint)
    connection.execute(
        "INSERT INTO checkpoint (session, seq, body, hash) VALUES (?, ?, ?, ?) ON CONFLICT (session) DO UPDATE "
        "SET seq = excluded.seq, body = excluded.body, hash = excluded.hash",
        (number, seq, body, digest(number, seq, body)),
    )


def set_title(connection: apsw.Connection, number: int, title: str) -> None:
    """Set the title and let the search find it."""
    connection.execute("UPDATE session SET title = ? WHERE number = ?", (packed_text(title), number))
    index.index_title(connection, number, title)


def _live_compactions(connection: apsw.Connection, number: int, entries: Sequence[Logged]) -> int:
    """How many compactions more are not undone."""
    more = 0
    for logged in entries:
        match logged.entry:
            case Compacted():
                more += 1
            case CompactionUndone(seq) if _is_compaction(connection, number, seq):
                more -= 1
            case CompactionRedone(seq) if _is_compaction(connection, number, seq):
                more += 1
    return more


def recount_compactions(connection: apsw.Connection, number: int) -> None:
    """Count the session's compactions that are not undone from its log; inside a transaction."""
    kinds = "'Compacted', 'CompactionUndone', 'CompactionRedone'"
    found: Any = connection.execute(f"{_SELECT} AND type IN ({kinds}) ORDER BY seq", (number,)).fetchall()
    live = _live_compactions(connection, number, list(usable(found)))
    connection.execute("UPDATE session SET compactions = ? WHERE number = ?", (live, number))


def _is_compaction(connection: apsw.Connection, number: int, seq: int) -> bool:
    # What is undone may also be a restored summary, which is no compaction.
    kind = connection.execute("SELECT type FROM entry WHERE session = ? AND seq = ?", (number, seq)).get
    return bool(kind == Compacted.__name__)


def clears_partial(entries: Iterable[Logged]) -> bool:
    """Whether the entries hold an answer, which a partial answer must not outlive."""
    return any(isinstance(logged.entry, AssistantSaid) for logged in entries)


# ── reading ──────────────────────────────────────────────────────────────────


def load(connection: apsw.Connection, session_id: str, after: int, upto: int) -> list[Logged]:
    """The entries with `after < seq <= upto`.

    Raises:
        ArchiveDamaged: one is damaged or missing.
    """
    number = number_of(connection, session_id)
    found = _whole(session_id, _range(connection, number, after, upto))
    expected = range(max(after, 0) + 1, min(upto, last_seq(connection, number)) + 1)
    if [logged.seq for logged in found] != list(expected):
        missing = sorted(set(expected) - {logged.seq for logged in found})
        raise damaged_entry(
            _("Session {session_id} is missing entries {missing}.").format(session_id=session_id, missing=some(missing))
        )
    return found


@frozen
class Readable:
    """What can be read of a part of a log."""

    entries: list[Logged]
    damaged: list[int]
    """Sequence numbers of entries that are damaged or missing."""

    newer: list[int]
    """Sequence numbers of entries of a kind that only a newer version knows."""


def load_readable(connection: apsw.Connection, session_id: str, after: int, upto: int) -> Readable:
    """What can be read of the entries with `after < seq <= upto`."""
    number = number_of(connection, session_id)
    readable = Readable([], [], [])
    for seq in range(max(after, 0) + 1, min(upto, last_seq(connection, number)) + 1):
        try:
            row: Any = next(_range(connection, number, seq - 1, seq), None)
            if row is None:
                raise DamagedRow("missing")
            readable.entries.append(logged_of(row))
        except NewerRow:
            readable.newer.append(seq)
        except (DamagedRow, UnicodeDecodeError, apsw.CorruptError):
            readable.damaged.append(seq)
    return readable


def page(
    connection: apsw.Connection, session_id: str, before: int | None, after: int | None, limit: int
) -> list[Logged]:
    """Up to `limit` entries next to a place in the log, ascending."""
    number = number_of(connection, session_id)
    if after is not None:
        query = f"{_SELECT} AND seq > ? ORDER BY seq LIMIT ?"
        return _whole(session_id, connection.execute(query, (number, after, limit)))
    query = f"{_SELECT} AND seq < ? ORDER BY seq DESC LIMIT ?"
    return _whole(session_id, connection.execute(query, (number, END if before is None else before, limit)))[::-1]


def neighbours(connection: apsw.Connection, session_id: str, seq: int, n: int) -> list[Logged]:
    """The entry with up to `n` messages on either side, ascending."""
    number = number_of(connection, session_id)
    earlier = f"{_SELECT} AND seq < ? AND {_IS_MESSAGE} ORDER BY seq DESC LIMIT ?"
    later = f"{_SELECT} AND seq > ? AND {_IS_MESSAGE} ORDER BY seq LIMIT ?"
    return [
        *_whole(session_id, connection.execute(earlier, (number, seq, n)))[::-1],
        *_whole(session_id, _range(connection, number, seq - 1, seq)),
        *_whole(session_id, connection.execute(later, (number, seq, n))),
    ]


def compactions(connection: apsw.Connection, session_id: str) -> list[Logged]:
    """Every `Compacted` entry, ascending."""
    query = f"{_SELECT} AND type = 'Compacted' ORDER BY seq"
    return _whole(session_id, connection.execute(query, (number_of(connection, session_id),)))


def checkpoint(connection: apsw.Connection, session_id: str) -> dict[str, Any] | None:
    """The checkpoint, or None when there is none or it is damaged."""
    number = number_of(connection, session_id)
    row: Any = connection.execute("SELECT seq, body, hash FROM checkpoint WHERE session = ?", (number,)).fetchone()
    if row is None or digest(number, row[0], row[1]) != row[2]:
        return None
    stored = unpacked_json(row[1])
    return stored if isinstance(stored, dict) else None


def _range(connection: apsw.Connection, number: int, after: int, upto: int) -> Any:
    return connection.execute(f"{_SELECT} AND seq > ? AND seq <= ? ORDER BY seq", (number, after, upto))


def _whole(session_id: str, found: Iterable[Any]) -> list[Logged]:
    entries = []
    for row in found:
        try:
            entries.append(logged_of(row))
        except DamagedRow as error:
            raise damaged_entry(
                _("Entry {row} of session {session_id} is damaged.").format(row=row[1], session_id=session_id)
            ) from error
        except NewerRow as error:
            raise ArchiveTooNew(
                _("Entry {row} of session {session_id} was written by a newer version of this program.").format(
                    row=row[1], session_id=session_id
                ),
                _("This version cannot show the session; nothing was changed."),
                _("Update the program."),
            ) from error
    return entries


def usable(rows: Iterable[Any]) -> Iterator[Logged]:
    """The entries of those rows that one can be read from."""
    for row in rows:
        try:
            yield logged_of(row)
        except UnusableRow:
            continue


def left_out(session_id: str, found: Readable) -> list[str]:
    """What could not be read of a session, in words for the user."""
    damaged = _("Session {id}: damaged entries were left out ({numbers}).")
    newer = _("Session {id}: entries of a newer version were left out ({numbers}).")
    told = ((damaged, found.damaged), (newer, found.newer))
    return [words.format(id=session_id, numbers=some(numbers)) for words, numbers in told if numbers]


def some(numbers: list[int]) -> str:
    """The first of the numbers, in words."""
    shown = ", ".join(map(str, numbers[:5]))
    return shown + (_(" and {n} more").format(n=len(numbers) - 5) if len(numbers) > 5 else "")
