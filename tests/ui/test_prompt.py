from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.ui.prompt_app import PromptApp
from tests.ui.screen_text import screen_text, sees
from tests.ui.support import press_at_once
from tui_agent.ui.bursts import TYPED_AHEAD, Bursts
from tui_agent.ui.widgets.prompt import MOST_BLINKS, MOST_ROWS
from tui_agent.ui.widgets.prompt_area import PromptArea


@asynccontextmanager
async def prompting(size: tuple[int, int] = (60, 20)) -> AsyncIterator[tuple[PromptApp, Pilot[Any]]]:
    app = PromptApp()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def paste(app: PromptApp, pilot: Pilot[Any], text: str) -> None:
    app.post_message(events.Paste(text))
    await pilot.pause()


async def test_enter_sends_and_other_keys_make_new_lines() -> None:
    async with prompting() as (app, pilot):
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c", "alt+enter", "d")
        assert app.posted.sent == []
        await pilot.press("enter")
        assert app.posted.sent == ["a\nb\nc\nd"]
        assert app.prompt.text == ""


async def test_blank_text_is_not_sent() -> None:
    async with prompting() as (app, pilot):
        await pilot.press("space", "ctrl+j", "enter")
        assert app.posted.sent == []


@pytest.mark.parametrize(
    "pasted",
    [
        "line1\nline2\nline3",
        "def f():\r\n\treturn 1\r\n",
        "/home/ana/app.py:45 why does this fail?",
        "/tmp",
        "//not a comment",
        "/unknowncmd hello",
        "trailing newline\n",
        "中文\n🙂👩‍👩‍👧",
        "[/x] [bold] [@click=app.quit]x[/]",
    ],
)
async def test_a_paste_is_not_sent_before_enter_and_then_whole(pasted: str) -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, pasted)
        assert app.posted.sent == []
        await pilot.press("enter")
        assert app.posted.sent == [pasted.replace("\r\n", "\n")]


@pytest.mark.parametrize("pasted", ["x" * 1_000_000, "row\n" * 20_000], ids=["one line", "many lines"])
async def test_a_huge_paste_is_a_chip_at_once_and_is_sent_whole(pasted: str) -> None:
    async with prompting() as (app, pilot):
        began = perf_counter()
        await paste(app, pilot, pasted)
        await pilot.press("o", "k")
        assert perf_counter() - began < 3
        assert app.prompt.text.startswith("[Pasted ")
        await sees(pilot, "[Pasted ")
        await pilot.press("enter")
        assert app.posted.sent == [pasted + "ok"]


async def test_a_chip_is_deleted_whole_and_undo_brings_it_back() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "y" * 3000)
        await pilot.press("backspace")
        assert app.prompt.text == ""
        await pilot.press("ctrl+z", "enter")
        assert app.posted.sent == ["y" * 3000]


async def test_the_cursor_steps_over_a_chip_and_never_stands_inside() -> None:
    async with prompting() as (app, pilot):
        await pilot.press("a")
        await paste(app, pilot, "y" * 3000)
        await pilot.press("b", "left", "left")
        assert app.prompt.cursor_location == (0, 1)
        await pilot.press("right")
        assert app.prompt.cursor_location == (0, len(app.prompt.text) - 1)
        await pilot.press("left", "delete")
        assert app.prompt.text == "ab"


EDITS = ["ctrl+x", "ctrl+k", "ctrl+u", "ctrl+w", "ctrl+f", "ctrl+d", "ctrl+shift+k", "delete", "backspace"]


@pytest.mark.parametrize("key", EDITS)
@pytest.mark.parametrize("text", ["", "one", "one\ntwo", "one\n", "x" * 3000])
async def test_every_key_that_deletes_works_at_both_ends(text: str, key: str) -> None:
    async with prompting() as (app, pilot):
        for place in ("ctrl+home", "ctrl+end"):
            app.prompt.text = ""
            await paste(app, pilot, text)
            before = app.prompt.text
            await pilot.press(place, key, key, key)
            assert len(app.prompt.text) <= len(before)


