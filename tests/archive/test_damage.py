"""Damaged files: nothing wrong is shown as right, and what is whole is saved."""

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.archive.samples import AT, answered, content, logged, make_session, mode, said
from tests.benchmarks.corpus import logged_of, texts
from tests.soak.places import Table
from tui_agent.archive import Archive, KeptFile
from tui_agent.archive.pages import Pages
from tui_agent.archive.rows import DamagedRow, SessionInfo, digest, packed_text, row_of, session_of
from tui_agent.core.entries import Compacted, CompactionUndone, Logged, Noticed, TitleSet
from tui_agent.errors import ArchiveDamaged, ArchiveError, ArchiveTooNew

_PAGE = 4_096
_SESSIONS = 3
_ENTRIES = 80
_MOST_ON_A_PAGE = 12

Damage = Callable[[bytearray, random.Random], bytearray]


def _flip_bits(data: bytearray, dice: random.Random) -> bytearray:
    for _ in range(dice.randint(1, 20)):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return data


def _zero_page(data: bytearray, dice: random.Random) -> bytearray:
    at = dice.randrange(len(data) // _PAGE) * _PAGE
    data[at : at + _PAGE] = bytes(_PAGE)
    return data


def _scribble(data: bytearray, dice: random.Random) -> bytearray:
    at = dice.randrange(len(data))
    data[at : at + 300] = dice.randbytes(len(data[at : at + 300]))
    return data


def _cut(data: bytearray, dice: random.Random) -> bytearray:
    return data[: dice.randrange(1, len(data))]


def _lose_header(data: bytearray, dice: random.Random) -> bytearray:
    lost = dice.randrange(1, 101)
    data[:lost] = bytes(lost)
    return data


_DAMAGES: list[Damage] = [_flip_bits, _zero_page, _scribble, _cut, _lose_header]


async def _fill(path: Path) -> dict[str, list[Logged]]:
    archive = await Archive.open(path)
    source = list(texts(_SESSIONS * _ENTRIES))
    logs: dict[str, list[Logged]] = {}
    for number in range(_SESSIONS):
        session_id = f"session-{number}"
        await make_session(archive, session_id, "/", AT, title=f"Title {number}")
        part = source[number * _ENTRIES : (number + 1) * _ENTRIES]
        noise = random.Random(number).randbytes(20_000).hex()  # stays long when compressed
        entries = [logged_of(seq, seq, text + noise * (seq % 25 == 0)) for seq, text in enumerate(part, 1)]
        logs[session_id] = entries
        for entry in entries:
            await archive.append(session_id, [entry], {"seq": entry.seq})
    shutil.copytree(path.parent, path.parent.with_name("killed"))  # as if killed now: much of it stands in the WAL
    await archive.close()
    return logs


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Logged]]]:
    directory = tmp_path_factory.mktemp("whole")
    return directory, asyncio.run(_fill(directory / "closed" / "archive.db"))


async def _readable(path: Path) -> tuple[dict[str, list[Logged]], list[str]]:
    """Everything the archive gives after at most one restart, and what it said."""
    notices: list[str] = []
    for _ in range(2):
        archive = await Archive.open(path)
        notices += archive.notices
        loaded: dict[str, list[Logged]] = {}
        try:
            for info in await archive.sessions(archived=None):
                loaded[info.id] = await archive.load(info.id)
        except ArchiveDamaged:
            continue
        else:
            return loaded, notices
        finally:
            await archive.close()
    raise AssertionError("damaged still after it was salvaged")


@pytest.mark.parametrize("damage", _DAMAGES)
@pytest.mark.parametrize("state", ["closed", "killed"])
async def test_no_wrong_entry_is_ever_given_and_the_whole_ones_are_saved(
    tmp_path: Path, logs: tuple[Path, dict[str, list[Logged]]], state: str, damage: Damage
) -> None:
    directory, written = logs
    genuine = {entry for entries in written.values() for entry in entries}
    for seed in range(6):
        work = tmp_path / str(seed)
        shutil.copytree(directory / state, work)
        path = work / "archive.db"
        _write(path, damage(bytearray(content(path)), random.Random(seed)))
        loaded, notices = await _readable(path)
        given_out = [entry for entries in loaded.values() for entry in entries if not _stands_in(entry)]
        assert set(given_out) <= genuine
        assert len(set(given_out)) == len(given_out)
        for session_id, entries in loaded.items():
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), session_id
        pages_hit = {_flip_bits: 20, _zero_page: 1, _scribble: 2, _lose_header: 0}
        if damage in pages_hit:
            assert len(given_out) >= len(genuine) - pages_hit[damage] * _MOST_ON_A_PAGE, notices
        if len(given_out) < len(genuine):
            assert any("kept as" in notice for notice in notices)
            assert (work / "archive.db.damaged-1").exists()


