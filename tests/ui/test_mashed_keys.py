"""Keys and sizes that come faster than a screen comes up, or goes, end nothing and hang nothing."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import OptionList, Static

from tests.fakes.model_server import ModelServer
from tests.ui.support import press_at_once, sitting, until
from tests.ui.test_modals import SCREENS, bare
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.timers import ring_in_any_case

HURRIED = ["pageup", "pagedown", "ctrl+home", "ctrl+end", "home", "end", "up", "down", "enter"]


@pytest.mark.parametrize("opener", ["ctrl+p", "f2", "f9"])
async def test_a_list_that_is_not_laid_out_yet_takes_any_key(tmp_path: Path, opener: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            for key in ("pageup", "pagedown", "end", "enter"):
                for turns in (0, 5):
                    press_at_once(person.app, opener)
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    press_at_once(person.app, key, key)
                    await person.pilot.pause()
                    while len(person.app.screen_stack) > 1:
                        person.app.screen.dismiss(None)
                    await person.pilot.pause()


@pytest.mark.parametrize("key", HURRIED)
async def test_the_palette_takes_any_key_while_nothing_is_listed(key: str) -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        palette = PaletteScreen()
        await app.push_screen(palette)
        listed = palette.query_one(OptionList)
        with listed.prevent(OptionList.OptionHighlighted):
            listed.clear_options().add_options(["one", "two"]).highlighted = 0
        listed.display = False
        await pilot.press(key)
        assert app.is_running


@pytest.mark.parametrize("kind", SCREENS, ids=lambda kind: kind.__name__)
async def test_nothing_acts_on_a_screen_that_has_not_come_up_or_is_closed(kind: type[Screen[Any]]) -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = bare(kind)
        actions = {binding.action for bindings in screen._bindings.key_to_bindings.values() for binding in bindings}
        coming = app.push_screen(screen)
        assert [action for action in actions if "." not in action and await app.run_action(action, screen)] == []
        await coming
        assert screen.check_action("close", ())
        screen.dismiss(None)
        assert [action for action in actions if "." not in action and await app.run_action(action, screen)] == []
        await pilot.pause()


@pytest.mark.parametrize("kind", [ChatScreen, TextPromptScreen])
async def test_two_sizes_that_wait_for_a_screen_are_not_told_in_turn_for_ever(kind: type[Screen[Any]]) -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = ChatScreen() if kind is ChatScreen else TextPromptScreen("words")
        await app.push_screen(screen)
        await pilot.pause()
        sizes: list[Size] = []

        def laid_out(_screen: Screen[Any]) -> None:
            sizes.append(screen.size)
            if len(sizes) < 50:  # without something between them, Textual takes the two for one
                screen.call_later(len, sizes)

        screen.screen_layout_refresh_signal.subscribe(app, laid_out, immediate=True)
        for size in Size(32, 19), Size(26, 4):
            app._size = size
            screen.post_message(Resize(size, size))
            screen.call_later(len, sizes)
        await until(lambda: screen.size == Size(26, 4), pilot)
        await pilot.pause()
        assert len(sizes) < 10
        assert Size(32, 19) not in sizes


async def test_a_timer_whose_time_has_gone_by_before_it_is_waited_for_rings_all_the_same() -> None:
    ring_in_any_case()
    app: App[None] = App()
    async with app.run_test() as pilot:
        rung: list[str] = []
        app.set_timer(1e-9, lambda: rung.append("once"))
        await until(lambda: bool(rung), pilot)
        await pilot.pause()
        assert rung == ["once"]


async def test_the_application_rings_so_from_its_start_and_follows_every_size(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            assert not person.app.set_timer(60, str)._skip
            assert person.app.set_interval(60, str)._skip
            for size in (32, 19), (26, 4), (100, 30):
                await person.pilot.resize_terminal(*size)
                await person.until(partial(lambda size: person.app.screen.size == size, Size(*size)))


class Measured(Modal[None]):
    """Looks at its widgets once they are painted."""

    def compose(self) -> ComposeResult:
        yield Static(id="words")

    def on_resize(self) -> None:
        self.call_after_refresh(self._measure)

    def _measure(self) -> None:
        self.query_one("#words")


async def test_what_was_to_be_done_after_the_next_picture_is_not_done_on_a_closed_screen() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        for turns in range(60):
            screen = Measured()
            app.push_screen(screen)
            for _ in range(turns):
                await asyncio.sleep(0)
            screen.take_away()
            await pilot.pause()
