"""Entries: appended, read back, never changed."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.archive.samples import AT, answered, everywhere, logged, make_session, returned, said
from tui_agent.archive import Archive
from tui_agent.archive.lease import FileLock
from tui_agent.archive.log import usable
from tui_agent.archive.rows import (
    DamagedRow,
    digest,
    logged_of,
    packed_json,
    packed_text,
    row_of,
    unpacked_json,
    unpacked_text,
)
from tui_agent.archive.worker import Worker
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Detail,
    ImagePart,
    Item,
    Logged,
    Noticed,
    OtherPart,
    Reasoning,
    SummaryRestored,
    TextPart,
    TitleSet,
    ToolCall,
    Usage,
    UserSaid,
)
from tui_agent.errors import ArchiveUnavailable, NotSaved, SessionBusy, SessionNotFound


async def test_what_is_appended_is_loaded_again_by_the_next_run(path: Path) -> None:
    entries = [
        said(1, "hello"),
        logged(2, UserSaid((TextPart("look"), ImagePart("data:image/png;base64,AAAA", "cat"), OtherPart("x", "{}")))),
        logged(
            3,
            AssistantSaid(
                "hi",
                Reasoning("hm", endpoint="http://localhost"),
                (ToolCall("c1", "run", "{}", malformed="{", extra='{"a":1}'),),
                Usage(10, 2, 1, 1),
                finish=None,
                model="m",
                estimated=9,
                seconds=1.25,
            ),
        ),
        logged(4, Compacted(None, 1, (Item("i1", "goals", "greet", (1,)),), "t", (Detail("path", "/x", (1,)),))),
    ]
    archive = await Archive.open(path)
    await make_session(archive, "one", "/", AT)
    await archive.append("one", entries[:2], {"seq": 2})
    await archive.append("one", entries[2:], {"seq": 4, "nested": {"a": [1, None, "ü"]}})
    await archive.close()

    again = await Archive.open(path)
    assert await again.load("one") == entries
    assert await again.checkpoint("one") == {"seq": 4, "nested": {"a": [1, None, "ü"]}}
    assert await again.count("one") == 4
    assert again.notices == []
    await again.close()


_TEXTS = {
    "line separators": "Error:\u2028TypeError\u2029x\x85y\x1cz\x0b\x0c",
    "half a pair": "half a pair \ud83d cut",
    "bytes of a file name": "file bad\udcff.txt",
    "a pair the wrong way round": "\udf78\ud83c",
    "a NUL": "nul \x00 in the middle",
    "nothing but a NUL": "\x00",
    "no characters": "\ufeff\ufffe\uffff",
    "many scripts": "🍸 中文 e\u0301 \u202e",
    "white space": "\r\n\r\t ",
    "statements": "'; DROP TABLE entry; --",
    "a long one": "x" * 200_000 + "\udc80",
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS.keys())
async def test_any_text_comes_back_as_it_was_from_every_place(path: Path, text: str) -> None:
    entries = everywhere(1, text)
    archive = await Archive.open(path)
    await make_session(archive, "one", f"/home/{text[:50]}", AT, title=text[:50])
    await archive.append("one", entries, {"text": text})
    await archive.save_unsent("one", text)
    await archive.save_partial("one", {"text": text})
    await archive.remember(text[:50], [text])
    await archive.close()

    again = await Archive.open(path)
    assert await again.load("one") == entries
    assert await again.checkpoint("one") == {"text": text}
    info = await again.session("one")
    assert (info.title, info.directory) == (text, f"/home/{text[:50]}")
    assert await again.unsent("one") == text
    assert await again.partial("one") == {"text": text}
    assert await again.recall(text[:50]) == [text]
    await again.search(text[:50])
    await again.close()


async def test_ranges_and_pages_ascend(archive: Archive) -> None:
    await archive.append("one", [said(seq, str(seq)) for seq in range(1, 11)], {})
    seqs = [entry.seq for entry in await archive.load("one", after=3, upto=6)]
    assert seqs == [4, 5, 6]
    assert [entry.seq for entry in await archive.page("one", limit=3)] == [8, 9, 10]
    assert [entry.seq for entry in await archive.page("one", before=8, limit=3)] == [5, 6, 7]
    assert [entry.seq for entry in await archive.page("one", before=3, limit=5)] == [1, 2]
    assert [entry.seq for entry in await archive.page("one", after=8, limit=5)] == [9, 10]
    assert await archive.page("one", before=1, limit=5) == []
    assert await archive.load("one", after=10) == []
    assert await archive.load("one", after=-5, upto=2) == await archive.page("one", before=3, limit=9)
    assert (await archive.entry("one", 5)) == said(5, "5")


async def test_neighbours_are_the_messages_round_an_entry(archive: Archive) -> None:
    entries = [said(1, "a"), logged(2, Noticed("n")), answered(3, "b"), returned(4, "c"), logged(5, Noticed("m"))]
    await archive.append("one", [*entries, said(6, "d"), answered(7, "e")], {})
    assert [entry.seq for entry in await archive.neighbours("one", 4, 1)] == [3, 4, 6]
    assert [entry.seq for entry in await archive.neighbours("one", 5, 2)] == [3, 4, 5, 6, 7]
    assert [entry.seq for entry in await archive.neighbours("one", 1, 0)] == [1]


async def test_compactions_are_found_and_the_live_ones_counted(archive: Archive) -> None:
    entries = [
        said(1, "a"),
        logged(2, Compacted(None, 1, (), "first")),
        logged(3, Compacted(2, 1, (), "second")),
        logged(4, CompactionUndone(3)),
        logged(5, SummaryRestored(2)),
        logged(6, CompactionUndone(5)),
        logged(7, CompactionRedone(5)),
        logged(8, CompactionRedone(3)),
    ]
    counted = []
    for entry in entries:
        await archive.append("one", [entry], {})
        counted.append((await archive.session("one")).compactions)
    assert counted == [0, 1, 2, 1, 1, 1, 1, 2]
    assert [entry.seq for entry in await archive.compactions("one")] == [2, 3]


async def test_an_append_sets_title_preview_and_counts(archive: Archive) -> None:
    await archive.append("one", [said(1, "first\n\n  words"), answered(2, "ok"), logged(3, TitleSet("Named"))], {})
    await archive.append("one", [logged(4, Noticed("n")), said(5, "later " * 100)], {})
    info = await archive.session("one")
    assert (info.title, info.messages, info.updated) == ("Named", 3, AT)
    assert info.preview == ("later " * 20)
    await archive.append("one", [said(6, "and then?"), answered(7, "nothing"), logged(8, Noticed("n"))], {})
    assert (await archive.session("one")).preview == "and then?"


async def test_an_append_that_does_not_go_on_where_the_log_ends_is_refused_whole(archive: Archive) -> None:
    await archive.append("one", [said(1, "a"), said(2, "b")], {"seq": 2})
    with pytest.raises(SessionBusy):
        await archive.append("one", [said(2, "other"), said(3, "c")], {"seq": 3})
    with pytest.raises(ValueError, match="numbered from 3"):
        await archive.append("one", [said(4, "gap")], {"seq": 4})
    with pytest.raises(ValueError, match="without a gap"):
        await archive.append("one", [said(3, "c"), said(5, "e")], {"seq": 5})
    with pytest.raises(SessionNotFound):
        await archive.append("two", [said(1, "a")], {})
    await archive.append("one", [], {"seq": 99})
    assert await archive.load("one") == [said(1, "a"), said(2, "b")]
    assert await archive.checkpoint("one") == {"seq": 2}


async def test_order_is_that_of_appending_whatever_the_clock_said(archive: Archive) -> None:
    times = ["2031-01-01T00:00:00.000Z", "1999-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"]
    for seq, at in enumerate(times, 1):
        await archive.append("one", [Logged(seq, at, Noticed(str(seq)))], {})
    assert [entry.at for entry in await archive.load("one")] == times


async def test_the_file_itself_refuses_to_change_or_lose_an_entry(archive: Archive, path: Path) -> None:
    await archive.append("one", [said(1, "a")], {})
    other = apsw.Connection(str(path))
    for statement in ("UPDATE entry SET at = 'x'", "DELETE FROM entry", "DELETE FROM entry WHERE seq = 1"):
        with pytest.raises(apsw.ConstraintError):
            other.execute(statement)
    other.close()
    assert await archive.load("one") == [said(1, "a")]


async def test_a_cancelled_append_is_all_there(archive: Archive) -> None:
    entries = [said(seq, "text " * 1_000) for seq in range(1, 51)]
    task = asyncio.create_task(archive.append("one", entries, {"seq": 50}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await archive.load("one") == entries
    assert await archive.checkpoint("one") == {"seq": 50}


async def test_a_cancelled_read_leaves_the_archive_usable(archive: Archive) -> None:
    searches = [asyncio.create_task(archive.search(word)) for word in ("a", "ab", "abc")]
    await asyncio.sleep(0)
    for search in searches:
        search.cancel()
    await asyncio.gather(*searches, return_exceptions=True)
    await archive.append("one", [said(1, "abc")], {})
    assert [hit.seq for hit in await archive.search("abc")] == [1]


async def test_opening_that_is_cancelled_leaves_nothing_open(path: Path) -> None:
    opening = asyncio.create_task(Archive.open(path))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    lock = FileLock.take(path.with_name("archive.db.open"))
    assert lock is not None
    lock.release(remove=False)
    await (await Archive.open(path)).close()


async def test_appends_asked_for_at_once_are_carried_out_in_order(archive: Archive) -> None:
    async with asyncio.TaskGroup() as group:
        for seq in range(1, 101):
            group.create_task(archive.append("one", [said(seq, str(seq))], {"seq": seq}))
    assert await archive.count("one") == 100
    assert await archive.checkpoint("one") == {"seq": 100}


async def test_a_closed_archive_says_so(path: Path) -> None:
    archive = await Archive.open(path)
    await archive.close()
    await archive.close()
    with pytest.raises(ArchiveUnavailable, match="closed"):
        await archive.sessions()
    with pytest.raises((ArchiveUnavailable, NotSaved), match="closed"):
        await archive.save_unsent("", "x")


async def test_an_archive_that_could_not_be_opened_can_be_closed_and_says_so(path: Path) -> None:
    worker = Worker(path)
    with pytest.raises(ArchiveUnavailable, match="closed"):
        await worker.read(lambda connection: connection)
    await worker.close()
    archive = await Archive.open(path)
    assert archive.path == path
    assert not archive.read_only
    await archive.close()


def test_what_was_asked_for_by_a_loop_that_has_ended_is_done_all_the_same(path: Path) -> None:
    gate = threading.Event()
    archive = asyncio.run(Archive.open(path))

    async def ask_and_leave() -> None:
        loop_is_busy = asyncio.ensure_future(archive._worker.write(lambda connection: gate.wait(10)))
        asked = asyncio.ensure_future(make_session(archive, "one", "/", AT))
        await asyncio.sleep(0)
        for task in (loop_is_busy, asked):
            task.cancel()

    asyncio.run(ask_and_leave())
    gate.set()

    async def look() -> list[str]:
        return [session.id for session in await archive.sessions(archived=None)]

    assert asyncio.run(look()) == ["one"]
    asyncio.run(archive.close())


async def test_a_session_without_entries_or_checkpoint_says_so(archive: Archive) -> None:
    assert await archive.load("one") == []
    assert await archive.checkpoint("one") is None
    assert await archive.count("one") == 0
    with pytest.raises(SessionNotFound):
        await archive.entry("one", 1)
    for ask in (archive.load, archive.checkpoint, archive.count, archive.compactions):
        with pytest.raises(SessionNotFound, match="'none'"):
            await ask("none")


_TEXT = st.text(st.characters(codec=None, exclude_categories=[])) | st.text()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=_TEXT, at=st.text(max_size=5), tokens=st.integers(0, 10**9), factor=st.integers(1, 300))
def test_every_row_reads_back_as_what_was_written(text: str, at: str, tokens: int, factor: int) -> None:
    for entry in (UserSaid((TextPart(text * factor),)), AssistantSaid(text, finish=None), Noticed(text)):
        written = Logged(7, at, entry, tokens, "counter", tokens)
        assert logged_of(row_of(3, written)) == written


def test_the_stored_form_of_an_entry_stays_what_it_is_for_there_are_archives_in_it() -> None:
    body = '{"parts":[{"kind_of_part":"text","text":"bé"}]}'.encode()
    known = bytes.fromhex("10057366405c7a7c42fd3786ed479a45")
    assert row_of(1, said(2, "bé")) == (1, 2, AT, "UserSaid", 6, "estimate", 14, body, known)
    assert packed_json({"a": "\ud83d", "b": [1, 2]}) == b'{"a":"\\ud83d","b":[1,2]}'
    assert digest("\ud83d") != digest("\ud83e")
    long = packed_json(["words " * 200])
    assert (long[:1], len(long) < 600, unpacked_json(long)) == (b"x", True, ["words " * 200])
    assert unpacked_json(packed_json(["w" * 400])) == ["w" * 400]
    for damaged in (b"{", b"x", long[:-5]):
        with pytest.raises(DamagedRow):
            unpacked_json(damaged)
    assert unpacked_text(packed_text("a\ud83d\x00é")) == "a\ud83d\x00é"
    assert unpacked_text(b"a\xff") == "a\ufffd"


def test_rows_that_hold_no_entry_are_passed_over() -> None:
    good = row_of(1, said(1, "a"))
    assert list(usable([(*good[:-1], b"wrong"), good])) == [said(1, "a")]
