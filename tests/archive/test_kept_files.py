"""What files held before tools changed them: kept in order, within a budget, and deleted with the session."""

import os
from dataclasses import replace
from pathlib import Path

import apsw

from tests.archive.samples import AT, content, make_session, overwrite, said
from tui_agent.archive import NO_FILE, Archive, KeptFile
from tui_agent.archive.schema import MIGRATIONS


def change(turn: int, path: str, before: bytes | None, after: str = "after") -> KeptFile:
    return KeptFile(turn, path, before, NO_FILE if before is None else f"digest of {before!r}", after)


async def test_the_newest_turns_changes_come_back_as_they_were_kept(archive: Archive) -> None:
    made = replace(change(4, "/c/d/b", None), made=2)
    changes = [change(1, "/a", b"old"), made, change(4, "/\udcff", b"\x00\xff")]
    assert [await archive.keep_file("one", each) for each in changes] == [1, 2, 3]
    expected = [replace(each, number=number) for number, each in enumerate(changes, 1)][1:]
    assert await archive.kept_files("one", undone=False) == expected
    assert await archive.kept_files("one", undone=True) == []
    assert await archive.kept_files("another", undone=False) == []
    await archive.forget_file("one", 2)
    assert await archive.kept_files("one", undone=False) == expected[1:]


async def test_what_is_taken_back_uncovers_the_turn_before_and_is_made_again_in_the_other_order(
    archive: Archive,
) -> None:
    for turn in (1, 4):
        await archive.keep_file("one", change(turn, "/a", b"old"))
        (newest,) = await archive.kept_files("one", undone=False)
        assert newest.turn == turn
    for _ in range(2):
        (newest,) = await archive.kept_files("one", undone=False)
        await archive.turn_kept_files("one", [replace(newest, undone=True, after=b"new", after_digest="new")])
    (first,) = await archive.kept_files("one", undone=True)
    assert (first.turn, first.after, first.after_digest) == (1, b"new", "new")
    await archive.turn_kept_files("one", [replace(first, undone=False, after=None)])
    assert [each.turn for each in await archive.kept_files("one", undone=True)] == [4]
    await archive.keep_file("one", change(9, "/a", b"newer"))
    assert await archive.kept_files("one", undone=True) == []


async def test_beyond_the_budget_the_oldest_contents_go_and_it_can_be_told(archive: Archive) -> None:
    large = os.urandom(1000)
    for turn in (1, 2, 3):
        await archive.keep_file("one", change(turn, "/a", large), budget=2500)
    await archive.keep_file("two", change(1, "/a", large), budget=2500)
    contents = []
    while changes := await archive.kept_files("one", undone=False):
        contents.append(changes[0].before)
        assert changes[0].before_digest != NO_FILE
        await archive.forget_file("one", changes[0].number)
    assert contents == [large, large, None]
    assert (await archive.kept_files("two", undone=False))[0].before == large


async def test_deleting_a_session_deletes_what_its_files_held(archive: Archive, path: Path) -> None:
    secret = os.urandom(64)  # not compressible, so that its bytes stand in the file
    await archive.append("one", [said(1, "a word")], {})
    await archive.keep_file("one", change(1, "/a", secret))
    files = [path, path.with_name("archive.db-wal")]
    assert any(secret[:40] in content(each) for each in files if each.exists())
    await archive.delete("one")
    assert not any(secret[:40] in content(each) for each in path.parent.iterdir() if each.is_file())
    assert await archive.kept_files("one", undone=False) == []


async def test_a_damaged_archive_keeps_them_as_far_as_it_can(archive: Archive, path: Path) -> None:
    await archive.append("one", [said(1, "alpha"), said(2, "beta NEEDLE")], {})
    kept = change(1, "/a", b"old")
    await archive.keep_file("one", kept)
    await archive.close()
    overwrite(path, content(path).replace(b"NEEDLE", b"NEEDLF"))
    again = await Archive.open(path)
    await again.load("one", strict=False)
    await again.close()
    again = await Archive.open(path)
    assert any("was damaged" in notice for notice in again.notices)
    assert await again.kept_files("one", undone=False) == [replace(kept, number=1)]
    await again.close()


async def test_an_archive_from_before_gets_a_place_for_them(path: Path) -> None:
    old = await Archive.open(path, migrations=MIGRATIONS[:1])
    await make_session(old, "one", "/", AT)
    await old.close()
    archive = await Archive.open(path)
    assert await archive.keep_file("one", change(1, "/a", b"old")) == 1
    await archive.close()


async def test_contents_that_a_damaged_disk_took_away_are_as_good_as_never_kept(archive: Archive, path: Path) -> None:
    await archive.keep_file("one", change(1, "/a", b"old"))
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE kept_file SET before = x'00'")
    connection.close()
    (kept,) = await archive.kept_files("one", undone=False)
    assert kept.before is None


async def test_what_was_kept_before_directories_were_counted_is_kept_as_it_was(path: Path) -> None:
    old = await Archive.open(path, migrations=MIGRATIONS[:2])
    await make_session(old, "one", "/", AT)
    await old.close()
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO kept_file VALUES ('one', 1, 1, CAST('/a' AS BLOB), NULL, '', NULL, 'new', 0, 384)")
    connection.close()
    archive = await Archive.open(path)
    (kept,) = await archive.kept_files("one", undone=False)
    assert (kept.path, kept.before_digest, kept.mode, kept.made) == ("/a", NO_FILE, 384, 0)
    await archive.close()
