"""Two keys that are read at once never close two screens, nor the program, whatever screen lies over the chat."""

import asyncio
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Input, Static

import tui_agent.ui
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, says
from tests.ui.support import press_at_once, sitting
from tui_agent.agent.proposals import Wish
from tui_agent.ui.screens.approval import ApprovalScreen
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.screens.modal import AnsweredOnce, Modal
from tui_agent.ui.screens.preview import PreviewScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen


def over_the_chat() -> Iterator[type[Screen[Any]]]:
    """Every screen of ours but the chat itself, and but those that only others are made from."""
    for module in pkgutil.walk_packages(tui_agent.ui.__path__, "tui_agent.ui."):
        for name, kind in vars(import_module(module.name)).items():
            is_ours = isinstance(kind, type) and issubclass(kind, Screen) and kind.__module__ == module.name
            if is_ours and name == kind.__name__ and not issubclass(kind, ChatScreen):
                yield kind


SCREENS = sorted(
    (kind for kind in over_the_chat() if any("modal" in each.__name__.lower() for each in kind.__mro__)),
    key=lambda kind: kind.__qualname__,
)


def bare(kind: type[Screen[Any]]) -> Screen[Any]:
    """Such a screen with nothing on it, so that it can be made without what it would show."""

    class Bare(kind):  # type: ignore[misc, valid-type]
        AUTO_FOCUS = None

        def __init__(self) -> None:
            Screen.__init__(self)
            self._modal = True

        def compose(self) -> Iterator[Any]:
            yield from ()

        def on_mount(self, event: events.Mount) -> None:
            event.prevent_default()

        _on_mount = on_mount

        def _on_unmount(self, event: events.Unmount) -> None:
            event.prevent_default()

        def on_resize(self, event: events.Resize) -> None:
            event.prevent_default()

    screen: Screen[Any] = Bare()
    return screen


def test_the_screens_are_found() -> None:
    assert {ApprovalScreen, TextPromptScreen} < set(SCREENS)
    assert len(SCREENS) > 12


@pytest.mark.parametrize("kind", SCREENS, ids=lambda kind: kind.__name__)
async def test_a_screen_is_closed_once_and_lets_no_key_through(kind: type[Screen[Any]]) -> None:
    assert issubclass(kind, AnsweredOnce)
    app: App[None] = App()
    async with app.run_test() as pilot:
        under, over = TextPromptScreen("under"), bare(kind)
        await app.push_screen(under)
        await app.push_screen(over)
        under.dismiss("not asked yet")
        assert app.screen is over
        over.dismiss(None)
        over.dismiss(None)
        assert app.screen is under
        escape = events.Key("escape", None)
        escape._set_forwarded()
        await over.on_event(escape)
        over.post_message(Input.Submitted(under.query_one(Input), "again"))
        await pilot.pause()
        assert app.screen is under


async def test_what_lies_over_a_screen_that_is_taken_away_goes_with_it() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        answers: list[str | None] = []
        under, over = TextPromptScreen("under"), TextPromptScreen("over")
        await app.push_screen(under, answers.append)
        await app.push_screen(over, answers.append)
        under.take_away()
        assert len(app.screen_stack) == 1
        under.take_away()
        assert len(app.screen_stack) == 1
        await pilot.pause()
        assert answers == [None, None]


@pytest.mark.parametrize("command", ["/rename", "/sessions", "/theme", "/edit", "/settings", "/help"])
@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_the_same_key_twice_at_once_leaves_the_chat(tmp_path: Path, command: str, key: str) -> None:
    with ModelServer(says("one")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.send(command)
            await person.until(lambda: person.app.screen is not person.conductor.screen)
            press_at_once(person.app, key, key, "ctrl+l")
            await person.pilot.pause()
            assert person.conductor.screen in person.app.screen_stack
            assert person.app.is_running


@pytest.mark.parametrize("keys", [("y", "enter", "y", "enter"), ("n", "enter", "n", "enter"), ("x", "enter", "enter")])
async def test_an_approval_is_answered_once(tmp_path: Path, keys: tuple[str, ...]) -> None:
    (tmp_path / "ws").mkdir()
    asks = says(tool_calls=[Call("run_command", {"command": "true"})])
    with ModelServer(asks, says("done")) as server:
        async with sitting(server, tmp_path / "data", directory=tmp_path / "ws", tools=True) as person:
            await person.send("go")
            await person.until(lambda: isinstance(person.app.screen, ApprovalScreen))
            screen = person.app.screen
            assert isinstance(screen, ApprovalScreen)
            screen._deaf_until = 0.0
            press_at_once(person.app, *keys)
            await person.sees("done")
            assert person.app.screen is person.conductor.screen


class Filled(Modal[None]):
    """Fills its widgets as soon as it is there."""

    def compose(self) -> ComposeResult:
        yield Static(id="words")

    def on_mount(self) -> None:
        self.query_one("#words", Static).update("words")


@pytest.mark.parametrize("turns", range(6))
async def test_a_screen_that_is_taken_away_as_it_comes_up_ends_nothing(turns: int) -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = Filled()
        app.push_screen(screen)
        for _ in range(turns):
            await asyncio.sleep(0)
        screen.take_away()
        await pilot.pause()
        assert screen not in app.screen_stack
        app.push_screen(Filled())
        await pilot.pause()
        assert isinstance(app.screen, Filled)


async def test_a_second_f4_in_the_same_moment_ends_nothing(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("- words were said [1]")) as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("one", "two", "three", "four")
            for turns in range(0, 24, 4):
                person.conductor.compact(Wish())
                for _ in range(turns):
                    await asyncio.sleep(0)
                person.conductor.compact(Wish())
                await person.until(lambda: isinstance(person.app.screen, PreviewScreen))
                await person.press("escape")
                await person.until(lambda: len(person.app.screen_stack) == 1)
