"""Doing without: ASCII where a terminal has nothing else, and plain for reading aloud."""

import re
from pathlib import Path

import pytest
from rich.segment import Segment
from textual.color import Color

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import LARGE, SMALL, USUAL, Sitting, sitting
from tui_agent.settings import Settings
from tui_agent.ui.plain import _ASCII, Ascii, wants_ascii

ANSWER = "Three things:\n\n- one\n- two\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n```py\nx = 1\n```\n"


def strangers(person: Sitting) -> set[str]:
    """What is on the screen that is not ASCII."""
    return {character for character in person.seen if not character.isascii()}


@pytest.mark.parametrize(
    ("environ", "is_ascii"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),  # what Python makes of it
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "zh_CN.utf8"}, False),
        ({"LANG": "ca_ES.UTF-8@valencia"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "de_DE@euro"}, False),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, True),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
        ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, False),
    ],
)
def test_the_locale_says_whether_to_draw_with_ascii(environ: dict[str, str], is_ascii: bool) -> None:
    assert wants_ascii(Settings(), environ) is is_ascii


def test_the_settings_are_stronger_than_the_locale() -> None:
    assert not wants_ascii(Settings(characters="unicode"), {"LANG": "C"})
    assert wants_ascii(Settings(characters="ascii"), {"LANG": "C.UTF-8"})
    assert wants_ascii(Settings(plain=True), {"LANG": "C.UTF-8"})


def test_every_cell_keeps_its_width_and_letters_stay() -> None:
    (drawn,) = Ascii().apply([Segment("╭─ 中文 · naïve → ▓░│ “so”…")], Color(0, 0, 0))
    assert drawn.text == '+- 中文 - naïve > %.| "so".'
    assert all(text.isascii() for text in _ASCII.values())


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL], ids=str)
async def test_in_ascii_nothing_else_is_on_any_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    with ModelServer(says(ANSWER), says("- it was asked for three things")) as server:
        async with sitting(server, tmp_path, size=size, characters="ascii", keep_recent=0) as person:
            assert strangers(person) == set()
            await person.say("tell me")
            await person.conductor.command("pin", "a line")
            await person.sees("Three things")
            assert strangers(person) == set()
            await person.press("f4")
            await person.sees("it was asked for")
            await person.press("a")
            await person.sees("old messages merged")
            assert strangers(person) == set()
            for keys, words in (
                (("f3",) if size != LARGE else (), "Context"),
                (("f1",), "Help"),
                (("f2",), "Sessions"),
                (("f9",), "Settings"),
                (("ctrl+p",), "/help"),
                (("ctrl+f", "x"), "Enter next"),
                (("/", "c"), "/compact"),
            ):
                await person.press(*keys)
                await person.sees(words)
                assert strangers(person) == set(), keys
                await person.press("escape")
                await person.until(lambda: len(person.app.screen_stack) == 1)
                await person.press("ctrl+u")


async def test_plain_says_the_gauge_and_every_state_in_words(tmp_path: Path) -> None:
    with ModelServer(says("yes"), says("- it was asked")) as server:
        async with sitting(server, tmp_path, plain=True, keep_recent=0, context_window=8192) as person:
            await person.sees("model fake-model")
            await person.say("are you there?")
            await person.sees("of 8,192 tokens")
            assert "context " in person.seen.split("\n")[-1]
            await person.press("f4")
            await person.sees("after: context")
            await person.press("a")
            await person.sees("2 messages folded")
            await person.press("f3")
            await person.sees("live: v1")
            await person.sees("tokens")
            assert strangers(person) == set()


@pytest.mark.parametrize("key", ["", "f1", "f2", "f3", "f9", "ctrl+f"])
async def test_plain_has_no_borders_bars_or_columns(tmp_path: Path, key: str) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path, plain=True) as person:
            await person.say("are you there?")
            if key:
                await person.press(key)
                await person.until(lambda: person.app.focused is not person.conductor.prompt)
            drawn = re.compile(r"^\s*[|+]|---|\|\s*$")
            assert [line for line in person.seen.split("\n") if drawn.search(line)] == []
            # One thing under the other: whatever lies over the chat takes the whole width.
            top = person.app.screen
            for selector in (".dialog", "Sidebar.-open", "#chat"):
                for part in top.query(selector):
                    if part.display:
                        assert part.region.width == person.app.size.width, selector


async def test_in_plain_nothing_moves_by_itself(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, plain=True, animation=True) as person:
            activity = person.conductor.screen.query_one("#activity")
            person.conductor.screen._activity.start("waiting", "Esc stops")
            await person.sees("waiting. Esc stops")
            assert activity.auto_refresh is None
            assert person.app.animation_level == "none"
