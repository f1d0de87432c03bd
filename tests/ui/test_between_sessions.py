"""What belongs to a session stays with it when another is shown, and what went wrong on the way is told."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import sitting
from tui_agent.core.entries import Compacted, ImagePart, TextPart
from tui_agent.core.events import TextArrived
from tui_agent.errors import UsageError
from tui_agent.ui.messages import STEP
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.sidebar import MemoryList

CAT = ImagePart("data:image/png;base64,aGk=", "cat.png")


async def test_a_picture_does_not_go_along_into_another_session(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            person.conductor.unsent.attach(CAT)
            await person.sees("with [cat.png]")
            await person.conductor.command("new")
            assert "cat.png" not in person.seen
            assert person.conductor.unsent.take("hi") == ((TextPart("hi"),), None)


async def test_finding_ends_with_the_session_it_was_begun_in(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("needle one", "needle two")
            await person.press("ctrl+f", *"needle")
            await person.sees("2 hits")
            await person.conductor.command("new")
            await person.has_said("needle three")
            assert not person.conductor.screen.query_one(FindBar).display
            assert person.conductor.prompt.has_focus


async def test_the_same_words_are_found_again_after_the_bar_was_closed(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("needle one", "needle two")
            for _again in range(2):
                await person.send("/search needle")
                await person.until(lambda: person.conductor.transcript.hits == (2, 2))
                await person.press("escape")
                await person.until(lambda: person.conductor.transcript.hits == (0, 0))


async def test_a_version_is_marked_in_its_own_session_only(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            for name in ("first", "second"):
                await person.conductor.command("new")
                await person.has_said(f"said in the {name}", "and so on")
                compacted = Compacted(None, 2, (), f"Summary of the {name}.", folded=2)
                person.conductor.show_events(await person.session.append(compacted))
                await person.until(lambda: bool(person.app.screen.query_one(MemoryList)._rows))
                assert "marked" not in person.seen
                if name == "first":
                    person.app.screen.query_one(MemoryList).focus()
                    await person.press("end", "m")
                    await person.sees("v1  marked")


async def test_what_a_turn_has_yielded_is_not_shown_in_another_session(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            person.conductor.desk.posting.post(TextArrived("late " * STEP))
            await person.conductor.command("new")
            await person.pilot.pause()
            assert not person.conductor.desk.posting.is_behind
            assert len(person.conductor.transcript.blocks) == 0


async def test_of_two_sessions_that_are_opened_at_once_one_is_shown_and_the_other_is_closed(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            ids = []
            for words in ("the first", "the second"):
                await person.has_said(words)
                ids.append(person.session.id)
                await person.conductor.command("new")
            services, conductor = person.conductor.services, person.conductor
            sessions = [await services.open_session(each) for each in ids]
            await asyncio.gather(*map(conductor.open_session, sessions))
            (other,) = {*ids} - {person.session.id}
            await (await services.open_session(other)).close()  # else it would still be open in a window: this one


async def test_a_session_that_is_not_shown_after_all_is_closed_and_the_open_one_stays(tmp_path: Path) -> None:
    with ModelServer(says("still here")) as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("the first")
            services, first = person.conductor.services, person.session.id
            await person.conductor.command("new")
            second = person.session
            opening = asyncio.ensure_future(person.conductor.open_session(await services.open_session(first)))
            await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            assert person.session is second
            await (await services.open_session(first)).close()
            await person.say("are you there?")
            await person.sees("still here")


async def test_a_place_in_a_session_that_is_open_elsewhere_is_not_sought_in_this_one(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person, sitting(server, tmp_path) as second:
            await person.has_said("mine")
            await second.has_said("here")
            await second.conductor.command("go-to", f"{person.session.id} 1")
            await second.sees("Open in another window")
            await second.pilot.pause()
            assert second.conductor.transcript._flashed is None


async def test_a_session_that_is_open_elsewhere_is_not_renamed_and_that_is_told(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person, sitting(server, tmp_path) as second:
            await person.has_said("mine")
            await second.press("f2")
            await second.sees("mine")
            await second.press("r")
            await second.sees("Rename the session")
            await second.press(*"theirs", "enter")
            await second.is_told("another window")
            assert person.session.title != "theirs"


async def test_what_goes_wrong_beside_the_chat_is_told(tmp_path: Path) -> None:
    async def fails() -> None:
        raise UsageError("It went wrong.")

    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.work("beside", fails)
            await person.is_told("It went wrong.")


@pytest.mark.parametrize("command", ["pin", "rename", "import", "attach", "edit", "model"])
async def test_a_question_that_is_closed_is_not_asked_again(tmp_path: Path, command: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            await person.conductor.command(command)
            await person.until(lambda: len(person.app.screen_stack) == 2)
            await person.press("escape", "x")
            await person.until(lambda: person.prompt_text == "x")


async def test_a_blank_answer_is_none(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            for command in ("pin", "rename"):
                await person.conductor.command(command)
                await person.until(lambda: len(person.app.screen_stack) == 2)
                await person.press("ctrl+u", "space", "enter", "backspace", "x")
                await person.until(lambda: person.prompt_text == "x")
                person.conductor.prompt.write("")
            assert not person.session.checkpoint.pins


async def test_a_copy_is_told_of_that_cannot_be_written(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    with ModelServer(says("an answer")) as server:
        async with sitting(server, tmp_path / "data", directory=workspace) as person:
            await person.say("hello")
            workspace.rmdir()
            await person.send("/copy file")
            await person.is_told("could not be written")