def _stands_in(entry: Logged) -> bool:
    return isinstance(entry.entry, Noticed)


def _write(path: Path, data: bytes | bytearray) -> None:
    path.touch(mode=0o600)
    path.write_bytes(data)


async def test_a_damaged_entry_is_named_left_out_when_wished_and_replaced_at_the_next_start(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT, title="Old")
    entries = [said(1, "alpha"), answered(2, "beta NEEDLE"), logged(3, TitleSet("New")), said(4, "delta")]
    compaction = [logged(5, Compacted(None, 2, (), "sum")), logged(6, CompactionUndone(5))]
    await archive.append("one", [*entries, *compaction], {"seq": 6})
    await archive.save_unsent("one", "unsent words")
    await archive.close()
    data = content(path)
    assert data.count(b"NEEDLE") == 1
    _write(path, data.replace(b"NEEDLE", b"NEEDLF"))

    archive = await Archive.open(path)
    with pytest.raises(ArchiveDamaged, match="Entry 2 of session one"):
        await archive.load("one")
    for reading in (archive.page("one", limit=10), archive.page("one", after=1, limit=1)):
        with pytest.raises(ArchiveDamaged, match=r"Entry 2 of session one is damaged\."):
            await reading
    for seq in (1, 2, 3):
        with pytest.raises(ArchiveDamaged, match=r"Entry 2 of session one is damaged\."):
            await archive.neighbours("one", seq, 1)
    assert await archive.load("one", after=2) == [*entries[2:], *compaction]
    assert await archive.load("one", strict=False) == [entries[0], *entries[2:], *compaction]
    assert archive.notices == ["Session one: damaged entries were left out (2)."]
    assert await archive.load("one", after=1, upto=3, strict=False) == [entries[2]]
    assert await archive.load("one", after=2, strict=False) == [*entries[2:], *compaction]
    assert await archive.load("one", after=-5, upto=1, strict=False) == [entries[0]]
    assert await archive.search("NEEDLF") == []
    await archive.close()

    archive = await Archive.open(path)
    assert "5 entries of 1 session were saved; 1 was lost. The" in archive.notices[0]
    loaded = await archive.load("one")
    assert [loaded[0], *loaded[2:]] == [entries[0], *entries[2:], *compaction]
    assert isinstance(loaded[1].entry, Noticed)
    info = await archive.session("one")
    assert (info.title, info.messages, info.compactions) == ("New", 2, 0)
    assert await archive.unsent("one") == "unsent words"
    assert await archive.checkpoint("one") is None
    assert [hit.seq for hit in await archive.search("delta")] == [4]
    await archive.append("one", [said(7, "on")], {"seq": 7})
    await archive.close()
    archive = await Archive.open(path)
    assert archive.notices == []
    await archive.close()


