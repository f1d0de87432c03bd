"""The screens in Chinese, pictured: every word is looked up, and nothing is pushed out of its place."""

from typing import Any

import pytest

from tests.ui import pictures
from tests.ui.pictures import PictureApp
from tests.ui.pictures_zh import CHINESE
from tests.ui.support import LARGE, USUAL
from tests.ui.test_pictures import after_filling, has_peeked, in_modal, utc
from tui_agent.settings import speak
from tui_agent.ui.screens.approval import ApprovalScreen
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.screens.preview import PreviewScreen
from tui_agent.ui.screens.sessions import SessionsScreen
from tui_agent.ui.widgets.start_card import StartCard

__all__ = ["utc"]

both_sizes = pytest.mark.parametrize("size", [LARGE, USUAL], ids=["120x40", "80x24"])


@pytest.fixture(autouse=True)
def chinese(isolated: object) -> None:
    speak("zh", {})


def has_proposal(app: PictureApp) -> bool:
    return isinstance(app.screen, PreviewScreen) and "之后" in str(app.screen.query_one("#preview-figures").render())


@both_sizes
def test_chat(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(story=CHINESE)
    assert snap_compare(app, terminal_size=size, run_before=after_filling(*"写一个测试"))


def test_empty_chat(snap_compare: Any) -> None:
    def empty(app: PictureApp) -> None:
        app.chat.is_empty = True

    assert snap_compare(PictureApp(story=CHINESE), terminal_size=USUAL, run_before=after_filling(then=empty))


def test_start_card(snap_compare: Any) -> None:
    def explain(app: PictureApp) -> None:
        card = app.chat.query_one(StartCard)
        card.explain("没有配置模型。", "没有密钥，也没有本地服务。", "请选择：", 'pip install "tui-agent[local]"')
        app.chat.is_unconfigured = True
        app.chat.is_empty = True

    assert snap_compare(PictureApp(story=CHINESE), terminal_size=USUAL, run_before=after_filling(then=explain))


def test_completion(snap_compare: Any) -> None:
    assert snap_compare(PictureApp(story=CHINESE), terminal_size=USUAL, run_before=after_filling(*"/co"))


def test_panel_over_the_chat(snap_compare: Any) -> None:
    before = after_filling(then=lambda app: app.chat.show_panel(True))
    assert snap_compare(PictureApp(story=CHINESE), terminal_size=USUAL, run_before=before)


@both_sizes
def test_preview(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(pictures.preview(CHINESE), story=CHINESE)
    assert snap_compare(app, terminal_size=size, run_before=in_modal(is_ready=has_proposal))


@both_sizes
def test_approval(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(ApprovalScreen(pictures.COMMAND), story=CHINESE)
    assert snap_compare(app, terminal_size=size, run_before=in_modal())


@both_sizes
def test_help(snap_compare: Any, size: tuple[int, int]) -> None:
    assert snap_compare(PictureApp(HelpScreen({}), story=CHINESE), terminal_size=size, run_before=in_modal("pagedown"))


def test_sessions(snap_compare: Any) -> None:
    app = PictureApp(SessionsScreen(pictures.SESSIONS), story=CHINESE)
    assert snap_compare(app, terminal_size=USUAL, run_before=in_modal(is_ready=has_peeked))
