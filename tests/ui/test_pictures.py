"""Pictures of every state of the screen: at three sizes, in two themes, in two languages.

`pytest tests/ui/test_pictures.py --snapshot-update` draws them again (`make snapshots`); the picture is the assertion,
so each one that changes is looked at. The states are listed in `tests/ui/scenes`.
"""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from tests.ui.drawing import draw
from tests.ui.pictures import ENGLISH, PictureApp
from tests.ui.pictures_zh import CHINESE
from tests.ui.scenes import STATES, Scene, State
from tests.ui.support import LARGE, SMALL, USUAL
from tui_agent.settings import speak
from tui_agent.ui.theme import DARK, LIGHT

SIZES = {"120x40": LARGE, "80x24": USUAL, "60x20": SMALL}
STORIES = {"en": ENGLISH, "zh": CHINESE}

of_every_state = pytest.mark.parametrize("state", STATES, indirect=True)
at_every_size = pytest.mark.parametrize("size", SIZES)


class Picture(SingleFileSnapshotExtension):
    """One file for each picture: `test_english[chat-120x40-dark].svg`."""

    _file_extension = "svg"
    _write_mode = WriteMode.TEXT

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        return f"{test_location.snapshot_name.removesuffix(']')}-{index}]"


@pytest.fixture
def picture(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Compared with what is drawn: `picture(name=theme) == svg`."""
    return snapshot.use_extension(Picture)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> State:
    """The state of this name, its environment made."""
    wanted = STATES[request.param]
    for name, value in wanted.environ.items():
        monkeypatch.setenv(name, value)
    return wanted


@asynccontextmanager
async def reached(state: State, size: str, theme: str, language: str) -> AsyncIterator[tuple[PictureApp, Scene]]:
    """An app in a state."""
    speak(language, {})
    story = STORIES[language]
    app = PictureApp(theme=theme, story=story, look=state.look)
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        scene = Scene(app, pilot, story)
        await scene.begin()
        if state.is_filled:
            await scene.fill()
        await state.reach(scene)
        await scene.settle()
        yield app, scene


@at_every_size
@of_every_state
async def test_english(picture: SnapshotAssertion, state: State, size: str) -> None:
    async with reached(state, size, DARK.name, "en") as (app, scene):
        assert picture(name="dark") == draw(app)
        light = None if state.starts_anew else await in_light(app, scene)
    if light is None:
        async with reached(state, size, LIGHT.name, "en") as (app, _):
            light = draw(app)
    assert picture(name="light") == light


async def in_light(app: PictureApp, scene: Scene) -> str:
    app.theme = LIGHT.name
    await scene.settle()
    return draw(app)


@pytest.mark.parametrize("size", ["80x24"])
@of_every_state
async def test_chinese(picture: SnapshotAssertion, state: State, size: str) -> None:
    async with reached(state, size, DARK.name, "zh") as (app, _):
        assert picture(name="dark") == draw(app)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["120x40", "60x20"])
@of_every_state
async def test_chinese_large_and_small(picture: SnapshotAssertion, state: State, size: str) -> None:
    async with reached(state, size, DARK.name, "zh") as (app, _):
        assert picture(name="dark") == draw(app)


@pytest.mark.slow
@at_every_size
@pytest.mark.parametrize("state", [name for name, each in STATES.items() if not each.starts_anew], indirect=True)
async def test_what_is_started_in_a_theme_looks_like_what_has_changed_to_it(state: State, size: str) -> None:
    async with reached(state, size, LIGHT.name, "en") as (app, _):
        started = draw(app)
    async with reached(state, size, DARK.name, "en") as (app, scene):
        assert await in_light(app, scene) == started
