"""What is put into the prompt: a quoted answer, a long paste as a chip or as text."""

from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import sitting


async def test_reply_quotes_the_last_answer_behind_what_stands_in_the_prompt(tmp_path: Path) -> None:
    with ModelServer(says("First line.\n\nSecond line.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.send("/reply")
            await person.until(lambda: person.prompt_text == "> First line.\n>\n> Second line.\n\n")
            person.conductor.prompt.write("Why?")
            await person.press("alt+up", "r")
            await person.until(lambda: person.prompt_text == "Why?\n\n> First line.\n>\n> Second line.\n\n")
            assert person.conductor.prompt.has_focus


async def test_a_long_answer_is_quoted_as_text_and_not_as_a_chip(tmp_path: Path) -> None:
    with ModelServer(says("word " * 900)) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.send("/reply")
            await person.until(lambda: person.prompt_text.startswith("> word word"))
            assert len(person.prompt_text) > 4000


async def test_without_an_answer_there_is_nothing_to_quote(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/reply")
            await person.sees("There is no answer")
            assert person.prompt_text == ""


async def test_a_paste_is_shown_as_text_where_the_settings_want_it_so(tmp_path: Path) -> None:
    pasted = "many words " * 300
    for paste_chip, is_text in ((0, True), (5000, True), (100, False)):
        with ModelServer() as server:
            async with sitting(server, tmp_path / str(paste_chip), paste_chip=paste_chip) as person:
                await person.type(pasted)
                assert (person.prompt_text == pasted) is is_text
                assert person.conductor.prompt.message == pasted


async def test_the_size_of_an_attached_file_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("one\ntwo\nthree\nfour\n")
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/attach f.txt")
            await person.until(lambda: person.prompt_text == "[f.txt 4 lines] ")
