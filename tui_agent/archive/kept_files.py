"""What files held before tools changed them: kept beside the log of a session, and deleted with it."""

import zlib
from collections.abc import Sequence
from typing import Any

import apsw

from tui_agent.archive.faults import transaction
from tui_agent.archive.last_resort import LastResort
from tui_agent.archive.rows import packed_text, unpacked_text
from tui_agent.values import frozen

BUDGET = 64 * 1024 * 1024
"""Bytes, compressed, that are kept for a session; beyond it what was kept first goes first."""

NO_FILE = ""
"""The digest of a file that is not there."""


@frozen
class KeptFile:
    """One change of a file."""

    turn: int
    """A number that the changes of one turn share; later turns have higher ones."""

    path: str
    before: bytes | None
    """What the file held; None when there was none, or when it is not kept (the digest tells which)."""

    before_digest: str
    """`NO_FILE`, or SHA-256 in hexadecimal."""

    after_digest: str
    after: bytes | None = None
    """What it held when the change was taken back, for doing it again."""

    undone: bool = False
    number: int = 0
    """1, 2, ... within the session; 0 while it is not stored."""

    mode: int | None = None
    """Who might read, write and run the file when it was last there; None when it never was."""

    made: int = 0
    """How many of the directories above it were made for it."""


class ArchivedFiles(LastResort):
    """The part of the archive that holds earlier contents of files. They are no part of a session's log."""

    async def keep_file(self, session_id: str, kept: KeptFile, budget: int = BUDGET) -> int:
        """Keep what a file holds that is about to be changed; the number it is kept under.

        Changes that were taken back cannot be made again from here on, and contents beyond the budget go, oldest first.

        Raises:
            NotSaved
        """
        return await self._worker.write(lambda connection: _keep(connection, session_id, kept, budget))

    async def forget_file(self, session_id: str, number: int) -> None:
        """The change was not made after all.

        Raises:
            NotSaved
        """
        await self._worker.write(lambda connection: _forget(connection, session_id, number))

    async def kept_files(self, session_id: str, *, undone: bool, beyond: int | None = None) -> list[KeptFile]:
        """The changes of one turn, in their order: the newest that stands, or the one that was taken back last.

        `beyond` is a turn that is passed over: the next one after it in that order.
        """
        return await self._worker.read(lambda connection: _newest(connection, session_id, undone, beyond))

    async def turn_kept_files(self, session_id: str, changed: Sequence[KeptFile]) -> None:
        """Note that these changes were taken back, or made again, with the contents that they have now.

        Raises:
            NotSaved
        """
        await self._worker.write(lambda connection: _turn(connection, session_id, changed))


# ── on the archive's thread ──────────────────────────────────────────────────


def _keep(connection: apsw.Connection, session_id: str, kept: KeptFile, budget: int) -> int:
    with transaction(connection):
        connection.execute("DELETE FROM kept_file WHERE session = ? AND undone", (session_id,))
        query = "SELECT coalesce(max(number), 0) + 1 FROM kept_file WHERE session = ?"
        number = int(connection.execute(query, (session_id,)).get)
        row = (session_id, number, kept.turn, packed_text(kept.path), _packed(kept.before), kept.before_digest)
        connection.execute(
            "INSERT INTO kept_file (session, number, turn, path, before, before_digest, after_digest, mode, made)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, kept.after_digest, kept.mode, kept.made),
        )
        connection.execute(_WITHIN_BUDGET, (session_id, session_id, budget))
    return number


_WITHIN_BUDGET = """
    UPDATE kept_file SET before = NULL WHERE session = ? AND before IS NOT NULL AND number IN (
        SELECT number FROM (
            SELECT number, sum(length(before)) OVER (ORDER BY number DESC) AS newer FROM kept_file WHERE session = ?
        ) WHERE newer > ?
    )
"""


def _forget(connection: apsw.Connection, session_id: str, number: int) -> None:
    connection.execute("DELETE FROM kept_file WHERE session = ? AND number = ?", (session_id, number))


def _newest(connection: apsw.Connection, session_id: str, undone: bool, beyond: int | None) -> list[KeptFile]:
    which, is_beyond = ("min", ">") if undone else ("max", "<")
    rows: Any = connection.execute(
        "SELECT turn, path, before, before_digest, after_digest, after, undone, number, mode, made FROM kept_file"
        f" WHERE session = ?1 AND undone = ?2 AND turn = (SELECT {which}(turn) FROM kept_file"
        f" WHERE session = ?1 AND undone = ?2 AND (?3 IS NULL OR turn {is_beyond} ?3)) ORDER BY number",
        (session_id, int(undone), beyond),
    ).fetchall()
    return [
        KeptFile(turn, unpacked_text(path), _unpacked(before), old, new, _unpacked(after), bool(is_undone), *others)
        for turn, path, before, old, new, after, is_undone, *others in rows
    ]


def _turn(connection: apsw.Connection, session_id: str, changed: Sequence[KeptFile]) -> None:
    with transaction(connection):
        for each in changed:
            connection.execute(
                "UPDATE kept_file SET undone = ?, after = ?, after_digest = ?, mode = ?, made = ?"
                " WHERE session = ? AND number = ?",
                (
                    *(int(each.undone), _packed(each.after), each.after_digest, each.mode, each.made),
                    *(session_id, each.number),
                ),
            )


def _packed(content: bytes | None) -> bytes | None:
    return None if content is None else zlib.compress(content, 1)


def _unpacked(stored: bytes | None) -> bytes | None:
    """The content; None also for what a damaged disk took away."""
    try:
        return None if stored is None else zlib.decompress(stored)
    except zlib.error:
        return None
