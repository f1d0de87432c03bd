"""Files that are named in a message with an @, chosen from the list or typed out."""

from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import sitting
from tui_agent.agent.attaching import with_files
from tui_agent.ui.widgets.chips import Chips
from tui_agent.ui.workspace_files import FRESH_SECONDS, WorkspaceFiles


def attached(directory: Path, typed: str) -> tuple[str, tuple[str, ...]]:
    message = with_files(directory, typed, Chips().mentions(typed))
    return message.text, message.told


@pytest.mark.parametrize("behind", ["", " what?", ".", ", and why?", "\nwhat?"])
def test_a_file_that_is_named_goes_along_where_it_is_named(tmp_path: Path, behind: str) -> None:
    (tmp_path / "f.txt").write_text("one\ntwo\n")
    text, told = attached(tmp_path, f"see @f.txt{behind}")
    assert text == "\n".join(["see f.txt:", "```", "one", "two", "```", *filter(None, [behind.removeprefix("\n")])])
    assert told == ()


def test_several_files_stand_each_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "src" / "b.py").write_text("b")
    text, told = attached(tmp_path, "@a.py and @src/b.py and @a.py")
    assert text == "a.py:\n```\na\n```\n and src/b.py:\n```\nb\n```\n and a.py:\n```\na\n```"
    assert told == ()


@pytest.mark.parametrize(
    "data",
    [
        "\ufeff“one”\r\ntwo\r\n".encode("utf-16-le"),
        b"\xef\xbb\xbf\xe2\x80\x9cone\xe2\x80\x9d\r\ntwo\r\n",
        "“one”\r\ntwo\r\n".encode("cp1252"),
    ],
)
def test_a_file_is_sent_in_its_own_encoding(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f.txt").write_bytes(data)
    text, _ = attached(tmp_path, "@f.txt")
    assert text.splitlines() == ["f.txt:", "```", "“one”", "two", "```"]


@pytest.mark.parametrize("typed", ["ask @ana", "@none.txt what", "@src is large", "@pipe"])
def test_what_is_no_file_is_sent_as_it_is_and_told(tmp_path: Path, typed: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "pipe").write_bytes(b"\0\0")
    text, (told,) = attached(tmp_path, typed)
    assert text == typed
    assert told.startswith("@")


@pytest.mark.parametrize("typed", ["mail ana@home.org", "a @ b", "x @", "@@", "a@f.txt"])
def test_an_at_that_begins_no_word_names_nothing(tmp_path: Path, typed: str) -> None:
    (tmp_path / "f.txt").write_text("one")
    assert attached(tmp_path, typed) == (typed, ())


@pytest.mark.parametrize("name", ["../secret", "{outside}/secret", "link"])
def test_what_lies_elsewhere_is_never_taken_by_its_name_alone(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "work"
    directory.mkdir()
    (tmp_path / "secret").write_text("periwinkle")
    (directory / "link").symlink_to(tmp_path / "secret")
    typed = f"see @{name.format(outside=tmp_path)}"
    text, (told,) = attached(directory, typed)
    assert text == typed
    assert "/attach" in told


def test_what_a_long_paste_mentions_is_nobodys_wish(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("one")
    chips = Chips()
    mark = chips.add("pasted @f.txt " * 300)
    typed = f"{mark} is like @f.txt"
    message = with_files(tmp_path, chips.expand(typed), chips.mentions(typed))
    assert message.text == "pasted @f.txt " * 300 + " is like f.txt:\n```\none\n```"


async def test_a_file_that_was_typed_out_is_attached_and_one_that_is_not_there_is_told(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f.txt").write_text("remember the milk")
    (work / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with ModelServer(says("seen"), says("again")) as server:
        async with sitting(server, tmp_path / "data", directory=work) as person:
            await person.send("what is in @f.txt and @dot.png and @none.txt ?")
            await person.sees("seen")
            await person.is_told("@none.txt: There is no such file here.")
            text, picture = server.requests[0].messages[-1]["content"]
            assert text["text"] == "what is in f.txt:\n```\nremember the milk\n```\n and dot.png and @none.txt ?"
            assert picture["image_url"]["url"].startswith("data:image/png;base64,")
            await person.say("and now?")
            assert server.requests[-1].last_text == "and now?"


async def test_a_file_made_later_is_offered_though_the_list_is_fresh(tmp_path: Path) -> None:
    now = 100.0
    (tmp_path / "old.txt").touch()
    files = WorkspaceFiles(tmp_path, lambda: now)
    assert await files.matching("") == ["old.txt"]
    (tmp_path / "many.txt").touch()
    (tmp_path / "odd.txt").touch()
    now += 2
    assert await files.matching("ol") == ["old.txt"], "what fits is offered without another look"
    assert await files.matching("man") == ["many.txt"]
    (tmp_path / "new.txt").touch()
    now += 2
    assert await files.matching("") == ["many.txt", "new.txt", "odd.txt", "old.txt"]
    (tmp_path / "newer.txt").touch()
    now += FRESH_SECONDS + 1
    assert await files.matching("new") == ["new.txt", "newer.txt"]


async def test_a_file_that_is_named_in_a_prompt_on_the_command_line_goes_along(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f.txt").write_text("remember the milk")
    with ModelServer(says("seen")) as server:
        async with sitting(server, tmp_path / "data", directory=work, prompt="read @f.txt and @none.txt") as person:
            await person.sees("There is no such file here.")
            await person.until(lambda: bool(server.requests))
            assert server.requests[-1].last_text == "read f.txt:\n```\nremember the milk\n```\n and @none.txt"