async def test_cutting_without_a_selection_takes_the_line() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "one\ntwo")
        await pilot.press("ctrl+x")
        assert app.prompt.text == "one\n"
        await pilot.press("up", "ctrl+x")
        assert app.prompt.text == ""


async def test_deleting_a_word_of_a_chip_deletes_the_chip() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "y" * 3000)
        await pilot.press("ctrl+w")
        assert app.prompt.text == ""


async def test_a_chip_opens_into_its_text() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "word " * 600)
        assert app.prompt.chip_at_cursor()
        await pilot.pause()
        mark = app.posted.opened[0]
        assert app.prompt.paste_of(mark) == "word " * 600
        app.prompt.open_chip(mark)
        assert app.prompt.text == "word " * 600


async def test_a_chip_that_is_gone_by_then_opens_into_nothing() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "word " * 600)
        mark = app.prompt.text
        app.prompt.write("something else")
        app.prompt.open_chip(mark)
        assert app.prompt.text == "something else"


async def test_escape_sequences_in_a_paste_are_shown_and_not_obeyed() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "\x1b]52;c;ZWNobyBoaQ==\x07ok\x1b[2J\u202eabc\x9b31m")
        assert not set("\x1b\x07\x9b\u202e") & set(screen_text(app))
        assert "ok" in app.prompt.text


async def test_it_grows_with_its_text_up_to_ten_rows() -> None:
    async with prompting() as (app, pilot):
        borders = app.prompt.gutter.height
        assert app.prompt.outer_size.height == 1 + borders
        await pilot.press("a", "ctrl+j", "b")
        assert app.prompt.outer_size.height == 2 + borders
        await paste(app, pilot, "word " * 60)
        await pilot.pause()
        grown = app.prompt.outer_size.height
        assert 2 + borders < grown <= MOST_ROWS + borders
        await paste(app, pilot, "\n" * 30)
        await pilot.pause()
        assert app.prompt.outer_size.height == MOST_ROWS + borders


async def test_up_and_down_walk_through_what_was_sent_and_back_to_what_was_being_written() -> None:
    async with prompting() as (app, pilot):
        app.prompt.remember(["first", "second\nof two lines"])
        await pilot.press(*"new", "up")
        assert app.prompt.text == "second\nof two lines"
        await pilot.press("up", "up")
        assert app.prompt.text == "first"
        await pilot.press("up")
        assert app.prompt.text == "first"
        await pilot.press("down", "down")
        assert app.prompt.text == "new"
        await pilot.press("down")
        assert app.prompt.text == "new"


async def test_up_moves_inside_a_text_of_several_lines_first() -> None:
    async with prompting() as (app, pilot):
        app.prompt.remember(["earlier"])
        await pilot.press("a", "ctrl+j", "b", "up")
        assert app.prompt.text == "a\nb"
        await pilot.press("up")
        assert app.prompt.text == "earlier"


async def test_an_edited_recollection_is_a_text_of_its_own() -> None:
    async with prompting() as (app, pilot):
        app.prompt.remember(["one", "two"])
        await pilot.press("up", "x")
        assert app.prompt.text == "twox"
        await pilot.press("up")
        assert app.prompt.text == "two"


async def test_a_slash_offers_commands_and_enter_runs_the_highlighted_one() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"/und")
        await sees(pilot, "undo the last compaction")
        await pilot.press("enter")
        await pilot.pause()
        assert app.posted.sent == ["/undo-compact"]
        assert "undo the last compaction" not in screen_text(app)


async def test_tab_completes_without_running_and_leaves_room_for_an_argument() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"/comp", "tab")
        assert app.prompt.text == "/compact "
        await pilot.press(*"ports", "enter")
        assert app.posted.sent == ["/compact ports"]