async def test_a_damaged_summary_is_named_where_all_of_them_are_read(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a"), logged(2, Compacted(None, 1, (), "NEEDLE"))], {})
    await archive.close()
    _write(path, content(path).replace(b"NEEDLE", b"NEEDLF"))
    archive = await Archive.open(path)
    with pytest.raises(ArchiveDamaged, match=r"Entry 2 of session one is damaged\."):
        await archive.compactions("one")
    await archive.close()


async def test_what_stands_beside_the_entries_is_saved_with_them(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a"), said(2, "NEEDLE"), said(3, "c")], {})
    await archive.set_archived("one", True)
    await archive.save_unsent("one", "unsent words")
    await archive.save_partial("one", {"text": "half an ans"})
    await archive.remember("prompts", ["first", "second"])
    await archive.keep_file("one", KeptFile(1, "/a/b.txt", b"as it was", "digest before", "digest after", mode=0o755))
    kept = await archive.kept_files("one", undone=False)
    await archive.close()
    _write(path, content(path).replace(b"NEEDLE", b"NEEDLF"))
    for _ in range(2):
        archive = await Archive.open(path)
        await archive.load("one", strict=False)
        await archive.close()

    archive = await Archive.open(path)
    assert archive.notices == []
    assert (await archive.session("one")).archived
    assert await archive.unsent("one") == "unsent words"
    assert await archive.partial("one") == {"text": "half an ans"}
    assert await archive.recall("prompts") == ["first", "second"]
    assert await archive.kept_files("one", undone=False) == kept
    assert len(kept) == 1
    await archive.close()


async def test_damage_that_was_read_past_is_repaired_at_the_next_start(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a"), said(2, "NEEDLE"), said(3, "c")], {})
    await archive.close()
    _write(path, content(path).replace(b"NEEDLE", b"NEEDLF"))
    archive = await Archive.open(path)
    assert await archive.load("one", strict=False) == [said(1, "a"), said(3, "c")]
    await archive.close()
    archive = await Archive.open(path)
    assert "were saved; 1 was lost. The" in archive.notices[0]
    assert _stands_in((await archive.load("one"))[1])
    await archive.close()


async def test_a_file_that_was_suspected_in_vain_comes_out_as_it_went_in(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/home/me", AT, title="An apple tree")
    await archive.append("one", [said(1, "a"), answered(2, "b"), logged(3, Compacted(None, 2, (), "s"))], {})
    await archive.copy_prefix("one", 2, "fork", "2025-03-02T10:00:00.000Z", checkpoint={})
    await archive.rename("fork", "A pear tree")
    await archive.set_archived("fork", True)
    await archive.append("one", [said(4, "at last")], {})
    sessions = await archive.sessions(archived=None)
    await archive.close()
    for number in (1, 2):
        path.with_name("archive.db.suspect").touch()
        archive = await Archive.open(path)
        assert "6 entries of 2 sessions were saved. The" in archive.notices[0]
        assert f"kept as {path}.damaged-{number}." in archive.notices[0]
        assert mode(path.with_name(f"archive.db.damaged-{number}")) == mode(path) == 0o600
        assert await archive.sessions(archived=None) == sessions
        assert [hit.text for hit in await archive.search("tree")] == ["A pear tree", "An apple tree"]
        await (await Archive.open(path)).close()  # another window may join from here on
        await archive.close()
    assert list(path.parent.glob("*damaged*-shm")) == []
    assert not path.with_name("archive.db.suspect").exists()
    assert not path.with_name("archive.db.new").exists()


async def test_rows_of_other_tables_are_taken_for_no_session(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.close()
    other = apsw.Connection(str(path))
    columns = [f"c{number}" for number in range(12)]
    other.execute(f"CREATE TABLE decoy (id INTEGER PRIMARY KEY, {', '.join(columns)})")
    other.execute(f"INSERT INTO decoy VALUES ({', '.join(['7'] * 13)})")
    other.close()
    path.with_name("archive.db.suspect").touch()
    archive = await Archive.open(path)
    assert [session.id for session in await archive.sessions()] == ["one"]
    await archive.close()


async def test_an_entry_that_is_missing_is_missed(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(seq, str(seq)) for seq in range(1, 13)], {})
    await archive.close()
    other = apsw.Connection(str(path))
    other.execute("DROP TRIGGER entry_is_never_removed; DELETE FROM entry WHERE seq IN (1, 3, 5, 6, 7, 8, 9)")
    other.close()
    archive = await Archive.open(path)
    with pytest.raises(ArchiveDamaged, match=r"Session one is missing entries 1, 3, 5, 6, 7 and 2 more\."):
        await archive.load("one")
    with pytest.raises(ArchiveDamaged, match=r"is missing entries 3, 5, 6, 7, 8\."):
        await archive.load("one", after=1, upto=8)
    assert [entry.seq for entry in await archive.load("one", strict=False)] == [2, 4, 10, 11, 12]
    await archive.close()
    archive = await Archive.open(path)
    assert [entry.seq for entry in await archive.load("one")] == list(range(1, 13))
    await archive.close()


async def test_an_entry_of_a_newer_version_is_no_damage(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a"), said(2, "b"), said(3, "c")], {})
    await archive.close()
    session, seq, at, _, tokens, counter, characters, body, _ = row_of(1, said(2, "b"))
    newer = digest(session, seq, at, "SaidByTelepathy", tokens, counter, characters, body)
    other = apsw.Connection(str(path))
    other.execute("DROP TRIGGER entry_is_never_changed")
    other.execute("UPDATE entry SET type = ?, hash = ? WHERE seq = 2", ("SaidByTelepathy", newer))
    other.close()
    archive = await Archive.open(path)
    with pytest.raises(ArchiveTooNew, match="Entry 2 of session one was written by a newer version"):
        await archive.load("one")
    assert await archive.load("one", strict=False) == [said(1, "a"), said(3, "c")]
    assert archive.notices == ["Session one: entries of a newer version were left out (2)."]
    await archive.search("a")
    await archive.close()
    path.with_name("archive.db.suspect").touch()
    archive = await Archive.open(path)
    assert "3 entries of 1 session were saved." in archive.notices[0]
    with pytest.raises(ArchiveTooNew):
        await archive.load("one")
    await archive.close()


async def test_a_title_damaged_in_place_is_shown_as_well_as_it_can_be(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT, title="abcÜdef")
    await archive.remember("key", {"a": "REMEMBERED" * 100})
    await archive.close()
    other = apsw.Connection(str(path))
    other.execute("UPDATE session SET title = x'616263ff646566'; UPDATE remembered SET value = x'7801ff'")
    other.close()
    archive = await Archive.open(path)
    assert (await archive.session("one")).title == "abc\ufffddef"
    assert await archive.recall("key") is None
    await archive.close()


async def test_a_damaged_checkpoint_counts_as_none(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a")], {"mark": "CHECKPOINT"})
    await archive.close()
    _write(path, content(path).replace(b"CHECKPOINT", b"CHECKPOINX"))
    archive = await Archive.open(path)
    assert await archive.checkpoint("one") is None
    assert await archive.load("one") == [said(1, "a")]
    await archive.close()


@pytest.mark.parametrize("data", [b"not a database at all\n" * 400, b"SQLite format 3\x00" + bytes(5_000)])
async def test_a_file_with_nothing_to_save_is_put_aside_and_a_new_one_begun(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    _write(path, data)
    archive = await Archive.open(path)
    assert "0 entries" in archive.notices[0]
    await make_session(archive, "one", "/", AT)
    await archive.close()
    assert content(path.with_name("archive.db.damaged-1")) == data


async def test_a_file_cut_to_nothing_is_saved_from_its_wal(path: Path, tmp_path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a"), said(2, "b")], {})
    killed = tmp_path / "killed"
    shutil.copytree(path.parent, killed)
    await archive.close()
    _write(killed / "archive.db", b"")
    log_beside = killed / "archive.db-wal"
    before = content(log_beside)[:32]
    archive = await Archive.open(killed / "archive.db")
    notices = archive.notices
    assert not log_beside.exists() or content(log_beside)[:32] != before  # it would be taken for the new file's
    await archive.close()
    loaded, _ = await _readable(killed / "archive.db")
    assert loaded == {"one": [said(1, "a"), said(2, "b")]}
    assert "2 entries of 1 session" in notices[0]


async def test_a_damaged_file_is_not_replaced_while_another_window_has_it_open(path: Path) -> None:
    first = await Archive.open(path)
    await make_session(first, "one", "/", AT)
    await first.append("one", [said(1, "a")], {})
    path.with_name("archive.db.suspect").touch()
    second = await Archive.open(path)
    assert "next start" in second.notices[0]
    await second.close()
    await first.append("one", [said(2, "b")], {})
    await first.close()
    third = await Archive.open(path)
    assert await third.load("one") == [said(1, "a"), said(2, "b")]
    assert "2 entries of 1 session were saved." in third.notices[0]
    await third.close()


async def test_a_file_that_another_window_has_open_and_nobody_can_read_is_damage(path: Path) -> None:
    await (await Archive.open(path)).close()
    first = await Archive.open(path)
    whole = content(path)
    _write(path, b"rubbish" * 2_000)
    with pytest.raises(ArchiveDamaged, match="damaged"):
        await Archive.open(path)
    assert mode(path.with_name("archive.db.suspect")) == 0o600
    _write(path, whole)
    await first.close()


async def test_of_two_rows_of_one_session_the_newer_counts_wherever_it_stands(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT, title="Now")
    await archive.append("one", [said(1, "a")], {"seq": 1})
    await archive.close()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE before AS SELECT * FROM session")
    schema = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'session'").get
    connection.execute(schema.replace("CREATE TABLE session", "CREATE TABLE long_ago"))
    connection.execute("INSERT INTO long_ago SELECT * FROM session")
    connection.execute("UPDATE long_ago SET last_seq = 0, title = ?", (packed_text("Before"),))
    connection.close()
    path.with_name("archive.db.suspect").touch()
    archive = await Archive.open(path)
    assert [each.title for each in await archive.sessions()] == ["Now"]
    await archive.close()


async def test_two_sessions_of_one_id_are_both_saved(path: Path) -> None:
    archive = await Archive.open(path)
    for number in (1, 2, 3):
        await make_session(archive, f"id-{number}", "/", AT)
        await archive.append(f"id-{number}", [said(1, f"text {number}")], {})
    await archive.close()
    _write(path, content(path).replace(b"id-2", b"id-1").replace(b"id-3", b"id-1"))
    path.with_name("archive.db.suspect").touch()
    archive = await Archive.open(path)
    assert {each.id for each in await archive.sessions()} == {"id-1", "id-1-2", "id-1-3"}
    assert await archive.load("id-1-3") == [said(1, "text 3")]
    await archive.close()


async def test_a_damaged_entry_is_found_by_no_search_and_hinders_none(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "needle in hay"), said(2, "needle in straw")], {"seq": 2})
    assert len(await archive.search("needle")) == 2
    await archive.close()
    _write(path, content(path).replace(b"needle in hay", b"needle in the"))
    archive = await Archive.open(path)
    assert [hit.seq for hit in await archive.search("needle")] == [2]
    await archive.close()


async def test_sessions_whose_row_is_lost_keep_their_entries(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT, title="FIRSTNAME")
    await archive.append("one", [said(1, "a"), logged(2, TitleSet("Said title"))], {})
    await archive.close()
    data = content(path)
    at = data.index(b"Said title/")  # title and directory stand side by side in the session's row
    page = at // _PAGE * _PAGE
    _write(path, data[:page] + bytes(_PAGE) + data[page + _PAGE :])
    loaded, _ = await _readable(path)
    assert list(loaded.values()) == [[said(1, "a"), logged(2, TitleSet("Said title"))]]
    archive = await Archive.open(path)
    assert await archive.sessions() == [
        SessionInfo("recovered-1", "Said title", "", AT, AT, 1, 0, archived=False, parent=None, preview="")
    ]
    await archive.close()


async def test_damage_that_only_reading_or_writing_meets_is_told_apart_from_a_full_disk(path: Path) -> None:
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "a")], {"seq": 1})
    await archive.remember("any", "value")
    await archive.close()
    root = _root_of(path, "remembered")
    data = content(path)
    _write(path, data[: (root - 1) * _PAGE] + b"\xff" * _PAGE + data[root * _PAGE :])
    archive = await Archive.open(path)
    with pytest.raises(ArchiveDamaged, match="damaged"):
        await archive.recall("any")
    with pytest.raises(ArchiveDamaged, match="damaged"):
        await archive.remember("any", "value")
    await archive.close()
    archive = await Archive.open(path)
    assert any("kept as" in notice for notice in archive.notices)
    assert await archive.load("one") == [said(1, "a")]
    await archive.remember("any", "value")
    await archive.close()


@pytest.mark.parametrize("place", range(10))
def test_a_session_whose_row_holds_something_else_is_damage(place: int) -> None:
    text = packed_text("a")
    row: list[object] = ["one", text, text, AT, AT, 1, 0, 0, None, text]
    assert session_of(row).id == "one"
    row[place] = 1.5
    if place in (7, 8):  # a flag, and the session it was forked from
        assert session_of(row).title == "a"
    else:
        with pytest.raises(DamagedRow):
            session_of(row)


def _root_of(path: Path, table: str) -> int:
    connection = apsw.Connection(str(path))
    root = int(connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).get)
    connection.close()
    return root


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=10_000), header=st.booleans())
def test_reading_pages_of_rubbish_never_fails(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, header: bool
) -> None:
    path = tmp_path_factory.mktemp("rubbish") / "file"
    path.write_bytes((b"SQLite format 3\x00\x10\x00" if header else b"\x0d\x00\x00\x00\x05") + data)
    path.with_name("file-wal").write_bytes(b"\x37\x7f\x06\x82" + data)
    list(Pages(path).rows())


