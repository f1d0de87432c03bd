"""A full disk: what cannot wait is saved from a reserve, which comes back when there is room."""

import errno
import os
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from tests.archive.samples import AT, answered, make_session, mode, said
from tests.fakes.disk import Room, small_disk
from tui_agent.archive import Archive
from tui_agent.archive.opening import Opened, _open_in_need
from tui_agent.archive.reserve import BYTES, Reserve
from tui_agent.archive.schema import MIGRATIONS
from tui_agent.errors import ArchiveUnavailable, NotSaved


@pytest.fixture
async def small(path: Path) -> AsyncIterator[tuple[Archive, Room, list[NotSaved]]]:
    """An archive with two entries on a disk that has no room left, and what is told of shortage."""
    with small_disk(path.parent) as (name, room):
        archive = await Archive.open(path, vfs=name)
        told: list[NotSaved] = []
        archive.on_shortage = told.append
        await make_session(archive, "one", "/", AT)
        await archive.append("one", [said(1, "a"), answered(2, "b")], {"seq": 2})
        room.fill()
        yield archive, room, told
        await archive.close()


def reserve_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.reserve")


async def test_the_reserve_takes_real_room_and_is_its_owners_alone(path: Path, archive: Archive) -> None:
    await archive.count("one")  # what was put off at the opening is done by now
    status = reserve_of(path).stat()
    assert status.st_size == BYTES
    assert status.st_blocks * 512 >= BYTES
    assert mode(reserve_of(path)) == 0o600


async def test_what_can_wait_is_not_saved_and_leaves_the_reserve_alone(
    small: tuple[Archive, Room, list[NotSaved]], path: Path
) -> None:
    archive, _, told = small
    with pytest.raises(NotSaved, match="full"):
        await archive.append("one", [said(3, "x" * 100_000)], {"seq": 3})
    assert reserve_of(path).exists()
    assert told == []


async def test_what_cannot_wait_is_saved_from_the_reserve_and_that_is_told_once(
    small: tuple[Archive, Room, list[NotSaved]], path: Path
) -> None:
    archive, _, told = small
    await archive.append("one", [answered(3, "x" * 100_000)], {"seq": 3}, at_last=True)
    await archive.save_unsent("one", "not sent " * 10_000)
    await archive.save_partial("one", {"text": "half"})
    assert [entry.seq for entry in await archive.load("one")] == [1, 2, 3]
    assert await archive.unsent("one") == "not sent " * 10_000
    assert not reserve_of(path).exists()
    (error,) = told
    assert "reserve" in str(error)
    assert error.todo


async def test_a_session_can_be_deleted_on_a_full_disk(small: tuple[Archive, Room, list[NotSaved]]) -> None:
    archive, room, _ = small
    room.bytes = None
    await archive.append("one", [said(seq, "periwinkle " * 1_000) for seq in range(3, 60)], {"seq": 59})
    room.fill()
    await archive.delete("one")
    assert await archive.sessions(archived=None) == []


async def test_a_used_up_reserve_comes_back_when_there_is_room(
    small: tuple[Archive, Room, list[NotSaved]], path: Path
) -> None:
    archive, room, told = small
    await archive.append("one", [answered(3, "x" * 100_000)], {"seq": 3}, at_last=True)
    room.fill()
    with pytest.raises(NotSaved):
        await archive.append("one", [answered(4, "x" * 100_000)], {"seq": 4}, at_last=True)
    room.bytes = None
    await archive.recover()
    assert reserve_of(path).stat().st_size == BYTES
    await archive.append("one", [answered(4, "x" * 100_000)], {"seq": 4})
    assert len(told) == 1
    room.fill()
    await archive.append("one", [answered(5, "x" * 100_000)], {"seq": 5}, at_last=True)
    assert len(told) == 2  # another shortage


async def test_without_room_for_the_reserve_it_is_not_all_well_again(
    small: tuple[Archive, Room, list[NotSaved]], path: Path
) -> None:
    archive, _, _ = small
    await archive.append("one", [answered(3, "x" * 100_000)], {"seq": 3}, at_last=True)
    reserve_of(path).mkdir()
    with pytest.raises(NotSaved, match="full"):
        await archive.recover()
    reserve_of(path).rmdir()


def test_a_reserve_that_was_not_finished_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    reserve_of(path).write_bytes(b"half")
    assert Reserve(path).fill()
    assert reserve_of(path).stat().st_size == BYTES


def test_keeping_room_back_leaves_no_file_open(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "archive.db")
    before = len(os.listdir("/dev/fd"))
    assert reserve.fill()
    assert len(os.listdir("/dev/fd")) == before


async def test_where_there_is_no_shortage_none_is_told(archive: Archive, path: Path) -> None:
    told: list[NotSaved] = []
    archive.watch(told.append)
    assert told == []
    assert Reserve(path).fill()
    assert Reserve(path).fill()


def test_where_no_file_can_be_made_there_is_no_reserve(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "nowhere" / "archive.db")
    assert not reserve.fill()
    assert not reserve.spend()


async def test_an_opening_that_must_write_on_a_full_disk_takes_the_reserve_and_tells(path: Path) -> None:
    with small_disk(path.parent) as (name, room):
        archive = await Archive.open(path, vfs=name)
        await make_session(archive, "one", "/", AT)
        await archive.close()
        room.fill()
        archive = await Archive.open(path, vfs=name, migrations=[*MIGRATIONS, "CREATE TABLE more (x INTEGER) STRICT"])
        told: list[NotSaved] = []
        archive.watch(told.append)
        assert ["the disk is full" in str(each) for each in told] == [True]
        assert not archive.read_only
        assert [session.id for session in await archive.sessions()] == ["one"]
        await archive.close()


async def test_without_a_reserve_what_is_there_can_be_read(path: Path) -> None:
    await (await Archive.open(path)).close()
    Reserve(path).spend()

    def attempt() -> Opened:
        raise apsw.FullError("full")

    opened = _open_in_need(path, len(MIGRATIONS), attempt)
    assert opened.read_only
    assert "The disk is full: the archive" in opened.notices[0]
    opened.connection.close()


def test_without_a_reserve_a_file_that_could_not_be_made_is_no_archive_to_read(path: Path) -> None:
    def attempt() -> Opened:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        _open_in_need(path, len(MIGRATIONS), attempt)


async def test_without_a_reserve_on_a_full_disk_there_is_no_new_archive(path: Path) -> None:
    with small_disk(path.parent) as (name, room):
        room.fill()
        with pytest.raises(ArchiveUnavailable, match="disk is full"):
            await Archive.open(path, vfs=name)