async def test_down_moves_the_highlight_and_not_the_history() -> None:
    async with prompting() as (app, pilot):
        app.prompt.remember(["earlier"])
        await pilot.press(*"/se", "down", "enter")
        await pilot.pause()
        assert app.posted.sent == ["/search"]


@pytest.mark.parametrize(("begun", "sent"), [("!", "!ls"), ("/hel", "/help"), ("/", "/zzz")])
async def test_enter_takes_no_letter_along_that_was_typed_behind_it(begun: str, sent: str) -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*begun)
        assert app.prompt.completing
        press_at_once(app, *sent[len(begun) :], "enter", "x", "y")
        await pilot.pause()
        assert (app.posted.sent, app.prompt.text) == ([sent], "xy")


async def test_enter_takes_no_file_for_a_name_that_has_gone_on() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"see @f")
        app.query_one(PromptArea).offer_files("f", ["first.py", "found.py"])
        assert app.prompt.completing
        press_at_once(app, "o", "enter", "x")
        await pilot.pause()
        assert (app.posted.sent, app.prompt.text) == (["see @fo"], "x")


@pytest.mark.parametrize(
    ("before", "typed", "sent", "left"),
    [
        ("", "one\rtwo\rthr", ["one", "two"], "thr"),
        ("", "one\r\ntwo\r", ["one", "two"], ""),
        ("say ", "one\r!!two\r", ["say one", "!!two"], ""),
        ("", "one\ntwo\r", ["one\ntwo"], ""),
        ("!", "touch P1\rtouch P2", [], "!touch P1\ntouch P2"),
        ("!rm -r build", "\rsrc\r", [], "!rm -r build\nsrc\n"),
        ("/approve ", "all\rgamma", [], "/approve all\ngamma"),
    ],
)
async def test_lines_that_came_at_once_are_sent_only_where_none_runs_anything(
    before: str, typed: str, sent: list[str], left: str
) -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*before)
        marked = Bursts().marked(typed)
        assert marked.endswith(f"{TYPED_AHEAD}\x1b[201~")
        await paste(app, pilot, marked.removeprefix("\x1b[200~").removesuffix("\x1b[201~"))
        assert (app.posted.sent, app.prompt.text) == (sent, left)


async def test_a_command_that_is_completed_by_what_is_typed_before_it_is_not_run_either() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"approve all", "home")
        await paste(app, pilot, f"/\rfoo{TYPED_AHEAD}")
        assert (app.posted.sent, app.prompt.text) == ([], "/\nfooapprove all")


async def test_a_command_that_needs_an_argument_waits_for_it() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"/att", "enter")
        assert app.posted.sent == []
        assert app.prompt.text == "/attach "


async def test_the_popup_closes_when_the_word_is_no_command_any_more() -> None:
    async with prompting() as (app, pilot):
        await pilot.press(*"/tm")
        assert not app.prompt.completing
        await pilot.press("enter")
        assert app.posted.sent == ["/tm"]


async def test_end_of_input_on_an_empty_prompt_wants_to_leave() -> None:
    async with prompting() as (app, pilot):
        await pilot.press("ctrl+d", "ctrl+r", "ctrl+g")
        assert app.posted.wishes == ["leave", "search", "editor"]


async def test_wide_letters_and_emoji_are_edited_as_letters() -> None:
    async with prompting() as (app, pilot):
        await paste(app, pilot, "中文🙂")
        await pilot.press("backspace", "left", "backspace")
        assert app.prompt.text == "文"


async def test_the_cursor_stands_still_when_nobody_types_and_blinks_again_with_the_next_key() -> None:
    async with prompting() as (app, pilot):
        await pilot.press("a")
        for _ in range(MOST_BLINKS + 1):
            app.prompt._toggle_cursor_blink_visible()
        assert not app.prompt.blink_timer._active.is_set()
        assert app.prompt._cursor_visible
        await pilot.press("b")
        assert app.prompt.blink_timer._active.is_set()
