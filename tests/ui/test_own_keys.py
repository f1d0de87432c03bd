"""Keys that the user has given other bindings: they act where the usual ones did, and the usual ones are letters."""

from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.screen_text import sees
from tests.ui.support import sitting
from tui_agent.ui.bindings import keys_of
from tui_agent.ui.widgets.sidebar import MemoryList


async def test_a_message_key_acts_under_its_new_letter_and_its_old_one_is_typed(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, keys={"message-pin": "w"}) as person:
            await person.say("remember the milk")
            await person.press("alt+up", "w")
            await person.until(lambda: bool(person.session.checkpoint.pins))
            assert person.prompt_text == ""
            await person.press("p")
            await person.until(lambda: person.prompt_text == "p")
            assert len(person.session.checkpoint.pins) == 1
            await person.press("w")
            await person.until(lambda: person.prompt_text == "pw")


async def test_a_letter_that_acts_in_the_chat_acts_outside_the_prompt_alone(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, keys={"help": "x"}) as person:
            await person.say("a message")
            await person.type("x?")
            await person.until(lambda: person.prompt_text == "x?")
            await person.press("alt+up", "x")
            await person.sees("Type and press Enter.")


async def test_letters_of_the_panel_act_under_other_keys(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, keys={"panel-unpin": "x", "panel-keep": "k"}) as person:
            await person.say("a message")
            await person.conductor.command("pin", "never touch main")
            memory = person.app.screen.query_one(MemoryList)
            await person.until(lambda: memory.option_count > 0)
            memory.focus()
            await person.press("down", "u")
            assert len(person.session.checkpoint.pins) == 1
            await person.press("x")
            await person.until(lambda: not person.session.checkpoint.pins)
            assert person.prompt_text == ""


async def test_keys_are_named_as_they_are(tmp_path: Path) -> None:
    changed: Any = {"compact": "f6"}
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, keys=changed) as person:
            await sees(person.pilot, "F6")
            assert keys_of("compact") == "F6"
        async with sitting(server, tmp_path / "usual") as person:
            assert keys_of("compact") == "F4"
