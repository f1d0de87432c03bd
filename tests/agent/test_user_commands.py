"""A shell command of the user's own: it runs at once, all it printed is kept, and the next request tells of it."""

import asyncio
import os
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from tests.agent.tool_turns import workshop
from tests.fakes.canary import CANARY
from tests.fakes.desk import Desk, entries_in
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.fakes.valid import problems
from tests.processes import is_running
from tests.waiting import becomes_true
from tui_agent.agent.tools.left_out import KEY_LEFT_OUT
from tui_agent.agent.user_commands import run_user_command
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import ApprovalAsked, AssistantSaid, ToolCall, UserSaid
from tui_agent.core.events import CommandProgressed, CommandStarted, Event
from tui_agent.core.readings import deed_of
from tui_agent.errors import UsageError


async def run(at: Desk, command: str) -> tuple[list[Event], DeedPart]:
    """A command's events, and what was written of it."""
    events = await at.take(run_user_command(at.session, command, at.services.directory, CANARY))
    deed = deed_of(entries_in(events, UserSaid)[0])
    assert deed is not None
    return events, deed


async def test_it_runs_in_the_workspace_and_the_next_request_tells_of_it(tmp_path: Path) -> None:
    with ModelServer(says("You listed the directory.")) as server:
        async with workshop(server, tmp_path) as at:
            (tmp_path / "work" / "only.txt").touch()
            events, deed = await run(at, "ls")
            assert (deed.kind, deed.subject, deed.output, deed.failed) == ("command", "ls", "only.txt\n", False)
            assert events[0] == CommandStarted("ls")
            assert server.requests == []
            await at.say("what did I do?")
            sent = server.requests[0].messages
            assert "only.txt" in sent[1]["content"]
            assert sent[1]["role"] == "user"
            assert problems(sent) == []
            assert at.session.title == "what did I do?"


async def test_a_failure_is_kept_with_its_exit_code(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            _, deed = await run(at, "echo oops >&2; exit 3")
            assert (deed.output, deed.failed) == ("oops\n[exit code 3]", True)
            _, deed = await run(at, "echo a\0b")
            assert deed.failed
            assert "could not be started" in deed.output


async def test_what_it_prints_is_told_while_it_runs(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            told = ""
            stream = run_user_command(at.session, "echo first; cat pipe; echo last", at.services.directory, "")
            await asyncio.create_subprocess_exec("mkfifo", str(tmp_path / "work" / "pipe"))
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, CommandProgressed) and not told:
                        told = event.text
                        (tmp_path / "work" / "pipe").write_text("second\n")
            assert told == "first\n"


async def test_a_key_that_is_printed_in_two_pieces_is_not_told_either(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            pipe = tmp_path / "work" / "pipe"
            os.mkfifo(pipe)
            command = f"printf 'first {CANARY[:12]}'; cat pipe; sleep 0.2; printf ' last'; cat pipe"
            told = ""
            async with aclosing(run_user_command(at.session, command, at.services.directory, CANARY)) as events:
                async for event in events:
                    if isinstance(event, CommandProgressed):
                        told += event.text
                        assert CANARY[:12] not in told
                        await asyncio.to_thread(pipe.write_text, "" if told.endswith("last") else CANARY[12:])
            assert told == f"first {KEY_LEFT_OUT} last"


async def test_stopping_it_keeps_what_it_has_printed_and_leaves_no_process(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            running = asyncio.ensure_future(
                at.take(
                    run_user_command(at.session, "echo $$ > pid; echo begun; exec sleep 600", at.services.directory, "")
                )
            )
            pid = tmp_path / "work" / "pid"
            assert await becomes_true(lambda: pid.exists() and bool(pid.read_text().strip()))
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            deed = deed_of(at.session.tail[-1].entry)
            assert deed is not None
            assert (deed.output, deed.failed) == ("begun\n[stopped]", True)
            assert not is_running(int(pid.read_text()))


async def test_neither_the_key_nor_the_environments_secrets_are_given_to_it_or_kept(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            (tmp_path / "work" / "key.txt").write_text(f"key={CANARY}")
            _, deed = await run(at, f"cat key.txt; : {CANARY}; env")
            assert CANARY not in deed.output + deed.subject
            assert f"key={KEY_LEFT_OUT}" in deed.output
            assert "TERM=dumb" in deed.output
            (tmp_path / "work" / "key.txt").unlink()


async def test_it_waits_for_a_question_that_is_open(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            call = ToolCall("c", "run_command", "{}")
            await at.session.append(AssistantSaid("", tool_calls=(call,)), ApprovalAsked("c", "$ ls"))
            with pytest.raises(UsageError, match="is waiting for your approval"):
                await run(at, "touch there")
            assert not (tmp_path / "work" / "there").exists()


async def test_it_is_in_the_record_when_the_session_is_opened_again_and_is_found(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            _, deed = await run(at, "echo quicksilver")
            await at.reopen()
            assert deed_of(at.session.tail[-1].entry) == deed
            assert [hit.seq for hit in await at.services.search("quicksilver")] == [1]
            assert (await at.services.sessions())[0].preview == "$ echo quicksilver"