async def test_what_cannot_be_salvaged_for_lack_of_room_is_an_error_and_changes_nothing(path: Path) -> None:
    path.parent.mkdir()
    _write(path, b"rubbish" * 1_000)
    path.with_name("archive.db.new").mkdir()
    with pytest.raises(ArchiveError):
        await Archive.open(path)
    assert content(path) == b"rubbish" * 1_000


@pytest.mark.parametrize("left", [1_000, 2_500, 3_900])
def test_rows_in_what_is_left_of_the_last_page_of_a_cut_file_are_found(
    tmp_path: Path, logs: tuple[Path, dict[str, list[Logged]]], left: int
) -> None:
    whole = content(logs[0] / "closed" / "archive.db")
    connection = apsw.Connection(str(logs[0] / "closed" / "archive.db"), flags=apsw.SQLITE_OPEN_READONLY)
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entry'").get
    connection.close()
    places = dict(Table(whole, root).rows())
    for pages in range(8, len(whole) // _PAGE, 7):
        cut = pages * _PAGE + left
        path = tmp_path / f"{pages}.db"
        _write(path, bytearray(whole[:cut]))
        found = {row[0] for row in Pages(path).rows() if len(row) == 11}
        assert {row for row, parts in places.items() if max(end for _, end in parts) <= cut} <= found
