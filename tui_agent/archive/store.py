"""The archive as the rest of the program sees it: asynchronous, one thread, one connection, errors of our own tree."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from tui_agent.archive import book, index, log, notes, schema, search
from tui_agent.archive.faults import transaction
from tui_agent.archive.found import ArchivedFindings, copy_found
from tui_agent.archive.kept_files import ArchivedFiles
from tui_agent.archive.last_resort import LastResort
from tui_agent.archive.lease import FileLock, Lease, session_lock
from tui_agent.archive.notes import ArchivedNotes
from tui_agent.archive.opening import Opened, open_file, suspect
from tui_agent.archive.rows import NewSession, SessionInfo
from tui_agent.archive.search import Hit
from tui_agent.archive.worker import Worker
from tui_agent.core.entries import Logged
from tui_agent.errors import SessionNotFound
from tui_agent.language import _

_INDEX_AT_ONCE = 4_000
"""Characters; longer entries count as several when it comes to indexing."""


class ArchivedLogs(LastResort):
    """The part of the archive that holds the entries of sessions."""

    _leases: dict[str, Lease]
    _unindexed: int
    notices: list[str]
    """Sentences for the user about what was found or done while opening and reading."""

    async def append(
        self, session_id: str, entries: Sequence[Logged], checkpoint: dict[str, Any], *, at_last: bool = False
    ) -> None:
        """Add entries and the checkpoint that goes with them: all or nothing; `at_last` from the reserve if need be.

        Returns when they are on the disk; the search finds them from then on. A cancelled call is still carried out.
        An answer among the entries clears the session's partial answer.

        Raises:
            NotSaved: nothing of it was kept.
            SessionBusy: somebody else writes this session, or has written it.
            SessionNotFound
        """

        def job(connection: apsw.Connection) -> None:
            lock = self._write_lock(session_id)
            try:
                with transaction(connection):
                    number = log.insert(connection, session_id, entries)
                    log.set_checkpoint(connection, number, entries[-1].seq, checkpoint)
                    if log.clears_partial(entries):
                        notes.clear_partial(connection, session_id)
            finally:
                if lock is not None:
                    lock.release()

        if entries:
            await (self._save if at_last else self._worker.write)(job)
            self._index_later(entries)

    async def load(
        self, session_id: str, *, after: int = 0, upto: int | None = None, strict: bool = True
    ) -> list[Logged]:
        """The entries with `after < seq <= upto`, in order.

        Raises:
            ArchiveDamaged: one of them is damaged; with `strict=False` it is left out and named in `notices`.
            ArchiveTooNew: one of them is of a newer version; likewise.
            SessionNotFound
        """
        last = log.END if upto is None else upto
        if strict:
            return await self._worker.read(lambda connection: log.load(connection, session_id, after, last))
        found = await self._worker.read(lambda connection: log.load_readable(connection, session_id, after, last))
        if found.damaged:
            suspect(self._worker.path)
        self.notices += log.left_out(session_id, found)
        return found.entries

    async def page(
        self, session_id: str, *, before: int | None = None, after: int | None = None, limit: int
    ) -> list[Logged]:
        """Up to `limit` entries, ascending: the last ones before `before`, or the first ones after `after`.

        With neither, the last ones there are.

        Raises:
            ArchiveDamaged, SessionNotFound
        """
        return await self._worker.read(lambda connection: log.page(connection, session_id, before, after, limit))

    async def entry(self, session_id: str, seq: int) -> Logged:
        """One entry.

        Raises:
            ArchiveDamaged, SessionNotFound (also when the session has no such entry)
        """
        found = await self.load(session_id, after=seq - 1, upto=seq)
        if not found:
            raise SessionNotFound(_("Session {session_id} has no entry {seq}.").format(session_id=session_id, seq=seq))
        return found[0]

    async def neighbours(self, session_id: str, seq: int, n: int) -> list[Logged]:
        """The entry, with up to `n` messages before and after it, ascending.

        Raises:
            ArchiveDamaged, SessionNotFound
        """
        return await self._worker.read(lambda connection: log.neighbours(connection, session_id, seq, n))

    async def compactions(self, session_id: str) -> list[Logged]:
        """Every `Compacted` entry of the session, ascending.

        Raises:
            ArchiveDamaged, SessionNotFound
        """
        return await self._worker.read(lambda connection: log.compactions(connection, session_id))

    async def count(self, session_id: str) -> int:
        """How many entries the session has, which is the last one's sequence number.

        Raises:
            SessionNotFound
        """
        return await self._worker.read(
            lambda connection: log.last_seq(connection, log.number_of(connection, session_id))
        )

    async def checkpoint(self, session_id: str) -> dict[str, Any] | None:
        """The checkpoint of the last append; None when there is none that can be trusted.

        It says nothing that the log does not say, so a damaged one is no loss: it is made again from the log.

        Raises:
            SessionNotFound
        """
        return await self._worker.read(lambda connection: log.checkpoint(connection, session_id))

    async def search(
        self, query: str, *, session_id: str | None = None, limit: int = 20, before: int | None = None
    ) -> list[Hit]:
        """What holds all words of the query: titles of sessions, then entries, newest first.

        The query has no syntax but quotes round a phrase. `before` is the `position` of the last hit of the page
        before; titles stand on the first page only.

        Raises:
            SessionNotFound
        """

        def job(connection: apsw.Connection) -> list[Hit]:
            number = None if session_id is None else log.number_of(connection, session_id)
            return search.find(connection, query, session=number, limit=limit, before=before)

        return await self._worker.read(job)

    def _index_later(self, entries: Sequence[Logged]) -> None:
        """Have the search index brought up to date when that is worth a transaction."""
        self._unindexed += sum(1 + logged.characters // _INDEX_AT_ONCE for logged in entries)
        if self._unindexed >= index.GROUP:
            self._unindexed = 0
            self._worker.later(self._index)

    def _index(self, connection: apsw.Connection) -> None:
        if index.index_group(connection):
            # What else was asked for meanwhile comes between two groups.
            self._worker.later(self._index)

    def _write_lock(self, session_id: str) -> FileLock | None:
        """The session's lock for one write; None when this archive has a lease on it anyway."""
        if session_id in self._leases:
            return None
        return session_lock(_lock_directory(self._worker.path), session_id)


