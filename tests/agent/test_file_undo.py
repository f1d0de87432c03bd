"""Changes of files by tools: what they replaced is kept, can be looked at, put back, and changed again."""

import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import apsw
import pytest

from tests.agent.tool_turns import ONCE, workshop
from tests.fakes.canary import CANARY
from tests.fakes.desk import Desk, desk, entries_in
from tests.fakes.disk import faulty_disk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tests.fakes.valid import problems
from tui_agent.agent import changes
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.file_undo import Reversal, carry_out, redoing, undoing
from tui_agent.agent.files import digest_of
from tui_agent.agent.kept_changes import KeptChanges
from tui_agent.agent.services import secret_of
from tui_agent.agent.turn import text_parts
from tui_agent.archive import Archive, KeptFile
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import ApprovalAsked, AssistantSaid, ToolCall, ToolReturned, UserSaid
from tui_agent.core.readings import deed_of
from tui_agent.errors import NotSaved, ToolFailed, UsageError


def write(path: str, content: str, call_id: str = "") -> Call:
    return Call("write_file", {"path": path, "content": content}, call_id or path)


async def change(at: Desk, server: ModelServer, *asked: Call) -> None:
    """A turn in which the model makes these calls, each approved."""
    server.script(calls(*asked), says("done"))
    at.approver.answers += [ONCE] * len(asked)
    await at.say("change it")
    results = entries_in(at.events, ToolReturned)[-len(asked) :]
    assert [each.output for each in results if each.failed] == []


@asynccontextmanager
async def after_a_change(data: Path) -> AsyncIterator[Desk]:
    """A session in which the model has written a file."""
    with ModelServer() as server:
        async with workshop(server, data) as at:
            await change(at, server, write("f.txt", "agent"))
            yield at


async def read(at: Desk, server: ModelServer, path: str) -> None:
    """A turn in which the model reads the file, so that it may write it."""
    server.script(calls(Call("read_file", {"path": path}, "r")), says("read"))
    await at.say("read it")


async def undo(at: Desk) -> DeedPart:
    return await _do(at, await undoing(at.session, at.services.directory))


async def redo(at: Desk) -> DeedPart:
    return await _do(at, await redoing(at.session, at.services.directory))


async def _do(at: Desk, reversal: Reversal) -> DeedPart:
    deed = deed_of(entries_in(await carry_out(at.session, reversal, secret_of(at.services)), UserSaid)[0])
    assert deed is not None
    return deed


def texts(work: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(work.iterdir())}


