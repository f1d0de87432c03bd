"""What was found in entries: kept beside them, never trusted wrongly, gone with its session."""

from pathlib import Path

import apsw
import pytest

from tests.archive.samples import AT, make_session, said
from tui_agent.archive import Archive
from tui_agent.archive.found import STRETCH
from tui_agent.archive.opening import open_file
from tui_agent.archive.worker import Worker
from tui_agent.errors import SessionNotFound

LAST = 2 * STRETCH + 5
_SECRET = "periwinkle-7 长春花"


async def _filled(archive: Archive, session_id: str = "one", last: int = LAST) -> None:
    await archive.append(session_id, [said(seq, f"words {seq}") for seq in range(1, last + 1)], {})


async def _all(archive: Archive, session_id: str = "one", finder: int = 1) -> dict[int, object]:
    return await archive.found(session_id, finder, after=0, upto=1_000)


def _change(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("foreign_keys", "ON")
    connection.execute(statement)
    connection.close()


def _tables(path: Path) -> set[str]:
    connection = apsw.Connection(str(path))
    found = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    connection.close()
    return found


async def test_what_was_found_is_given_back_for_any_range(archive: Archive) -> None:
    await _filled(archive)
    findings = {seq: ["p", [seq], [1]] for seq in range(1, LAST + 1)}
    archive.keep_found("one", 1, findings)

    assert await _all(archive) == findings
    for after, upto in [(0, 1), (STRETCH - 1, STRETCH), (STRETCH, STRETCH + 1), (7, 2 * STRETCH), (LAST, LAST + 9)]:
        expected = {seq: found for seq, found in findings.items() if after < seq <= upto}
        assert await archive.found("one", 1, after=after, upto=upto) == expected


async def test_what_is_found_later_is_added_to_what_was_found_before(archive: Archive) -> None:
    await _filled(archive)
    archive.keep_found("one", 1, {1: "a", 3: "c", STRETCH: "x"})
    archive.keep_found("one", 1, {2: "b", 3: "C", LAST: "z"})
    archive.keep_found("one", 1, {})

    assert await _all(archive) == {1: "a", 2: "b", 3: "C", STRETCH: "x", LAST: "z"}


async def test_what_another_version_found_does_not_count_and_makes_room(archive: Archive, path: Path) -> None:
    await _filled(archive)
    archive.keep_found("one", 1, {1: "old", STRETCH: "old too"})
    archive.keep_found("one", 2, {2: "new"})

    assert await _all(archive, finder=2) == {2: "new"}
    assert await _all(archive, finder=1) == {STRETCH: "old too"}
    assert await _all(archive, finder=3) == {}


@pytest.mark.parametrize(
    "damage",
    [
        "body = x'5b5d'",
        "body = substr(body, 2)",
        "hash = zeroblob(16)",
        "finder = 2",
        "stretch = 7",
        "body = zeroblob(0)",
    ],
)
async def test_what_is_not_as_it_was_written_is_as_if_it_had_never_been(path: Path, damage: str) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await _filled(archive)
    archive.keep_found("one", 1, {1: "a", STRETCH: "x"})
    await archive.close()
    _change(path, f"UPDATE found SET {damage} WHERE stretch = 0")

    archive = await Archive.open(path)
    assert await archive.found("one", 1, after=0, upto=STRETCH) == {STRETCH: "x"}
    assert await archive.found("one", 2, after=0, upto=STRETCH) == {}
    archive.keep_found("one", 1, {2: "b"})
    assert await archive.found("one", 1, after=0, upto=2) == {2: "b"}
    await archive.close()


async def test_an_archive_of_an_earlier_version_is_opened_as_it_is(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await _filled(archive)
    assert await _all(archive) == {}
    await archive.close()

    assert "found" not in _tables(path)
    archive = await Archive.open(path)
    assert archive.notices == []
    archive.keep_found("one", 1, {1: "a"})
    assert await _all(archive) == {1: "a"}
    await archive.close()
    archive = await Archive.open(path)
    assert archive.notices == []
    assert await _all(archive) == {1: "a"}
    await archive.close()


async def test_a_program_that_does_not_know_it_deletes_it_with_the_session(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    archive.keep_found("one", 1, {1: "a"})
    await archive.close()

    _change(path, "DELETE FROM session WHERE id = 'one'")

    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM found").get == 0
    connection.close()


async def test_deleting_a_session_leaves_no_byte_of_what_was_found_in_it(archive: Archive, path: Path) -> None:
    await make_session(archive, "secret", "/", AT)
    await _filled(archive, "secret")
    await _filled(archive)
    archive.keep_found("secret", 1, {seq: [f"{_SECRET} {seq}"] for seq in range(1, LAST + 1)})
    archive.keep_found("one", 1, {1: "kept"})
    assert len(await _all(archive, "secret")) == LAST

    await archive.delete("secret")

    assert await _all(archive) == {1: "kept"}
    for file in path.parent.iterdir():
        if file.is_file():
            assert not any(trace.encode() in file.read_bytes() for trace in ("periwinkle", "长春"))
    await make_session(archive, "secret", "/", AT)
    assert await _all(archive, "secret") == {}


async def test_what_comes_after_the_session_is_gone_is_dropped(archive: Archive) -> None:
    await make_session(archive, "gone", "/", AT)
    await archive.delete("gone")
    archive.keep_found("gone", 1, {1: "a"})

    with pytest.raises(SessionNotFound):
        await _all(archive, "gone")
    assert archive.notices == []


async def test_a_fork_has_what_was_found_in_the_entries_it_begins_with(archive: Archive) -> None:
    await _filled(archive)
    archive.keep_found("one", 1, {1: "a", STRETCH: "x", STRETCH + 3: "y", LAST: "z"})
    await archive.copy_prefix("one", STRETCH + 2, "fork", AT, checkpoint={}, then=[said(STRETCH + 3, "other words")])
    await archive.copy_prefix("one", 0, "empty", AT, checkpoint={})

    assert await _all(archive, "fork") == {1: "a", STRETCH: "x"}
    assert await _all(archive, "empty") == {}
    await archive.delete("one")
    assert await _all(archive, "fork") == {1: "a", STRETCH: "x"}


async def test_an_archive_that_can_only_be_read_gives_what_it_has_and_keeps_nothing(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    archive.keep_found("one", 1, {1: "a"})
    await archive.close()
    worker = Worker(path)
    archive = Archive(worker, await worker.open(lambda: open_file(path, writable=False)))
    archive.keep_found("one", 1, {2: "b"})
    assert await _all(archive) == {1: "a"}
    await archive.close()


async def test_a_salvaged_archive_has_its_entries_and_finds_the_rest_again(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await _filled(archive)
    archive.keep_found("one", 1, dict.fromkeys(range(1, LAST), "a"))
    await archive.close()
    path.with_name("archive.db.suspect").touch()

    archive = await Archive.open(path)
    assert "0 were lost" not in archive.notices[0]
    assert [entry.seq for entry in await archive.load("one")] == list(range(1, LAST + 1))
    assert await _all(archive) == {}
    await archive.close()
