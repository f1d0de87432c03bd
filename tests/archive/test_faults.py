"""Disks that are full, broken, read-only or locked: nothing half done, and an error that says what to do."""

import errno
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import apsw
import pytest

from tests.archive.samples import AT, answered, content, logged, make_session, mode, said
from tests.fakes.disk import Fault, faulty_disk
from tui_agent.archive import Archive
from tui_agent.archive.faults import as_read_errors, as_write_errors, is_damage, is_full, transaction
from tui_agent.archive.lease import FileLock
from tui_agent.archive.opening import _MOUNTS, on_network_file_system, open_file
from tui_agent.archive.rows import DamagedRow
from tui_agent.archive.schema import MIGRATIONS
from tui_agent.archive.worker import Worker
from tui_agent.core.entries import Compacted, TitleSet
from tui_agent.errors import ArchiveDamaged, ArchiveUnavailable, NotSaved, SessionNotFound


@pytest.fixture
def disk() -> Iterator[tuple[str, Fault]]:
    with faulty_disk() as found:
        yield found


@pytest.fixture
async def frail(path: Path, disk: tuple[str, Fault]) -> AsyncIterator[Archive]:
    """An archive on a disk that can be told to fail; two entries are in it."""
    archive = await Archive.open(path, vfs=disk[0])
    await make_session(archive, "one", "/", AT, title="Title")
    await archive.append("one", [said(1, "first"), answered(2, "second")], {"seq": 2})
    yield archive
    disk[1].heal()
    await archive.close()


@pytest.mark.parametrize("name", ["archive.db", "archive.db-wal"])
async def test_a_file_that_was_taken_away_takes_nothing_more_until_it_is_back(
    archive: Archive, path: Path, name: str
) -> None:
    await archive.append("one", [said(1, "first")], {})
    file, elsewhere = path.with_name(name), path.with_name("elsewhere")
    file.rename(elsewhere)
    with pytest.raises(NotSaved, match="removed, moved or replaced"):
        await archive.append("one", [said(2, "second")], {})
    file.write_bytes(elsewhere.read_bytes())
    with pytest.raises(NotSaved, match="removed, moved or replaced"):
        await archive.save_unsent("one", "words")
    assert await archive.load("one") == [said(1, "first")]
    elsewhere.replace(file)
    await archive.append("one", [said(2, "second")], {})
    assert await archive.load("one") == [said(1, "first"), said(2, "second")]


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
async def test_what_was_not_saved_is_not_kept_and_can_be_saved_later(
    frail: Archive, disk: tuple[str, Fault], error: type[Exception]
) -> None:
    entries = [said(3, "third " * 2_000), logged(4, TitleSet("New"))]
    disk[1].begin(1, error, forever=True)
    with pytest.raises(NotSaved) as told:
        await frail.append("one", entries, {"seq": 4})
    assert told.value.todo
    assert await frail.load("one") == [said(1, "first"), answered(2, "second")]
    assert await frail.checkpoint("one") == {"seq": 2}
    assert (await frail.session("one")).title == "Title"
    with pytest.raises(NotSaved):
        await frail.save_unsent("one", "x" * 10_000)
    disk[1].heal()
    await frail.append("one", entries, {"seq": 4})
    assert await frail.load("one") == [said(1, "first"), answered(2, "second"), *entries]
    assert [hit.seq for hit in await frail.search("third")] == [3]


Workflow = Callable[[Archive], Awaitable[None]]


async def _append(archive: Archive) -> None:
    await archive.append("one", [said(3, "third " * 3_000), answered(4, "fourth")], {"seq": 4})


async def _compact(archive: Archive) -> None:
    await archive.append("one", [logged(3, Compacted(None, 2, (), "sum")), logged(4, TitleSet("T"))], {"seq": 4})


async def _create(archive: Archive) -> None:
    await make_session(archive, "two", "/", AT, title="Two")


async def _fork(archive: Archive) -> None:
    await archive.copy_prefix("one", 2, "fork", AT, checkpoint={"seq": 3}, then=[said(3, "own")])


async def _rename(archive: Archive) -> None:
    await archive.rename("one", "Renamed")


async def _delete(archive: Archive) -> None:
    await archive.delete("one")


async def _state(archive: Archive) -> list[object]:
    state: list[object] = []
    for info in sorted(await archive.sessions(archived=None), key=lambda each: each.id):
        state += [info, await archive.load(info.id), await archive.checkpoint(info.id)]
    return [*state, sorted((hit.session_id, hit.seq) for hit in await archive.search("third"))]


