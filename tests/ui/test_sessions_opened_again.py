"""A session that is opened again finds what has changed since: its model may be gone, it may have no name yet."""

from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, says
from tests.ui.support import sitting
from tui_agent.ui.screens.text_prompt import TextPromptScreen


async def test_a_session_whose_model_is_gone_goes_on_with_the_one_there_is(tmp_path: Path) -> None:
    with ModelServer(says("Answered by the old one."), models=("old-model",)) as server:
        async with sitting(server, tmp_path, model="old-model") as person:
            await person.say("hello")
    with ModelServer(says("Answered by the new one."), models=("new-model",)) as server:
        async with sitting(server, tmp_path, model="", resume="latest") as person:
            await person.sees("Answered by the old one.")
            await person.say("and now?")
            await person.sees("Answered by the new one.")
            assert server.requests[-1].body["model"] == "new-model"
            assert "new-model" in person.seen


async def test_rename_without_a_title_asks_for_one(tmp_path: Path) -> None:
    with ModelServer(says("Hi.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.send("/rename")
            await person.until(lambda: isinstance(person.app.screen, TextPromptScreen))
            await person.press("ctrl+u", *"a better name", "enter")
            await person.sees("─ a better name")


async def test_a_session_is_not_left_unasked_while_an_answer_is_written(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("first"), says("slow", hold=gate)) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("one of A")
            left = person.session
            await person.press("ctrl+n")
            await person.until(lambda: person.session is not left)
            assert len(person.app.screen_stack) == 1, "nobody is asked while nothing is going on"
            held = person.session
            await person.send("one of B")
            await person.until(gate.reached.is_set)
            await person.conductor.command("resume", held.id)
            assert len(person.app.screen_stack) == 1, "it is the one that is open"
            for command, argument in (("new", ""), ("resume", left.id), ("go-to", f"{left.id} 0"), ("fork", "")):
                await person.conductor.command(command, argument)
                await person.sees("Leave this session?")
                await person.press("n")
                await person.until(lambda: len(person.app.screen_stack) == 1)
                assert person.session is held
                assert person.conductor.desk.is_busy
            await person.press("ctrl+n")
            await person.sees("Leave this session?")
            await person.press("y")
            await person.until(lambda: person.session.id not in (held.id, left.id))
            gate.open()
