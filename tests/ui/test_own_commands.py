"""What the user does in the chat without the model: !command."""

from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, says
from tests.ui.support import USUAL, Sitting, sitting
from tui_agent.core.readings import deed_of
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.widgets.chips import CHIP_CHARACTERS


def deeds(person: Sitting) -> list[str]:
    """The commands in the record."""
    session = person.session
    return [deed.subject for each in session.tail if (deed := deed_of(each.entry)) is not None]


async def idle(person: Sitting) -> None:
    await person.until(lambda: not person.conductor.desk.waiting and not person.conductor.desk.is_busy)


async def test_a_command_shows_what_it_prints_and_the_model_is_told_with_the_next_message(tmp_path: Path) -> None:
    with ModelServer(says("I see.")) as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            await person.send("!printf 'one\\ntwo\\n'")
            await person.sees("$ printf 'one\\ntwo\\n'  ✓")
            await person.sees("two")
            assert server.requests == []
            await person.say("what was that?")
            assert "one\ntwo" in server.requests[0].messages[1]["content"]


async def test_a_bare_mark_says_what_it_is_for_and_a_second_one_makes_a_message(tmp_path: Path) -> None:
    with ModelServer(says("Fine."), says("Fine.")) as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            await person.press("!")
            await person.sees("run a shell command here")
            await person.press("enter")
            assert person.prompt_text == "!"
            await person.press("backspace")
            await person.say("!!important")
            await person.say(" !not a command")
            assert [each.last_text for each in server.requests] == ["!important", " !not a command"]
            assert deeds(person) == []


async def test_what_is_hidden_in_a_long_paste_is_never_run(tmp_path: Path) -> None:
    with ModelServer(says("Long.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.type("!touch made\n" + "x" * CHIP_CHARACTERS)
            await person.press("enter")
            await idle(person)
            await person.sees("Long.")
            assert deeds(person) == []


async def test_escape_stops_it_and_what_it_has_printed_stays(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("!echo begun; exec sleep 600")
            await person.sees("⋯ running")
            await person.sees("begun")
            await person.press("escape")
            await idle(person)
            await person.sees("[stopped]")
            assert "⋯" not in person.seen
            await person.send("!echo again")
            await person.sees("$ echo again  ✓")


async def test_what_waits_for_a_command_says_that_escape_stops_the_command(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("!echo begun; exec sleep 600")
            await person.sees("begun")
            await person.send("and then this")
            await person.sees("Esc stops the command and takes it back")
            await person.press("escape")
            await idle(person)
            assert person.prompt_text == "and then this"


async def test_while_an_answer_is_written_it_waits_its_turn(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("Written.", hold=gate)) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("write")
            await person.until(gate.reached.is_set)
            await person.send("!echo later")
            await person.sees("queued  !echo later")
            gate.open()
            await person.sees("$ echo later  ✓")
            assert person.seen.index("Written.") < person.seen.index("$ echo later")


async def test_it_runs_without_any_model(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:1/v1") as person:
            await person.send("!echo alone")
            await person.sees("$ echo alone  ✓")


@pytest.mark.parametrize(("key", "runs"), [("y", True), ("n", False)])
async def test_what_is_on_the_deny_list_is_asked_about(tmp_path: Path, key: str, runs: bool) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, deny=("touch",)) as person:
            await person.send("!touch made")
            await person.until(lambda: isinstance(person.app.screen, ConfirmScreen))
            await person.sees("touch is on your deny list")
            await person.press(key)
            await person.until(lambda: not isinstance(person.app.screen, ConfirmScreen))
            await idle(person)
            assert (tmp_path / "made").exists() is runs
            assert (person.prompt_text == "!touch made") is not runs


async def test_a_command_shows_the_same_when_the_session_is_opened_again(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("!seq 1 60; exit 4")
            await person.sees("✗ failed")
            await idle(person)
            live = person.seen
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.sees("$ seq 1 60; exit 4  ✗ failed")
            assert "… 41 more lines" in person.seen
            assert "… 41 more lines" in live
            await person.press("alt+up", "space")
            await person.sees("[exit code 4]")
            await person.press("e")
            await person.until(lambda: person.prompt_text == "!seq 1 60; exit 4")


async def test_up_brings_a_command_back_in_a_session_that_is_opened_again(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("!echo one")
            await idle(person)
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.press("up")
            await person.until(lambda: person.prompt_text == "!echo one")


async def test_a_change_of_directory_is_said_to_last_for_one_command(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("!cd / && pwd")
            await idle(person)
            assert "a cd lasts only" not in " ".join(person.seen.split())
            await person.send("!cd /")
            await person.sees("Each command starts in")
