"""Files of other versions: older ones are brought up to date, newer ones left alone."""

from pathlib import Path

import apsw
import pytest

from tests.archive.samples import AT, content, make_session, said
from tests.fakes.disk import faulty_disk
from tui_agent.archive import Archive
from tui_agent.archive.schema import MIGRATIONS, backups, refuse_newer_file, version_of
from tui_agent.errors import ArchiveTooNew, ArchiveUnavailable

_NEXT = (*MIGRATIONS, "ALTER TABLE session ADD COLUMN colour TEXT; CREATE TABLE fresh (a TEXT) STRICT;")
_BROKEN = (*MIGRATIONS, "CREATE TABLE fresh (a TEXT) STRICT; INSERT INTO fresh VALUES ('x'); SELECT * FROM nowhere;")


async def _made(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT, title="Title")
    await archive.append("one", [said(1, "a word")], {"seq": 1})
    await archive.close()


def _tables(path: Path) -> set[str]:
    connection = apsw.Connection(str(path))
    found = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    return found


def _files(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in directory.iterdir() if file.is_file()}


async def test_an_older_file_is_brought_up_to_date_and_a_copy_kept(path: Path) -> None:
    await _made(path)
    assert backups(path) == []
    archive = await Archive.open(path, migrations=_NEXT)
    assert f"from version {len(MIGRATIONS)} to {len(_NEXT)}" in archive.notices[0]
    await (await Archive.open(path, migrations=_NEXT)).close()  # another window may join from here on
    assert await archive.load("one") == [said(1, "a word")]
    assert [hit.seq for hit in await archive.search("word")] == [1]
    await archive.close()
    assert "fresh" in _tables(path)

    (copy,) = backups(path)
    assert "fresh" not in _tables(copy)
    assert copy.stat().st_mode & 0o077 == 0
    archive = await Archive.open(copy)
    assert await archive.load("one") == [said(1, "a word")]
    await archive.close()

    archive = await Archive.open(path, migrations=_NEXT)
    assert archive.notices == []
    await archive.close()


async def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    await _made(path)
    with pytest.raises(ArchiveUnavailable):
        await Archive.open(path, migrations=_BROKEN)
    assert "fresh" not in _tables(path)
    archive = await Archive.open(path)
    assert await archive.load("one") == [said(1, "a word")]
    await archive.close()
    archive = await Archive.open(path, migrations=_NEXT)
    assert await archive.load("one") == [said(1, "a word")]
    await archive.close()


async def test_whichever_call_to_the_disk_fails_a_migration_is_done_or_not_begun(tmp_path: Path) -> None:
    with faulty_disk() as (disk, fault):
        for at in range(1, 200):
            path = tmp_path / str(at) / "archive.db"
            await _made(path)
            fault.begin(at, apsw.IOError)
            try:
                await (await Archive.open(path, vfs=disk, migrations=_NEXT)).close()
            except ArchiveUnavailable:
                pass
            reached = fault.calls >= at
            fault.heal()
            archive = await Archive.open(path, migrations=_NEXT)
            assert await archive.load("one") == [said(1, "a word")]
            await archive.close()
            if not reached:
                return
    raise AssertionError("the migration never ended")


async def test_nobody_migrates_under_another_window(path: Path) -> None:
    await _made(path)
    other = await Archive.open(path)
    with pytest.raises(ArchiveUnavailable, match="another window"):
        await Archive.open(path, migrations=_NEXT)
    await other.append("one", [said(2, "b")], {})
    await other.close()
    archive = await Archive.open(path, migrations=_NEXT)
    assert await archive.count("one") == 2
    await archive.close()


async def test_a_newer_file_is_refused_with_both_versions_and_not_touched(path: Path) -> None:
    await _made(path)
    await (await Archive.open(path, migrations=_NEXT)).close()
    before = _files(path.parent)
    with pytest.raises(ArchiveTooNew, match=rf"version {len(_NEXT)}.* up to {len(MIGRATIONS)}"):
        await Archive.open(path)
    assert _files(path.parent) == before


async def test_a_newer_version_that_still_stands_in_the_wal_is_refused_too(tmp_path: Path, path: Path) -> None:
    await _made(path)
    archive = await Archive.open(path, migrations=_NEXT)
    copy = tmp_path / "killed" / "archive.db"
    _copy(path, copy)
    await archive.close()
    refuse_newer_file(copy, len(MIGRATIONS))  # the header does not say it yet
    before = content(copy), content(copy.with_name("archive.db-wal"))
    with pytest.raises(ArchiveTooNew):
        await Archive.open(copy)
    assert (content(copy), content(copy.with_name("archive.db-wal"))) == before
    archive = await Archive.open(copy, migrations=_NEXT)
    assert await archive.load("one") == [said(1, "a word")]
    await archive.close()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir()
    for suffix in ("", "-wal"):
        target.with_name(target.name + suffix).write_bytes(source.with_name(source.name + suffix).read_bytes())


def test_every_migration_leads_from_the_version_before_to_its_own(tmp_path: Path) -> None:
    for version in range(1, len(MIGRATIONS) + 1):
        path = tmp_path / f"{version}.db"
        connection = apsw.Connection(str(path))
        assert version_of(connection, path, version) == 0
        for statements in MIGRATIONS[:version]:
            connection.execute(statements)
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        connection.close()
