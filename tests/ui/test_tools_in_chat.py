from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tests.ui.support import Sitting, sitting
from tui_agent.agent import changes
from tui_agent.agent.pending import open_calls
from tui_agent.core.entries import ApprovalAsked, AssistantSaid, TextPart, ToolCall, UserSaid
from tui_agent.ui.screens.approval import ApprovalScreen
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.status_bar import CompactButton


async def question(person: Sitting) -> ApprovalScreen:
    """The approval on the screen, awake."""
    await person.until(lambda: isinstance(person.app.screen, ApprovalScreen))
    screen = person.app.screen
    assert isinstance(screen, ApprovalScreen)
    await person.until(lambda: not screen._is_deaf)
    return screen


@asynccontextmanager
async def at_work(
    server: ModelServer, tmp_path: Path, resume: str | None = None, **settings: Any
) -> AsyncIterator[Sitting]:
    """The app in a workspace, which the archive is no part of."""
    workspace = tmp_path / "work"
    workspace.mkdir(exist_ok=True)
    async with sitting(server, tmp_path / "data", directory=workspace, tools=True, resume=resume, **settings) as person:
        yield person


def writing(text: str) -> Call:
    return Call("write_file", {"path": "note.txt", "content": text})


async def test_a_change_is_made_only_after_it_was_approved(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            await question(person)
            await person.sees("+hello")
            assert not (tmp_path / "work" / "note.txt").exists()
            await person.press("y")
            await person.sees("done")
            assert (tmp_path / "work" / "note.txt").read_text() == "hello"


async def test_what_was_said_last_stays_in_view_over_the_question(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.has_said(*(f"message number {n}" for n in range(12)))
            await person.send("write a note, please")
            await question(person)
            await person.sees("write a note, please")
            await person.press("y")
            await person.sees("done")
            assert person.app.screen.query_one(ActivityLine).styles.margin.bottom == 0


async def test_what_is_typed_while_the_question_appears_stands_in_the_prompt(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            screen = await question(person)
            screen._deaf_until = inf  # as if it had just appeared, however slow the machine is
            await person.press(*"yest", "backspace", *"s")
            assert person.conductor.prompt.message == "yess"
            screen._deaf_until = 0.0
            await person.press("1")
            await person.sees("done")
            assert person.conductor.prompt.message == "yess"


async def test_what_was_sent_is_no_typing_that_holds_up_a_question(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.press(*"write")
            assert person.conductor.prompt.typed_at > 0
            await person.press("enter")
            assert person.conductor.prompt.typed_at == -inf
            await question(person)
            await person.press("y", "enter")
            await person.sees("done")


async def test_a_denial_reaches_the_model_with_its_words(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("then not")) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            await question(person)
            await person.press("tab", *"not there", "enter")
            await person.sees("then not")
            assert not (tmp_path / "work" / "note.txt").exists()
            assert "not there" in server.requests[1].last_text


async def test_while_an_approval_is_pending_nothing_can_be_compacted(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            await question(person)
            assert person.conductor.screen.query_one(CompactButton).disabled
            await person.press("y")
            await person.sees("done")
            await person.until(lambda: not person.conductor.screen.query_one(CompactButton).disabled)


async def test_stopping_the_turn_takes_its_question_away_and_does_nothing(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello"))) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            await question(person)
            person.conductor.desk.stop()
            await person.until(lambda: not isinstance(person.app.screen, ApprovalScreen))
            await person.until(lambda: not person.conductor.desk.is_busy)
            assert not (tmp_path / "work" / "note.txt").exists()


async def test_a_question_that_was_left_open_is_asked_again_when_the_session_is_resumed(tmp_path: Path) -> None:
    call = ToolCall("c", "write_file", '{"path": "note.txt", "content": "hello"}')
    with ModelServer(says("done")) as server:
        async with at_work(
            server, tmp_path
        ) as person:  # the log as it stands when the program is killed at the question
            await person.session.append(
                UserSaid((TextPart("write a note"),)),
                AssistantSaid("", tool_calls=(call,)),
                ApprovalAsked("c", "write note.txt"),
            )
            left = person.session.id
        async with at_work(server, tmp_path, resume=left) as person:
            await question(person)
            assert not (tmp_path / "work" / "note.txt").exists()
            await person.press("y")
            await person.sees("done")
            assert (tmp_path / "work" / "note.txt").read_text() == "hello"


async def test_a_fork_made_while_a_question_is_open_leaves_the_call_to_the_original(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello")), says("done")) as server:
        async with at_work(server, tmp_path) as person:
            await person.send("write a note")
            await question(person)
            copy = await changes.fork(person.session, person.session.checkpoint.seq)
            assert open_calls(copy) == ()
            await copy.close()
            await person.press("y")
            await person.sees("done")
            (tmp_path / "work" / "note.txt").unlink()
        server.script(says("going on"))
        async with at_work(server, tmp_path, resume=copy.id, approval="all") as person:
            await person.send("go on")
            await person.sees("going on")
            assert not (tmp_path / "work" / "note.txt").exists()
            assert "left to the original" in str(server.requests[-1].messages)
            assert server.complaints == []
