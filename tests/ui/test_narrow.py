"""What a narrow terminal must still show: the words that are sought, and every key that is named."""

from dataclasses import replace

import pytest
from textual.app import App, ComposeResult

from tests.ui.pictures import GAUGE, PictureApp
from tests.ui.screen_text import screen_lines, screen_text, sees
from tests.ui.support import until
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.key_hints import KeyHints
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.widgets.status_bar import Status, StatusBar

KEYS = "Enter open · n new · f fork · r rename · a put away · d delete · h here · z away"


class Narrow(App[None]):
    def compose(self) -> ComposeResult:
        yield KeyHints(KEYS)


class Squeezed(App[None]):
    def compose(self) -> ComposeResult:
        yield Rows("one", "two", "three")


@pytest.mark.parametrize("key", ["pagedown", "pageup"])
async def test_in_a_list_without_room_for_a_row_page_keys_do_nothing(key: str) -> None:
    app = Squeezed()
    async with app.run_test(size=(1, 1)) as pilot:
        rows = app.query_one(Rows)
        rows.highlighted = 1
        await pilot.press(key)
        assert rows.highlighted == 1
        await pilot.resize_terminal(20, 10)
        await pilot.press(key)
        await until(lambda: rows.highlighted == {"pagedown": 2, "pageup": 0}[key], pilot)


@pytest.mark.parametrize("width", [36, 60, 80, 200])
async def test_every_key_that_is_named_is_on_the_screen_in_one_piece(width: int) -> None:
    app = Narrow()
    async with app.run_test(size=(width, 20)) as pilot:
        await sees(pilot, "Enter open")
        for key in KEYS.split(" · "):
            assert any(key in line for line in screen_lines(app)), key


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (40, "4 hits"),
        (60, "4 hits · 2 further up · Enter next"),
        (99, "4 hits · 2 further up · Enter next · Tab all sessions"),
    ],
)
async def test_what_is_sought_stands_beside_how_often_it_was_found(width: int, said: str) -> None:
    app = PictureApp()
    async with app.run_test(size=(width, 20)) as pilot:
        await until(lambda: bool(app.chat.query(FindBar)), pilot)
        bar = app.chat.query_one(FindBar)
        bar.add_class("-open")
        bar.begin("twelve chars")
        await pilot.pause()
        bar.show_count(4, older=2)
        await sees(pilot, said)
        assert "twelve chars" in screen_text(app)
        bar.show_count(4, at=3)
        await sees(pilot, "3 of 4 hits")


@pytest.mark.parametrize("tokens", [5_100, 8_420])
@pytest.mark.parametrize("width", [36, 40, 59, 60, 72, 80, 120])
async def test_a_mode_in_which_not_all_is_asked_is_on_the_status_bar_at_every_width(width: int, tokens: int) -> None:
    app = PictureApp()
    async with app.run_test(size=(width, 20)) as pilot:
        await until(lambda: bool(app.chat.query(StatusBar)), pilot)
        bar = app.chat.query_one(StatusBar)
        bar.show_gauge(replace(GAUGE, tokens=tokens))
        bar.show_status(Status("a-model-with-a-long-name-70b-instruct", "api.example.org", ready=True, approval="all"))
        await until(lambda: "approve: all" in screen_lines(app)[-1], pilot)
        assert "k/8.2k" in screen_lines(app)[-1]
        assert ("a-model" in screen_lines(app)[-1]) is (width >= 60)


async def test_the_key_of_the_help_comes_back_when_everything_is_asked_again() -> None:
    app = PictureApp()
    async with app.run_test(size=(60, 20)) as pilot:
        await until(lambda: bool(app.chat.query(StatusBar)), pilot)
        bar = app.chat.query_one(StatusBar)
        bar.show_status(Status("m", ready=True, approval="all"))
        await until(lambda: "F1 help" not in screen_lines(app)[-1], pilot)
        bar.show_status(Status("m", ready=True))
        await until(lambda: "F1 help" in screen_lines(app)[-1], pilot)
