"""Sessions: made, listed, named, put away, forked, deleted."""

from pathlib import Path

import pytest

from tests.archive.samples import AT, answered, logged, make_session, said
from tui_agent.archive import Archive, NewSession, SessionInfo
from tui_agent.core.entries import Compacted, ForkedFrom, Pinned, TitleSet
from tui_agent.errors import SessionBusy, SessionNotFound

_SECRET = "periwinkle-7 and 长春花密码"


async def test_the_session_changed_last_comes_first_whatever_the_clock_said(archive: Archive) -> None:
    await make_session(archive, "two", "/", "2099-01-01T00:00:00.000Z")
    await make_session(archive, "three", "/", "1970-01-01T00:00:00.000Z")
    assert [info.id for info in await archive.sessions()] == ["three", "two", "one"]
    await archive.append("one", [said(1, "a")], {})
    await archive.append("two", [said(1, "b")], {})
    assert [info.id for info in await archive.sessions()] == ["two", "one", "three"]
    await archive.rename("three", "new name")
    assert [info.id for info in await archive.sessions()] == ["two", "one", "three"]
    assert [info.id for info in await archive.sessions(limit=2)] == ["two", "one"]


async def test_titles_are_searched_literally_in_any_case_and_script(archive: Archive) -> None:
    titles = {"a": "100% done_now", "b": "Crème Brûlée", "c": "重构 解析器", "d": "C++ [draft] *", "e": "tab\tbed"}
    for session_id, title in titles.items():
        await make_session(archive, session_id, "/", AT, title=title)
    for query, expected in {
        "%": "a",
        "done_now": "a",
        "e_n": "a",
        "creme": "b",
        "BRÛLÉE": "b",
        "解析": "c",
        "c++": "d",
        "[draft] *": "d",
        "tab bed": "e",
        "": "abcde1",
    }.items():
        found = {"1" if info.id == "one" else info.id for info in await archive.sessions(query=query)}
        assert found == set(expected), query
    assert await archive.sessions(query="_%_") == []


async def test_sessions_are_listed_by_directory_and_by_whether_they_were_put_away(archive: Archive) -> None:
    await make_session(archive, "two", "/srv", AT)
    await archive.set_archived("two", True)
    assert [info.id for info in await archive.sessions()] == ["one"]
    assert [info.id for info in await archive.sessions(archived=True)] == ["two"]
    assert [info.id for info in await archive.sessions(archived=None, directory="/srv")] == ["two"]
    await archive.set_archived("two", False)
    assert {info.id for info in await archive.sessions()} == {"one", "two"}


async def test_a_session_is_found_by_a_prefix_that_is_its_alone(archive: Archive) -> None:
    for session_id in ("abc1", "abc2", "abd", "ab%"):
        await make_session(archive, session_id, "/", AT)
    assert (await archive.session("abd")).id == "abd"
    assert (await archive.session("abc1")).id == "abc1"
    assert (await archive.session("ab%")).id == "ab%"
    assert (await archive.session("o")).id == "one"
    with pytest.raises(SessionNotFound, match=r"abc2, abc1"):
        await archive.session("abc")
    for wrong in ("", "x", "%", "abc_", "ABD", "abd2"):
        with pytest.raises(SessionNotFound):
            await archive.session(wrong)


@pytest.mark.parametrize(("sessions", "named"), [(5, "a5, a4, a3, a2, a1."), (6, "a6, a5, a4, a3, a2, ....")])
async def test_of_many_sessions_with_one_beginning_the_newest_are_named(
    archive: Archive, sessions: int, named: str
) -> None:
    for number in range(1, sessions + 1):
        await make_session(archive, f"a{number}", "/", AT)
    with pytest.raises(SessionNotFound) as told:
        await archive.session("a")
    assert told.value.what == f"Several sessions begin with 'a': {named}"
    assert told.value.todo == "Give more of the id."
    with pytest.raises(SessionNotFound, match="There is no session 'b'"):
        await archive.session("b")


