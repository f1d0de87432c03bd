"""One picture of each state of the screen. `pytest tests/ui/test_pictures.py --snapshot-update` takes them anew."""

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.ui import pictures
from tests.ui.pictures import PictureApp
from tests.ui.support import LARGE, SMALL, USUAL, until
from tui_agent.settings import Settings
from tui_agent.ui.screens.approval import ApprovalScreen
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.preview import PreviewScreen
from tui_agent.ui.screens.session_rows import SessionRow
from tui_agent.ui.screens.sessions import SessionsScreen, delete_question
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.theme import LIGHT
from tui_agent.ui.widgets.gauge import GaugeBlock
from tui_agent.ui.widgets.lines_view import LinesView
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.prompt_area import PromptArea
from tui_agent.ui.widgets.start_card import StartCard

Before = Callable[[Pilot[Any]], Awaitable[None]]
SIZES = {"120x40": LARGE, "80x24": USUAL, "60x20": SMALL}

every_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def filled(pilot: Pilot[Any]) -> None:
    app = pilot.app
    assert isinstance(app, PictureApp)
    await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
    app.fill()
    await pilot.pause()


def after_filling(*keys: str, then: Callable[[PictureApp], object] = lambda app: None) -> Before:
    async def before(pilot: Pilot[Any]) -> None:
        await filled(pilot)
        assert isinstance(pilot.app, PictureApp)
        then(pilot.app)
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    return before


def in_modal(*keys: str, is_ready: Callable[[PictureApp], bool] = lambda app: True) -> Before:
    async def before(pilot: Pilot[Any]) -> None:
        await filled(pilot)
        app = pilot.app
        assert isinstance(app, PictureApp)
        app.open_modal()
        await pilot.pause()
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await until(lambda: is_ready(app), pilot)
        await pilot.press(*keys)
        await pilot.pause()

    return before


def has_proposal(app: PictureApp) -> bool:
    return isinstance(app.screen, PreviewScreen) and "after" in str(app.screen.query_one("#preview-figures").render())


def has_peeked(app: PictureApp) -> bool:
    return bool(app.screen.query_one("#sessions-peek", LinesView).lines)


@every_size
def test_chat(snap_compare: Any, size: tuple[int, int]) -> None:
    assert snap_compare(PictureApp(), terminal_size=size, run_before=after_filling(*"write a test"))


def test_chat_light(snap_compare: Any) -> None:
    app = PictureApp(theme=LIGHT.name)
    assert snap_compare(app, terminal_size=LARGE, run_before=after_filling(*"write a test"))


def test_empty_chat(snap_compare: Any) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, PictureApp)
        await until(lambda: bool(app.chat.query(Prompt)), pilot)
        app.chat.prompt.cursor_blink = False
        await pilot.pause()

    assert snap_compare(PictureApp(), terminal_size=USUAL, run_before=before)


def test_start_card(snap_compare: Any) -> None:
    def explain(app: PictureApp) -> None:
        card = app.chat.query_one(StartCard)
        command = 'pip install "tui-agent[local]"'
        card.explain("No model is configured.", "There is no key and no local server.", "Choose one of these:", command)
        app.chat.is_unconfigured = True
        app.chat.is_empty = True

    assert snap_compare(PictureApp(), terminal_size=USUAL, run_before=after_filling(then=explain))


def test_completion_and_queue(snap_compare: Any) -> None:
    def queue(app: PictureApp) -> None:
        app.chat.query_one(PromptArea).show_waiting(("and then write a test", "[/x] too"))

    assert snap_compare(PictureApp(), terminal_size=USUAL, run_before=after_filling(*"/co", then=queue))


def test_panel_over_the_chat(snap_compare: Any) -> None:
    before = after_filling(then=lambda app: app.chat.show_panel(True))
    assert snap_compare(PictureApp(), terminal_size=USUAL, run_before=before)


@every_size
def test_preview(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(pictures.preview())
    assert snap_compare(app, terminal_size=size, run_before=in_modal(is_ready=has_proposal))


def test_preview_light(snap_compare: Any) -> None:
    app = PictureApp(pictures.preview(), theme=LIGHT.name)
    assert snap_compare(app, terminal_size=LARGE, run_before=in_modal("l", "plus", is_ready=has_proposal))


def test_preview_of_what_changed(snap_compare: Any) -> None:
    app = PictureApp(pictures.preview())
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal("d", is_ready=has_proposal))


def test_preview_of_what_is_left_out_on_a_small_terminal(snap_compare: Any) -> None:
    app = PictureApp(pictures.preview())
    assert snap_compare(app, terminal_size=SMALL, run_before=in_modal("l", "plus", is_ready=has_proposal))


def test_approval_of_a_command(snap_compare: Any) -> None:
    app = PictureApp(ApprovalScreen(pictures.COMMAND))
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal())


def test_approval_of_a_change(snap_compare: Any) -> None:
    app = PictureApp(ApprovalScreen(pictures.DIFF))
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal())


@every_size
def test_sessions(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(SessionsScreen(pictures.SESSIONS))
    assert snap_compare(app, terminal_size=size, run_before=in_modal(is_ready=has_peeked))


def test_deleting_a_session(snap_compare: Any) -> None:
    row = SessionRow("a", "Refactor the parser", "", 14)
    assert snap_compare(PictureApp(delete_question(row)), terminal_size=USUAL, run_before=in_modal())


def test_help(snap_compare: Any) -> None:
    assert snap_compare(PictureApp(HelpScreen({})), terminal_size=USUAL, run_before=in_modal())


def test_a_list_to_choose_from(snap_compare: Any) -> None:
    choices = [Choice("a", "qwen2.5-0.5b", "in use"), Choice("b", "qwen2.5-1.5b"), Choice("c", "[/x] odd")]
    app = PictureApp(PickScreen("Models", choices, explanation="window 8.2k (embedded)"))
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal())


def test_a_line_to_write(snap_compare: Any) -> None:
    app = PictureApp(TextPromptScreen("Write it again", "What should the summary pay attention to?", value="ports"))
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal())


@every_size
def test_settings(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(pictures.settings_screen())
    assert snap_compare(app, terminal_size=size, run_before=in_modal(*"/screen", "down"))


def test_sessions_found_by_what_was_said(snap_compare: Any) -> None:
    app = PictureApp(SessionsScreen(pictures.SESSIONS))
    assert snap_compare(app, terminal_size=LARGE, run_before=in_modal(*"/parser", is_ready=has_peeked))


PLAIN, ASCII = Settings(plain=True), Settings(characters="ascii", animation=False)


@every_size
def test_plain_chat(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(look=PLAIN)
    assert snap_compare(app, terminal_size=size, run_before=after_filling(*"write a test"))


def test_plain_preview(snap_compare: Any) -> None:
    app = PictureApp(pictures.preview(), look=PLAIN)
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal(is_ready=has_proposal))


@every_size
def test_ascii_chat(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(look=ASCII)
    assert snap_compare(app, terminal_size=size, run_before=after_filling(*"write a test"))


def test_chat_without_colours(snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(PictureApp(), terminal_size=LARGE, run_before=after_filling(*"write a test"))