class ArchivedSessions(ArchivedLogs):
    """The part of the archive that holds what is known of sessions as a whole."""

    async def add_sessions(self, sessions: Sequence[NewSession]) -> None:
        """Make sessions with all their entries: every one of them or none.

        Raises:
            NotSaved
            SessionBusy: there is a session of such an id.
        """

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                for session in sessions:
                    book.add(connection, session)

        await self._worker.write(job)
        for session in sessions:
            self._index_later(session.entries)

    async def copy_prefix(
        self,
        source: str,
        upto: int,
        new_id: str,
        at: str,
        *,
        checkpoint: dict[str, Any],
        then: Sequence[Logged] = (),
    ) -> None:
        """Make a session that begins with the entries of `source` up to `upto`, under the same numbers, and goes on
        with `then`: all or nothing.

        `checkpoint` belongs to the whole of it. Directory and title are those of the source.

        Raises:
            NotSaved, SessionNotFound, ArchiveDamaged
            SessionBusy: there is a session `new_id`.
        """

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                info = book.exactly(connection, source)
                number = book.create(connection, new_id, info.directory, at, "", source)
                book.copy_prefix(connection, source, upto, new_id)
                copy_found(connection, log.number_of(connection, source), upto, number)
                if then:
                    log.insert(connection, new_id, then)
                log.set_title(connection, number, info.title)
                log.set_checkpoint(connection, number, log.last_seq(connection, number), checkpoint)

        await self._worker.write(job)
        self._worker.later(self._index)

    async def sessions(
        self, *, query: str = "", directory: str | None = None, archived: bool | None = False, limit: int = 200
    ) -> list[SessionInfo]:
        """The sessions whose title holds `query` as it stands, whatever its case; the one changed last first.

        `archived=None` lists those put away as well as the others.
        """
        return await self._worker.read(lambda connection: book.listed(connection, query, directory, archived, limit))

    async def session(self, id_or_prefix: str) -> SessionInfo:
        """The session of this id, or the only one whose id begins so.

        Raises:
            SessionNotFound: none, or several, which are named.
        """
        return await self._worker.read(lambda connection: book.one(connection, id_or_prefix))

    async def rename(self, session_id: str, title: str) -> None:
        """Set the title shown in lists; the log says it too only if a `TitleSet` is appended.

        Raises:
            NotSaved, SessionNotFound
        """

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                log.set_title(connection, log.number_of(connection, session_id), title)

        await self._worker.write(job)

    async def set_archived(self, session_id: str, archived: bool) -> None:
        """Put the session away, or take it out again.

        Raises:
            NotSaved, SessionNotFound
        """

        def job(connection: apsw.Connection) -> None:
            with transaction(connection):
                number = log.number_of(connection, session_id)
                connection.execute("UPDATE session SET archived = ? WHERE number = ?", (archived, number))

        await self._worker.write(job)

    async def delete(self, session_id: str) -> None:
        """Remove the session, its place in the search index and every byte of its text from the archive's files.

        Copies made before migrations go too, for they hold the text; copies of damaged files are the user's to remove.

        Raises:
            NotSaved, SessionNotFound
            SessionBusy: another window writes it.
        """

        def job(connection: apsw.Connection) -> bool:
            lock = self._write_lock(session_id)
            try:
                book.delete(connection, session_id)
            finally:
                if lock is not None:
                    lock.release()
            return book.sweep_or_postpone(connection, self._worker.path)

        if not await self._save(job):
            self.notices.append(
                _(
                    "Session {session_id} is deleted. Traces of its text will be removed from the file at the next "
                    "start with no other window open."
                ).format(session_id=session_id)
            )

    async def acquire(self, session_id: str) -> Lease:
        """The right to write the session, until released or the process ends.

        In a read-only archive, where nobody writes, it is there for the asking.

        Raises:
            SessionBusy: another window, or another part of this program, has it.
            SessionNotFound
        """

        def job(connection: apsw.Connection) -> Lease:
            log.number_of(connection, session_id)
            if self._worker.read_only:
                return Lease(session_id)
            lock = session_lock(_lock_directory(self._worker.path), session_id)
            self._leases[session_id] = Lease(session_id, lock, lambda: self._leases.pop(session_id, None))
            return self._leases[session_id]

        return await self._worker.read(job)