async def test_as_many_sessions_are_listed_as_were_asked_for(archive: Archive) -> None:
    for number in range(1, 4):
        await make_session(archive, f"a{number}", "/", AT)
    assert [info.id for info in await archive.sessions(limit=2)] == ["a3", "a2"]
    assert [info.id for info in await archive.sessions(limit=4)] == ["a3", "a2", "a1", "one"]


async def test_an_id_is_given_once(archive: Archive) -> None:
    await archive.append("one", [said(1, "mine")], {})
    with pytest.raises(SessionBusy, match="already a session"):
        await make_session(archive, "one", "/elsewhere", AT)
    assert (await archive.session("one")).directory == "/home/me"


async def test_a_fork_begins_with_the_same_entries_and_goes_its_own_way(archive: Archive) -> None:
    entries = [said(1, "a"), answered(2, "b"), logged(3, Compacted(None, 2, (), "sum")), said(4, "apple")]
    await archive.append("one", [*entries, said(5, "e")], {"seq": 5})
    origin = logged(5, ForkedFrom("one", 4))
    await archive.copy_prefix("one", 4, "fork", AT, checkpoint={"seq": 5}, then=[origin])
    assert await archive.checkpoint("fork") == {"seq": 5}
    await archive.append("fork", [said(6, "f")], {"seq": 6})
    await archive.append("one", [said(6, "g")], {"seq": 6})

    assert await archive.load("fork") == [*entries, origin, said(6, "f")]
    assert await archive.load("one") == [*entries, said(5, "e"), said(6, "g")]
    fork = await archive.session("fork")
    told = ("fork", "", "/home/me", AT, AT)
    assert fork == SessionInfo(*told, messages=4, compactions=1, archived=False, parent="one", preview="f")
    assert {hit.session_id for hit in await archive.search("apple")} == {"one", "fork"}


async def test_a_fork_that_cannot_be_made_leaves_nothing(archive: Archive) -> None:
    await archive.append("one", [said(1, "a"), said(2, "b")], {})
    with pytest.raises(ValueError, match="numbered from 3"):
        await archive.copy_prefix("one", 2, "fork", AT, checkpoint={}, then=[said(9, "gap")])
    with pytest.raises(SessionNotFound):
        await archive.copy_prefix("none", 2, "fork", AT, checkpoint={})
    with pytest.raises(SessionBusy):
        await archive.copy_prefix("one", 2, "one", AT, checkpoint={})
    assert [info.id for info in await archive.sessions()] == ["one"]
    await archive.copy_prefix("one", 0, "empty", AT, checkpoint={})
    assert await archive.load("empty") == []


async def test_deleting_leaves_no_byte_of_the_text_in_any_file(archive: Archive, path: Path) -> None:
    await make_session(archive, "kept", "/", AT, title="kept title")
    await archive.append("kept", [said(1, "kept text"), answered(2, "kept answer")], {"kept": 1})
    await make_session(archive, "secret", f"/{_SECRET}", AT, title=_SECRET)
    for seq in range(1, 60):
        padding = f" {seq}" * (seq * 20)
        await archive.append("secret", [said(seq, _SECRET + padding)], {"text": _SECRET, "seq": seq})
    await archive.append("secret", [logged(60, TitleSet(_SECRET)), logged(61, Pinned(_SECRET))], {"text": _SECRET})
    await archive.save_unsent("secret", _SECRET)
    await archive.save_partial("secret", {"text": _SECRET})
    await archive.rename("secret", "renamed " + _SECRET)
    assert await archive.search("periwinkle")

    await archive.delete("secret")

    assert archive.notices == []
    await archive.append("kept", [said(3, "more")], {})
    for file in path.parent.iterdir():
        if file.is_file():
            content = file.read_bytes()
            for trace in ("periwinkle", "长春", "长 春 花", "secret"):
                assert trace.encode() not in content, (file, trace)
    assert await archive.search("periwinkle") == []
    assert await archive.unsent("secret") == ""
    assert await archive.partial("secret") is None
    assert [entry.seq for entry in await archive.load("kept")] == [1, 2, 3]
    assert [hit.session_id for hit in await archive.search("kept")] == ["kept"] * 3
    with pytest.raises(SessionNotFound):
        await archive.session("secret")


