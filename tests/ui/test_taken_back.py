"""What comes back into the prompt is what it was: a message never becomes a command, an edit stays in its session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, says
from tests.ui.support import Sitting, sitting
from tui_agent.archive import Archive
from tui_agent.core.entries import ImagePart
from tui_agent.paths import archive_file
from tui_agent.ui.commands import Say, Shell, as_said, read_prompt, together


@asynccontextmanager
async def answering(tmp_path: Path) -> AsyncIterator[tuple[Sitting, ModelServer, Gate]]:
    """A sitting in which an answer has begun that ends when the gate is opened; every other is "OK."."""
    gate = Gate()
    with ModelServer(says("slow", hold=gate), otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, directory=tmp_path) as person:
            await person.send("go")
            await person.until(gate.reached.is_set)
            yield person, server, gate


async def edit_the_last(person: Sitting) -> None:
    await person.press("escape", "escape")
    await person.sees("Your messages")
    await person.press("enter")
    await person.sees("editing #")


@pytest.mark.parametrize("text", ["!touch x", "!!x", "/quit", " !x", "plain", "!", "![a](b)", "/tmp is full"])
def test_a_message_is_sent_again_as_it_was(text: str) -> None:
    said = read_prompt(as_said(text))
    assert isinstance(said, Say)
    assert said.text.removeprefix(" ") == text.removeprefix(" ")


@pytest.mark.parametrize(
    ("texts", "text", "apart"),
    [
        (["!touch x"], "!touch x", ()),
        (["", "/compact"], "/compact", ()),
        (["!touch x", "a message"], "a message", ("!touch x",)),
        (["/compact", "a message"], "a message", ("/compact",)),
        (["a message", "!touch x", "another", "!touch y"], "a message\n\nanother", ("!touch x", "!touch y")),
        (["!touch x", "!touch y"], "!touch x\n!touch y", ()),
        (["!touch x", "/compact"], "!touch x", ("/compact",)),
        (["!touch x", "!for n in 1\ndo echo\ndone"], "!touch x", ("!for n in 1\ndo echo\ndone",)),
        (["/tmp is full", "!!x"], "/tmp is full\n\n!!x", ()),
        ([], "", ()),
    ],
)
def test_a_command_takes_in_nothing_and_is_no_line_of_a_message(
    texts: list[str], text: str, apart: tuple[str, ...]
) -> None:
    assert together(texts) == (text, apart)


def test_commands_that_come_back_together_are_run_one_after_the_other() -> None:
    assert read_prompt(together(["!touch x", "!touch y"])[0]) == Shell("touch x\ntouch y")


async def test_a_message_that_is_recalled_in_a_session_opened_again_is_sent_and_not_run(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, directory=tmp_path) as person:
            await person.say("!!touch made")
        async with sitting(server, tmp_path, directory=tmp_path, resume="latest") as person:
            await person.press("up")
            await person.until(lambda: person.prompt_text == "!!touch made")
            await person.press("enter")
            await person.until(lambda: len(server.requests) == 2)
            assert server.requests[-1].last_text == "!touch made"
        assert not (tmp_path / "made").exists()


async def test_an_edit_ends_with_its_session(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("one of A")
            session = person.session
            await person.press("ctrl+n")
            await person.until(lambda: person.conductor.view.session is not session)
            await person.say("one of B")
            await edit_the_last(person)
            await person.conductor.command("resume", session.id)
            await person.until(lambda: "editing #" not in person.seen)
            await person.say("two of A")
            assert [each for each in server.requests[-1].texts if each.endswith("of A")] == ["one of A", "two of A"]


async def test_what_waited_in_line_never_becomes_one_command(tmp_path: Path) -> None:
    async with answering(tmp_path) as (person, server, gate):
        await person.send("!touch made")
        await person.send("a message")
        await person.press("escape")
        await person.until(lambda: person.prompt_text == "a message")
        await person.sees("Not run, and no part of the message: !touch made")
        gate.open()
        await person.press("enter")
        await person.until(lambda: server.requests[-1].last_text == "a message")
        await person.until(lambda: not person.conductor.desk.is_busy)
        assert not (tmp_path / "made").exists()
        await person.press("up", "up")
        await person.until(lambda: person.prompt_text == "!touch made")


async def test_commands_that_waited_come_back_as_commands(tmp_path: Path) -> None:
    async with answering(tmp_path) as (person, _server, gate):
        await person.send("!touch one")
        await person.send("!touch two")
        await person.press("escape")
        await person.until(lambda: person.prompt_text == "!touch one\n!touch two")
        gate.open()
        await person.press("enter")
        await person.until((tmp_path / "two").exists)
    assert (tmp_path / "one").exists()


async def test_a_command_in_the_prompt_is_no_line_of_what_comes_back(tmp_path: Path) -> None:
    async with answering(tmp_path) as (person, server, gate):
        await person.send("a message")
        await person.type("!touch made")
        await person.press("ctrl+n")
        await person.sees("Leave this session?")
        await person.press("y")
        gate.open()
        await person.sees("Not run, and no part of the message: !touch made")
        assert not (tmp_path / "made").exists()
        await person.press("up")
        await person.until(lambda: person.prompt_text == "!touch made")
    assert "!touch made" not in str([each.texts for each in server.requests])


async def test_a_message_that_is_edited_is_never_run(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path, directory=tmp_path) as person:
            await person.say("!!touch made")
            await edit_the_last(person)
            assert person.prompt_text == "!!touch made"
            person.conductor.prompt.write("!touch made")
            await person.press("enter")
            await person.sees("An earlier message is being edited")
            assert person.prompt_text == "!touch made"
        assert not (tmp_path / "made").exists()


async def test_a_message_that_cannot_be_saved_comes_back_with_its_picture_and_the_place_it_takes(
    tmp_path: Path,
) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.session.close()
            elsewhere = await Archive.open(archive_file(override=str(tmp_path)))
            lease = await elsewhere.acquire(person.session.id)
            await edit_the_last(person)
            person.conductor.unsent.attach(ImagePart("data:image/png;base64,aGk=", "cat.png"))
            await person.press("enter")
            await person.sees("another window")
            await person.sees("editing #1")
            await person.sees("with [cat.png]")
            assert person.prompt_text == "hello"
            lease.release()
            await elsewhere.close()


async def test_an_edited_message_keeps_its_picture_and_what_stands_for_it_is_no_word_of_it(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.unsent.attach(ImagePart("data:image/png;base64,aGk=", "cat.png"))
            await person.say("what is this?")
            await edit_the_last(person)
            await person.sees("with [cat.png]")
            assert person.prompt_text == "what is this?"
            await person.press("escape")
            await person.until(lambda: "with [cat.png]" not in person.seen)
            await person.say("plain")
            assert "image_url" not in str(server.requests[-1].body["messages"][-1])
            await person.press("escape", "escape")
            await person.sees("Your messages")
            await person.press("down", "enter")
            await person.sees("with [cat.png]")
            await person.press("end", "!")
            await person.say("")
            content = server.requests[-1].body["messages"][-1]["content"]
            assert content[0] == {"type": "text", "text": "what is this?!"}
            assert content[1]["image_url"] == {"url": "data:image/png;base64,aGk="}
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.press("up")
            await person.until(lambda: person.prompt_text == "what is this?!")


async def test_what_stood_in_the_prompt_comes_back_with_up_when_something_else_was_put_there(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.type("half a thought")
            await person.conductor.command("edit-at", "1")
            await person.is_told("Up brings back what stood in the prompt.")
            assert person.prompt_text == "hello"
            await person.press("end", *" there", "escape")
            assert person.prompt_text == ""
            await person.press("up")
            await person.until(lambda: person.prompt_text == "hello there")
            await person.press("up")
            await person.until(lambda: person.prompt_text == "half a thought")
