"""Text from outside is shown as it is: never markup, never an action, never an escape sequence."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, refuses, says
from tests.ui.support import sitting

MARKUP = [
    "[/",
    "[/]",
    "[/some/path]",
    "[bold",
    "with z [b + 3",
    "[data: /m?id=bbb-609b-]",
    "arr[i][j]",
    "[x] done",
    "[$accent]",
    "[@click=app.quit]x[/]",
    "\\[",
    "[[/test.md]]",
    "[link=http://x]y[/link]",
    "[red]oops[/red]",
    "$primary",
]
"""Bracket soup; each has ended or altered some program."""

ESCAPES = [
    "before\x1b[2J\x1b[Hafter",
    "\x1b]52;c;ZWNobyBoaQ==\x07ok",
    "\x1b]0;title\x07ok",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x9b31mred",
    "a\rb",
    "ab\b\bcd",
    "\x1b]never ended",
    "nul\x00bell\x07",
    "\u202egnp.exe",
    "rm -rf x \x1b[8m hidden",
    "lone \udc80 surrogate",
]

OBEYED = set("\x1b\x9b\x07\x00\x08\r\u202e")
EVERYTHING = " ".join(MARKUP)


async def test_a_title_is_shown_as_it_is_in_the_title_row_and_in_the_list(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            for text in MARKUP:
                await person.conductor.command("rename", text)
                await person.sees(f"─ {' '.join(text.split())}")
            await person.conductor.command("rename", "[/x] [@click=app.quit]q[/]")
            await person.press("f2")
            await person.sees("● [/x] [@click=app.quit]q[/]")
            await person.pilot.click("OptionList", offset=(8, 0))
            assert not person.app._exit


async def test_pins_are_shown_as_they_are_in_the_panel_and_the_preview(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            for text in ("[/", "[bold", "[@click=app.quit]x[/]"):
                await person.conductor.command("pin", text)
                await person.sees(f"▪ {text}")
            await person.press("f4")
            await person.sees("Pins stay, word for word")


@pytest.mark.parametrize("words", [EVERYTHING, "\x1b[2J" + ESCAPES[1]])
async def test_toasts_show_what_they_are_given(tmp_path: Path, words: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.screen.tell(words[:50])
            await person.sees(words[:3] if words.startswith("[") else "␛[2J")
            assert not OBEYED & set(person.seen)


async def test_the_model_is_named_as_it_is(tmp_path: Path) -> None:
    name = "[/x]\x1b[2J [bold]m"
    with ModelServer(models=(name,)) as server:
        async with sitting(server, tmp_path, model=name) as person:
            await person.sees("[/x]␛[2J [bold]m")
            await person.send("/doctor")
            await person.sees("model       [/x]␛[2J [bold]m")
            await person.press("escape")
            await person.send("/model")
            await person.sees("in use")
            assert not OBEYED & set(person.seen)


async def test_a_summary_is_shown_as_it_is(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("Goals:\n- keep [/x] and [@click=app.quit]this[/] \x1b[2J [1]\n")

    with ModelServer(otherwise=reply) as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said(*(f"message {place} [/x] \x1b[8m " * 8 for place in range(8)))
            await person.press("f4")
            await person.sees("stay word for word")
            await person.sees("- keep [/x] and [@click=app.quit]this[/]")
            await person.press("f")
            await person.sees("[/x] ␛[8m")
            await person.press("d", "a")
            await person.sees("Summary · version 1 of 1")
            assert not OBEYED & set(person.seen)


@pytest.mark.parametrize("text", [*MARKUP, *ESCAPES])
async def test_a_command_line_full_of_markup_is_told_about_unharmed(tmp_path: Path, text: str) -> None:
    with ModelServer(otherwise=refuses(400, {"message": text})) as server:
        async with sitting(server, tmp_path) as person:
            await person.conductor.command("theme", text)
            await person.conductor.command("search-all", text)
            await person.pilot.pause()
            assert not OBEYED & set(person.seen)
            assert person.app.is_running


async def test_search_hits_are_shown_as_they_are(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("needle [/x] [@click=app.quit]q[/] \x1b[2J \u202e")
            await person.conductor.command("search-all", "needle")
            await person.sees("needle [/x] [@click=app.quit]q[/] ␛[2J")
            assert not OBEYED & set(person.seen)