async def test_a_session_that_is_open_here_can_be_deleted_here(archive: Archive) -> None:
    with await archive.acquire("one"):
        await archive.append("one", [said(1, "a")], {"seq": 1})
        await archive.delete("one")
    assert await archive.sessions(archived=None) == []


async def test_a_deleted_session_does_not_come_back_under_its_old_id(archive: Archive) -> None:
    await archive.append("one", [said(1, "old words"), said(2, "old words")], {"old": True})
    await archive.delete("one")
    await make_session(archive, "one", "/", AT)
    assert await archive.load("one") == []
    assert await archive.checkpoint("one") is None
    await archive.append("one", [said(1, "new words")], {})
    assert [hit.text for hit in await archive.search("words")] == ["new words"]
    assert await archive.search("old") == []
    with pytest.raises(SessionNotFound):
        await archive.delete("none")


async def test_small_things_are_remembered_across_runs_and_forgotten_when_told(path: Path) -> None:
    archive = await Archive.open(path)
    await archive.save_unsent("", "before there is a session")
    await archive.save_unsent("one", "later")
    await archive.save_partial("one", {"text": "half"})
    await archive.save_partial("one", {"text": "half an answer"})
    await archive.remember("ratio http://localhost some-model", 1.07)
    await archive.remember("approvals", ["git status"])
    await archive.close()

    again = await Archive.open(path)
    assert await again.unsent("") == "before there is a session"
    assert await again.unsent("one") == "later"
    assert await again.partial("one") == {"text": "half an answer"}
    assert await again.recall("ratio http://localhost some-model") == 1.07
    assert await again.recall("approvals") == ["git status"]
    await again.save_unsent("one", "")
    await again.clear_partial("one")
    await again.remember("approvals", None)
    assert (await again.unsent("one"), await again.partial("one"), await again.recall("approvals")) == ("", None, None)
    assert await again.recall("never kept") is None
    await again.close()


async def test_an_answer_clears_the_partial_one_in_the_same_step(archive: Archive) -> None:
    await archive.save_partial("one", {"text": "half"})
    await archive.append("one", [said(1, "question")], {})
    assert await archive.partial("one") == {"text": "half"}
    await archive.append("one", [answered(2, "half and half")], {})
    assert await archive.partial("one") is None


async def test_a_session_may_be_added_without_entries(archive: Archive) -> None:
    await archive.add_sessions([NewSession("empty", "/", AT, "Empty", (), {})])
    assert await archive.load("empty") == []
    assert await archive.checkpoint("empty") is None
    assert (await archive.session("empty")).title == "Empty"


async def test_sessions_are_added_with_their_entries_all_or_none(archive: Archive) -> None:
    first = NewSession("new", "/there", AT, "shown", (said(1, "a"), answered(2, "b"), said(3, "c")), {"upto": 0})
    second = NewSession("other", "/there", AT, "", (said(1, "d"), logged(2, TitleSet("named"))), {})
    await archive.add_sessions([first, second])
    assert [(info.id, info.title, info.messages) for info in await archive.sessions()] == [
        ("other", "named", 1),
        ("new", "shown", 3),
        ("one", "", 0),
    ]
    assert await archive.load("new") == list(first.entries)
    assert await archive.checkpoint("new") == {"upto": 0}
    assert [hit.session_id for hit in await archive.search("d")] == ["other"]
    third = NewSession("third", "/", AT, "", (said(1, "e"),), {})
    with pytest.raises(SessionBusy):
        await archive.add_sessions([third, first])
    assert "third" not in [info.id for info in await archive.sessions()]


async def test_deleting_takes_the_copy_along_that_was_made_before_a_migration(archive: Archive, path: Path) -> None:
    copy = path.with_name("archive.db.v1.backup")
    copy.write_bytes(b"holds what is deleted")
    await archive.delete("one")
    assert not copy.exists()


async def test_a_title_that_only_begins_like_the_words_is_not_found(archive: Archive) -> None:
    await archive.append("one", [logged(1, TitleSet("plain C is a language"))], {"seq": 1})
    assert await archive.search("C++") == []
    assert len(await archive.search("plain C")) == 1