@pytest.mark.parametrize("forever", [False, True], ids=["once", "for ever"])
@pytest.mark.parametrize("workflow", [_append, _compact, _create, _fork, _rename, _delete])
async def test_whichever_call_to_the_disk_fails_the_step_is_done_or_not_begun(
    tmp_path: Path, disk: tuple[str, Fault], workflow: Workflow, forever: bool
) -> None:
    name, fault = disk
    # Deleting rewrites the whole file: every sixth of its many calls is enough here.
    for at in range(1, 1_000, 6 if workflow is _delete else 1):
        fault.heal()
        path = tmp_path / f"{at}" / "archive.db"
        archive = await Archive.open(path, vfs=name)
        await make_session(archive, "one", "/", AT, title="Title")
        await archive.append("one", [said(1, "first"), answered(2, "second")], {"seq": 2})
        before = await _state(archive)
        fault.begin(at, apsw.FullError if at % 2 else apsw.IOError, forever=forever)
        failed = False
        try:
            await workflow(archive)
        except NotSaved:
            failed = True
            assert await _state(archive) == before
        reached = fault.calls >= at
        fault.heal()
        await archive.close()
        again = await Archive.open(path)
        if failed:
            assert await _state(again) == before
        else:
            assert await _state(again) != before
        assert not any("damaged" in notice for notice in again.notices)
        await again.close()
        if not reached:
            return
    raise AssertionError("the workflow never ended")


async def _opened(path: Path, *, busy: int = 50, writable: bool | None = None) -> Archive:
    worker = Worker(path)
    return Archive(worker, await worker.open(lambda: open_file(path, busy=busy, writable=writable)))


async def test_deleted_text_is_removed_at_the_next_start_when_a_reader_keeps_it(path: Path) -> None:
    archive = await _opened(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "periwinkle " * 100)], {})
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT count(*) FROM entry").fetchall()
    await archive.delete("one")
    assert "next start" in archive.notices[-1]
    with pytest.raises(SessionNotFound):
        await archive.load("one")
    reader.close()
    await archive.close()

    again = await Archive.open(path)
    for file in path.parent.glob("archive.db*"):
        assert file.is_dir() or b"periwinkle" not in file.read_bytes(), file
    await again.close()


def test_what_is_written_is_on_the_disk_and_what_is_deleted_is_gone(path: Path) -> None:
    opened = open_file(path)
    expected = {
        "journal_mode": "wal",
        "locking_mode": "normal",
        "synchronous": 2,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
        "secure_delete": 1,
        "foreign_keys": 1,
        "trusted_schema": 0,
    }
    assert {name: opened.connection.pragma(name) for name in expected} == expected
    opened.connection.close()


def test_opening_and_closing_leaves_no_file_open(path: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/dev/fd"))

    open_file(path).connection.close()
    before = open_files()
    opened = open_file(path)
    opened.connection.close()
    assert opened.presence is not None
    opened.presence.release(remove=False)
    assert open_files() == before


def test_a_writer_waits_for_the_lock_then_says_that_it_is_locked(path: Path) -> None:
    opened = open_file(path, busy=50)
    other = apsw.Connection(str(path))
    with (
        transaction(other),
        pytest.raises(NotSaved, match="locked"),
        as_write_errors(path),
        transaction(opened.connection),
    ):
        raise AssertionError("the lock is held by the other")
    with transaction(opened.connection):
        pass
    other.close()
    opened.connection.close()


@pytest.mark.parametrize("kind", ["directory", "file in the way", "missing parent of a file"])
async def test_a_path_that_cannot_hold_an_archive_is_named(tmp_path: Path, kind: str) -> None:
    match kind:
        case "directory":
            path = tmp_path / "archive.db"
            path.mkdir()
        case "file in the way":
            (tmp_path / "data").write_text("a file")
            path = tmp_path / "data" / "archive.db"
        case _:
            (tmp_path / "data").write_text("a file")
            path = tmp_path / "data" / "deeper" / "archive.db"
    with pytest.raises(ArchiveUnavailable) as told:
        await Archive.open(path)
    assert str(path) in told.value.what
    assert told.value.todo


async def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveUnavailable, match="not UTF-8"):
        await Archive.open(tmp_path / os.fsdecode(b"caf\xe9") / "archive.db")


async def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    other.close()
    before = content(path)
    with pytest.raises(ArchiveUnavailable, match="another program"):
        await Archive.open(path)
    assert content(path) == before