class Archive(ArchivedSessions, ArchivedNotes, ArchivedFindings, ArchivedFiles):
    """The complete record of every session, in one file."""

    def __init__(self, worker: Worker, opened: Opened) -> None:
        self._worker = worker
        self._leases = {}
        self._unindexed = 0
        self.notices = opened.notices
        self.on_shortage = lambda error: self.notices.append(str(error))

    @classmethod
    async def open(
        cls, path: Path, *, vfs: str | None = None, migrations: Sequence[str] = schema.MIGRATIONS
    ) -> "Archive":
        """Open the archive in this file; made with its directory when it does not exist.

        A damaged file is put aside and what is whole of it is saved; `notices` says so. One that cannot be written is
        opened for reading (`read_only`). `vfs` names another layer between SQLite and the disk.

        Raises:
            ArchiveUnavailable: it can be neither read nor made.
            ArchiveTooNew: nothing was touched.
            ArchiveDamaged: and another window has it open.
        """
        worker = Worker(path)
        try:
            opened = await worker.open(lambda: open_file(path, vfs=vfs, migrations=migrations))
        except BaseException:
            await worker.close()
            raise
        archive = cls(worker, opened)
        if not opened.read_only:  # pragma: no branch - tests/e2e/test_full_disk.py has such an archive
            worker.later(archive._index)  # what an earlier run left
            worker.later(lambda connection: worker.reserve.fill())
        return archive

    @property
    def path(self) -> Path:
        """The archive's file."""
        return self._worker.path

    @property
    def read_only(self) -> bool:
        """Whether nothing can be saved."""
        return self._worker.read_only

    async def close(self) -> None:
        """Carry out what was asked for, release every lease, and close. Closing twice is allowed."""
        await self._worker.close()
        for lease in list(self._leases.values()):
            lease.release()


def _lock_directory(path: Path) -> Path:
    return path.with_name(f"{path.name}.locks")
