"""What stands beside a dialog: nothing chopped; and where looks are tried, the chat in them, in whole lines."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.ui import pictures
from tests.ui.pictures import PictureApp
from tests.ui.screen_text import screen_text, sees
from tests.ui.support import LARGE, SMALL, USUAL, until
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.sessions import SessionsScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.widgets.gauge import GaugeBlock

DIALOGS: dict[str, Callable[[], Screen[Any]]] = {
    "preview": pictures.preview,
    "settings": pictures.settings_screen,
    "sessions": lambda: SessionsScreen(pictures.SESSIONS),
    "question": lambda: ConfirmScreen("Quit?", "An answer is being written.", yes="Quit"),
    "field": lambda: TextPromptScreen("Pin a line", "It stays."),
    "list": lambda: PickScreen("Pins", [Choice("a", "a pin")]),
}


async def laid_over(app: PictureApp, pilot: Pilot[Any], screen: Screen[Any]) -> None:
    """The screen is over a chat that is full of words."""
    await until(lambda: bool(app.chat.query(GaugeBlock)), pilot)
    app.fill()
    app.push_screen(screen)
    await until(lambda: screen.is_current and bool(screen.query(".dialog, Input")), pilot)
    await pilot.pause()


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
@pytest.mark.parametrize("name", DIALOGS)
async def test_beside_a_dialog_stand_no_chopped_words(name: str, size: tuple[int, int]) -> None:
    app = PictureApp()
    async with app.run_test(size=size) as pilot:
        screen = DIALOGS[name]()
        await laid_over(app, pilot, screen)
        inside = screen.query_one(".dialog").region
        for y, strip in enumerate(screen._compositor.render_strips()):
            if inside.y <= y < inside.bottom:
                beside = strip.crop(0, inside.x).text + strip.crop(inside.right, strip.cell_length).text
                assert not beside.strip(), f"{beside!r} beside row {y}"
            else:
                assert not strip.text.strip()


async def test_beside_the_palette_stand_no_chopped_words() -> None:
    app = PictureApp()
    async with app.run_test(size=LARGE) as pilot:
        await laid_over(app, pilot, PaletteScreen())
        await pilot.press(*"undo-comp")
        await sees(pilot, "/undo-compact")
        assert "playground" not in screen_text(app)


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
async def test_where_looks_are_tried_the_chat_stands_above_in_whole_lines(size: tuple[int, int]) -> None:
    app = PictureApp()
    async with app.run_test(size=size) as pilot:
        names = sorted(app.available_themes)
        screen = PickScreen("Themes", [Choice(each, each) for each in names], highlighted=lambda name: None)
        await laid_over(app, pilot, screen)
        inside = screen.query_one(".dialog").region
        assert (inside.x, inside.width, inside.bottom) == (0, size[0], size[1])
        assert inside.y >= size[1] // 3
        assert "clamp" in screen_text(app).lower()
        assert screen.query_one(Input).has_focus
        assert names[0] in screen_text(app)