async def test_directory_and_files_are_their_owners_alone(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.acquire("one")
    await archive.append("one", [said(1, "a")], {})
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for file in path.parent.rglob("*"):
        assert file.stat().st_mode & 0o077 == 0, file
    await archive.close()


@pytest.mark.parametrize(("beside", "then"), [("", 0o700), ("log", 0o700), ("photos", 0o755)])
async def test_an_open_directory_is_closed_unless_something_else_lies_in_it(path: Path, beside: str, then: int) -> None:
    (path.parent / beside).mkdir(parents=True)
    path.parent.chmod(0o755)
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.acquire("one")
    await archive.append("one", [said(1, "a")], {})
    assert mode(path.parent) == then
    for file in path.parent.glob("archive.db*"):
        assert mode(file) & 0o077 == 0, file
    await archive.close()


async def test_a_file_others_can_read_is_made_private_and_that_is_said(path: Path) -> None:
    await (await Archive.open(path)).close()
    os.chmod(path, 0o644)
    archive = await Archive.open(path)
    assert "other users" in archive.notices[0]
    assert mode(path) == 0o600
    await archive.close()


async def test_a_read_only_archive_can_be_read_and_says_that_nothing_is_saved(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a word")], {})
    await archive.close()
    files = {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()}

    archive = await _opened(path, writable=False)
    assert archive.read_only
    assert "read-only" in archive.notices[0]
    assert await archive.load("one") == [said(1, "a word")]
    assert [hit.seq for hit in await archive.search("word")] == [1]
    lease = await archive.acquire("one")
    for write in (archive.append("one", [said(2, "b")], {}), archive.delete("one"), archive.save_unsent("", "x")):
        with pytest.raises(NotSaved, match="read-only"):
            await write
    lease.release()
    await archive.close()
    assert {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()} == files


async def test_a_read_only_archive_says_when_its_newest_entries_may_be_missing(path: Path, tmp_path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    killed = tmp_path / "killed"
    shutil.copytree(path.parent, killed)
    await archive.close()
    checkpointed = await Archive.open(killed / "archive.db")
    shutil.copy(killed / "archive.db-wal", tmp_path / "wal")
    await checkpointed.close()
    shutil.copy(tmp_path / "wal", killed / "archive.db-wal")
    archive = await _opened(killed / "archive.db", writable=False)
    assert "newest entries may be missing" in archive.notices[1]
    await archive.close()


async def test_a_read_only_archive_with_an_empty_log_beside_it_lacks_nothing(path: Path) -> None:
    await (await Archive.open(path)).close()
    path.with_name("archive.db-wal").touch()
    archive = await _opened(path, writable=False)
    assert ["read-only" in notice for notice in archive.notices] == [True]
    await archive.close()


async def test_a_read_only_file_of_an_older_version_is_not_shown_wrongly(path: Path) -> None:
    await (await Archive.open(path)).close()
    with pytest.raises(ArchiveUnavailable, match="older version"):
        open_file(path, writable=False, migrations=("",) * (len(MIGRATIONS) + 1))


async def test_an_archive_that_is_being_repaired_is_waited_for_by_the_user(path: Path) -> None:
    await (await Archive.open(path)).close()
    repair = FileLock.take(path.with_name("archive.db.open"))
    assert repair is not None
    with pytest.raises(ArchiveUnavailable, match="being repaired"):
        await Archive.open(path)
    repair.release(remove=False)
    await (await Archive.open(path)).close()


async def test_a_directory_that_cannot_be_written_holds_no_new_archive(path: Path) -> None:
    with pytest.raises(ArchiveUnavailable, match="cannot be written"):
        await _opened(path, writable=False)


@pytest.mark.parametrize(
    ("table", "is_remote"),
    [
        ("/dev/a / ext4 rw 0 0\nserver:/x HERE nfs4 rw 0 0\n", True),
        ("server:/x HERE nfs4 rw 0 0\n/dev/a / ext4 rw 0 0\n", True),
        ("server:/x HERE nfs4 rw 0 0\n/dev/b HERE/data xfs rw 0 0\n", False),
        ("/dev/b HERE xfs rw 0 0\nserver:/x HERE nfs4 rw 0 0\n", True),
        ("server:/x HERE nfs4 rw 0 0\n/dev/b HERE xfs rw 0 0\n", False),
        ("server:/x HERE/dat nfs4 rw 0 0\n", False),
        ("server:/x / nfs4 rw 0 0\n", True),
        ("broken line\nserver:/x HERE nfs4\n", True),
        ("server:/x HERE/our\\040data nfs4 rw 0 0\n", False),
        ("", False),
    ],
)
def test_the_mount_nearest_to_a_file_and_newest_there_says_whose_disk_it_is_on(
    tmp_path: Path, table: str, is_remote: bool
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(table.replace("HERE", str(tmp_path)))
    assert on_network_file_system(tmp_path / "data" / "archive.db", mounts) == is_remote


def test_a_mount_whose_name_is_no_text_hides_no_other(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_bytes(b"server:/y /caf\xe9 nfs4 rw 0 0\nserver:/x " + os.fsencode(tmp_path) + b" nfs4 rw 0 0\n")
    assert on_network_file_system(tmp_path / "archive.db", mounts)


def test_without_a_table_of_mounts_every_disk_is_taken_for_a_local_one(tmp_path: Path) -> None:
    assert not on_network_file_system(tmp_path / "archive.db", tmp_path / "no table")


_REMOTE = ("9p", "afs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs")


@pytest.mark.parametrize("kind", _REMOTE)
def test_each_kind_of_network_file_system_is_known_by_its_name(tmp_path: Path, kind: str) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"server:/x {tmp_path} {kind} rw 0 0\n")
    assert on_network_file_system(tmp_path / "archive.db", table)


def test_a_directory_with_a_blank_in_its_name_is_found_in_the_table_of_mounts(tmp_path: Path) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"server:/x {tmp_path}/our\\040files nfs4 rw 0 0\n")
    assert on_network_file_system(tmp_path / "our files" / "archive.db", table)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such table")
def test_the_table_of_mounts_is_where_linux_keeps_it() -> None:
    assert any(line.split(" ")[1] == "/" for line in _MOUNTS.read_text().splitlines())


def test_on_a_network_file_system_no_memory_is_shared_and_the_user_is_told(tmp_path: Path) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"server:/x {tmp_path} nfs4 rw 0 0\n")
    opened = open_file(tmp_path / "archive.db", mounts=table)
    assert opened.connection.pragma("journal_mode") == "delete"
    assert opened.connection.pragma("synchronous") == 2
    assert ["network file system" in notice for notice in opened.notices] == [True]
    opened.connection.close()


_WHY: list[tuple[Exception, str, str]] = [
    (apsw.FullError("x"), "the disk is full", "Free some space"),
    (OSError(errno.ENOSPC, "No space left"), "the disk is full", "Free some space"),
    (OSError(errno.EDQUOT, "Quota exceeded"), "the disk is full", "Free some space"),
    (OSError(errno.EFBIG, "File too large"), "the disk is full", "Free some space"),
    (OSError(errno.EACCES, "Permission denied"), "permission denied", "Check the data directory, its permissions"),
    (OSError("of no number"), "of no number", "Check the data directory"),
    (apsw.ReadOnlyError("x"), "the archive is read-only", "Check the permissions"),
    (apsw.BusyError("x"), "another process kept the archive locked", "Try again; close other windows"),
    (apsw.LockedError("x"), "the archive is locked", "Try again."),
    (apsw.CantOpenError("x"), "the archive's files cannot be opened", "Check the data directory"),
    (apsw.IOError("x"), "the disk reported an error", "Check the disk"),
    (apsw.NoMemError("x"), "memory ran out", "Close other programs"),
    (apsw.InterruptError("x"), "the database reported InterruptError", "Try again."),
]


@pytest.mark.parametrize(("error", "reason", "todo"), _WHY, ids=[f"{error!r}" for error, _, _ in _WHY])
def test_each_error_says_what_it_was_what_it_means_and_what_to_do(
    path: Path, error: Exception, reason: str, todo: str
) -> None:
    with pytest.raises(NotSaved) as not_saved, as_write_errors(path):
        raise error
    assert not_saved.value.what == f"Not saved: {reason}."
    assert not_saved.value.meaning == "Nothing of it was kept."
    with pytest.raises(ArchiveUnavailable) as not_read, as_read_errors(path):
        raise error
    assert not_read.value.what == f"The archive {path} cannot be used: {reason}."
    assert not_read.value.meaning == "Sessions can be neither read nor saved."
    assert not_saved.value.todo == not_read.value.todo
    assert not_read.value.todo.startswith(todo)


@pytest.mark.parametrize("error", [apsw.CorruptError("x"), apsw.NotADBError("x"), DamagedRow("x")])
@pytest.mark.parametrize("guard", [as_read_errors, as_write_errors])
def test_what_only_damage_explains_is_told_as_damage(
    path: Path, guard: Callable[[Path], AbstractContextManager[None]], error: Exception
) -> None:
    assert is_damage(error)
    with pytest.raises(ArchiveDamaged) as told, guard(path):
        raise error
    assert told.value.what == f"The archive {path} is damaged."
    assert told.value.meaning
    assert "Restart the program" in told.value.todo


@pytest.mark.parametrize(
    ("result", "is_it"),
    [
        (apsw.SQLITE_IOERR_WRITE, True),
        (apsw.SQLITE_IOERR_SHMSIZE, True),
        (apsw.SQLITE_IOERR_READ, False),
        (apsw.SQLITE_IOERR, False),
    ],
)
def test_a_write_that_a_quota_or_the_disk_cut_short_is_a_want_of_room(result: int, is_it: bool) -> None:
    error = apsw.exception_for(result)
    assert is_full(error) == is_it