async def test_a_turns_changes_are_put_back_and_made_again_and_the_model_is_told(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            (work / "old.txt").write_text("one\ntwo\n")
            (work / "old.txt").chmod(0o640)
            await read(at, server, "old.txt")
            edit = Call("edit_file", {"path": "old.txt", "old_text": "two", "new_text": "TWO"}, "e")
            await change(at, server, edit, write("new.txt", "new\n"), write("new.txt", "newer\n", "again"))
            changed = {"new.txt": "newer\n", "old.txt": "one\nTWO\n"}
            assert texts(work) == changed

            reversal = await undoing(at.session, at.services.directory)
            assert reversal.foreign == ()
            assert reversal.diff() == (
                "--- old.txt\n+++ old.txt\n@@ -1,2 +1,2 @@\n one\n-TWO\n+two\n"
                "--- new.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-newer\n"
            )
            assert texts(work) == changed

            assert await undo(at) == DeedPart("files put back", "old.txt\nnew.txt")
            assert texts(work) == {"old.txt": "one\ntwo\n"}
            assert (work / "old.txt").stat().st_mode & 0o777 == 0o640
            server.script(says("I see."))
            await at.say("and now?")
            sent = server.requests[-1].messages
            assert sent[-2]["content"].startswith("I took your changes of these files back")
            assert "old.txt\nnew.txt" in sent[-2]["content"]
            assert problems(sent) == []

            assert await redo(at) == DeedPart("files changed again", "old.txt\nnew.txt")
            assert texts(work) == changed
            with pytest.raises(UsageError, match="no change to make again"):
                await redo(at)


async def test_turns_are_taken_back_one_by_one_also_after_a_new_start(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            for text in ("a", "b", "c"):
                await change(at, server, write("f.txt", text))
            session_id = at.session.id
        async with workshop(server, tmp_path) as at:
            at.session = await at.services.open_session(session_id)
            for expected in ("b", "a"):
                await undo(at)
                assert texts(work) == {"f.txt": expected}
            await undo(at)
            assert texts(work) == {}
            with pytest.raises(UsageError, match="no file change to take back"):
                await undo(at)
            for expected in ("a", "b", "c"):
                await redo(at)
                assert texts(work) == {"f.txt": expected}


async def test_directories_that_were_made_for_files_go_with_them_when_nothing_else_is_in_them(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            (work / "old").mkdir()
            await change(at, server, write("a/b/x.txt", "x"), write("a/c/y.txt", "y"), write("old/z.txt", "z"))
            await change(at, server, write("a/c/later/f.txt", "f"))
            everything = {
                "a",
                "a/b",
                "a/b/x.txt",
                "a/c",
                "a/c/y.txt",
                "a/c/later",
                "a/c/later/f.txt",
                "old",
                "old/z.txt",
            }
            assert names(work) == everything
            await undo(at)
            assert names(work) == everything - {"a/c/later", "a/c/later/f.txt"}
            await undo(at)
            assert names(work) == {"old"}
            await redo(at)
            await redo(at)
            assert names(work) == everything
            (work / "a/c/mine.txt").write_text("somebody else's")
            await undo(at)
            await undo(at)
            assert names(work) == {"old", "a", "a/c", "a/c/mine.txt"}


async def test_a_directory_that_somebody_made_before_it_was_made_again_is_theirs(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("a/x.txt", "x"))
            await undo(at)
            assert names(work) == set()
            (work / "a").mkdir()
            await redo(at)
            await undo(at)
            assert names(work) == {"a"}


def names(work: Path) -> set[str]:
    return {str(path.relative_to(work)) for path in work.rglob("*")}


async def test_a_retry_is_a_turn_of_its_own(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("f.txt", "first"))
            server.script(calls(write("f.txt", "second", "w2")), says("done"))
            at.approver.answers.append(ONCE)
            await at.take(at.services.turn(at.session, at.approver).retry())
            await undo(at)
            assert texts(tmp_path / "work") == {"f.txt": "first"}


async def test_what_somebody_else_has_changed_since_is_named_and_can_be_had_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("f.txt", "agent"), write("g.txt", "agent"), write("h.txt", "agent"))
            (work / "f.txt").write_text("somebody else")
            (work / "g.txt").unlink()
            reversal = await undoing(at.session, at.services.directory)
            assert reversal.foreign == ("f.txt",)  # what is gone is as it was before
            await _do(at, reversal)
            assert texts(work) == {}
            await redo(at)
            assert texts(work) == {"f.txt": "somebody else", "h.txt": "agent"}


@pytest.mark.parametrize("in_the_way", ["directory", "link", "pipe", "no way to it"])
async def test_a_file_that_something_is_in_the_way_of_keeps_no_other_back(tmp_path: Path, in_the_way: str) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("early.txt", "agent"))
            await change(at, server, write("sub/f.txt", "agent"), write("g.txt", "agent"))
            put_in_the_way(work / "sub", in_the_way)
            reversal = await undoing(at.session, at.services.directory)
            assert [step.shown for step in reversal.steps] == ["g.txt"]
            (reason,) = reversal.refused
            assert str(work / "sub" / "f.txt") in reason
            assert await _do(at, reversal) == DeedPart("files put back", "g.txt")

            assert await undo(at) == DeedPart("files put back", "early.txt")
            with pytest.raises(UsageError, match=re.escape(reason)):
                await undo(at)

            shutil.rmtree(work / "sub", ignore_errors=True)
            (work / "sub").unlink(missing_ok=True)
            assert await undo(at) == DeedPart("files put back", "sub/f.txt")
            assert await redo(at) == DeedPart("files changed again", "early.txt")
            assert await redo(at) == DeedPart("files changed again", "sub/f.txt\ng.txt")


def put_in_the_way(directory: Path, kind: str) -> None:
    """Something that is no file where `directory / "f.txt"` was, or on the way to it."""
    (directory / "f.txt").unlink()
    if kind == "directory":
        (directory / "f.txt").mkdir()
    elif kind == "link":
        (directory / "f.txt").symlink_to(directory)
    elif kind == "pipe":
        os.mkfifo(directory / "f.txt")
    else:
        directory.rmdir()
        directory.write_text("a file")


async def test_a_change_that_could_not_be_noted_can_be_made_again_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "work" / "f.txt"
    with faulty_disk() as (disk, fault), ModelServer() as server:
        async with workshop(server, tmp_path, open_archive=partial(Archive.open, vfs=disk)) as at:
            await change(at, server, write("f.txt", "agent"))
            for reverse, is_there_then in ((undoing, False), (redoing, True)):
                reversal = await reverse(at.session, at.services.directory)
                fault.begin(1, apsw.FullError, forever=True)
                with pytest.raises(NotSaved):
                    await carry_out(at.session, reversal)
                fault.heal()
                await _do(at, await reverse(at.session, at.services.directory))
                assert file.exists() is is_there_then
            assert file.read_text() == "agent"


async def test_a_file_that_changes_while_the_question_stands_is_left_alone(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("f.txt", "agent"), write("g.txt", "agent"))
            reversal = await undoing(at.session, at.services.directory)
            (work / "g.txt").write_text("meanwhile")
            with pytest.raises(ToolFailed, match="has changed since"):
                await carry_out(at.session, reversal)
            assert texts(work) == {"g.txt": "meanwhile"}
            assert deed_of(at.session.tail[-1].entry) == DeedPart("files put back", "f.txt")
            again = await undoing(at.session, at.services.directory)
            assert [step.shown for step in again.steps] == ["g.txt"]
            assert again.foreign == ("g.txt",)
            await _do(at, again)
            assert await redo(at) == DeedPart("files changed again", "f.txt\ng.txt")
            assert texts(work) == {"f.txt": "agent", "g.txt": "meanwhile"}


async def test_a_change_that_failed_is_none_to_take_back(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            server.script(calls(write("f.txt", "agent")), says("done"))

            async def meanwhile(request: ApprovalRequest) -> Decision:
                (work / "f.txt").write_text("somebody else")
                return ONCE

            await at.take(at.services.turn(at.session, meanwhile).say(text_parts("go")))
            assert texts(work) == {"f.txt": "somebody else"}
            with pytest.raises(UsageError, match="no file change"):
                await undo(at)


async def test_what_a_crash_kept_the_tool_from_writing_is_no_foreign_change(tmp_path: Path) -> None:
    async with after_a_change(tmp_path) as at:
        (tmp_path / "work" / "f.txt").unlink()  # as if it had never been written
        reversal = await undoing(at.session, at.services.directory)
        assert (reversal.foreign, reversal.diff()) == ((), "")


async def test_contents_with_the_key_are_not_kept_and_that_is_told(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            (work / "key.txt").write_text(f"key={CANARY}")
            await read(at, server, "key.txt")
            server.script(calls(write("key.txt", "key=none", "w")), says("done"))
            at.approver.answers.append(ONCE)
            await at.say("take it out")
            assert "/undo-files cannot take this change back" in entries_in(at.events, ToolReturned)[-1].output
            with pytest.raises(UsageError, match=r"What key.txt held is no longer kept"):
                await undo(at)
            assert texts(work) == {"key.txt": "key=none"}


async def test_the_key_is_not_kept_for_doing_a_change_again_either(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("key.txt", "key=none"))
            (work / "key.txt").write_text(f"key={CANARY}")
            await undo(at)
            assert texts(work) == {}
            with pytest.raises(UsageError, match=r"What key.txt held is no longer kept"):
                await redo(at)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
async def test_a_file_that_was_deleted_comes_back_with_the_mode_it_had(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "work" / "secret.txt"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            file.write_text("one")
            file.chmod(mode)
            await read(at, server, "secret.txt")
            await change(at, server, write("secret.txt", "two"), write("secret.txt", "three", "again"))
            file.unlink()
            await undo(at)
            assert (file.read_text(), file.stat().st_mode & 0o777) == ("one", mode)
            await redo(at)
            assert not file.exists()


@pytest.mark.parametrize("mode", [0o600, 0o755])
async def test_a_change_made_again_where_the_file_was_deleted_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "work" / "secret.txt"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            file.write_text("one")
            file.chmod(mode)
            await read(at, server, "secret.txt")
            await change(at, server, write("secret.txt", "two"))
            await undo(at)
            file.unlink()
            await redo(at)
            assert (file.read_text(), file.stat().st_mode & 0o777) == ("two", mode)


async def test_a_mode_that_is_not_known_is_taken_for_the_narrowest(tmp_path: Path) -> None:
    file = tmp_path / "work" / "f.txt"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            kept = KeptFile(1, str(file), b"one", digest_of(b"one"), digest_of(b"two"))
            await at.session.append(UserSaid(text_parts("go")))
            await at.services.archive.keep_file(at.session.id, kept)
            await undo(at)
            assert (file.read_text(), file.stat().st_mode & 0o777) == ("one", 0o600)


async def test_a_new_file_is_made_again_with_the_mode_it_was_given(tmp_path: Path) -> None:
    file = tmp_path / "work" / "run.sh"
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("run.sh", "ls"))
            usual = file.stat().st_mode & 0o777
            await undo(at)
            await redo(at)
            assert file.stat().st_mode & 0o777 == usual
            file.chmod(0o700)
            await undo(at)
            assert not file.exists()
            await redo(at)
            assert (file.read_text(), file.stat().st_mode & 0o777) == ("ls", 0o700)


async def test_what_cannot_be_kept_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "f.txt"
    with faulty_disk() as (disk, fault), ModelServer() as server:
        async with desk(server, tmp_path / "data", open_archive=partial(Archive.open, vfs=disk)) as at:
            await at.session.append(UserSaid(text_parts("go")))
            keeper = KeptChanges(lambda: at.session, lambda: CANARY)
            fault.begin(1, apsw.FullError, forever=True)
            with pytest.raises(ToolFailed, match="was not changed: what it holds now could not be kept"):
                async with keeper.keeping(file, b"old", b"new"):
                    raise AssertionError("the change was made")
            fault.heal()
            assert await at.services.archive.kept_files(at.session.id, undone=False) == []
            async with keeper.keeping(file, b"old", b"new") as is_kept:
                assert is_kept
            assert len(await at.services.archive.kept_files(at.session.id, undone=False)) == 1


async def test_a_question_that_is_open_comes_first(tmp_path: Path) -> None:
    async with after_a_change(tmp_path) as at:
        call = ToolCall("c", "run_command", "{}")
        await at.session.append(AssistantSaid("", tool_calls=(call,)), ApprovalAsked("c", "$ ls"))
        with pytest.raises(UsageError, match="is waiting for your approval"):
            await undo(at)


async def test_deleting_the_session_forgets_the_changes(tmp_path: Path) -> None:
    async with after_a_change(tmp_path) as at:
        session_id = at.session.id
        await at.session.close()
        await at.services.archive.delete(session_id)
        assert await at.services.archive.kept_files(session_id, undone=False) == []
        at.session = at.services.new_session()


async def test_a_fork_says_where_the_changes_before_it_are_kept(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            await change(at, server, write("new.txt", "new\n"))
            forked = await changes.fork(at.session, at.session.checkpoint.seq)
            with pytest.raises(UsageError, match=f"/resume {at.session.id} goes there"):
                await undoing(forked, at.services.directory)
            await forked.close()
            assert (await undoing(at.session, at.services.directory)).steps
