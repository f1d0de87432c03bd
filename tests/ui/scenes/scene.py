"""A state is a function that leads a `Scene` to it: `@state()` lists it, under its name.

From then on there is a picture of it at each size, in each theme, in each language.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from tests.ui.drawing import draw
from tests.ui.pictures import PictureApp, Story
from tests.ui.screen_text import screen_text
from tests.ui.support import until
from tui_agent.core.events import Event
from tui_agent.language import _
from tui_agent.settings import Settings
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.gauge import GaugeBlock
from tui_agent.ui.widgets.prompt_area import PromptArea


@dataclass
class Scene:
    """An app that is led into a state."""

    app: PictureApp
    pilot: Pilot[Any]
    story: Story

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    async def begin(self) -> None:
        """The chat is there, and nothing was said."""
        await self.until(lambda: bool(self.chat.query(GaugeBlock) and self.chat.query("#prompt")))
        self.chat.query_one(ActivityLine).clock = lambda: 0.0

    async def fill(self) -> None:
        """Put the session on the screen."""
        self.app.fill()
        await self.pilot.pause()

    async def until(self, is_so: Callable[[], bool]) -> None:
        await until(is_so, self.pilot)

    async def sees(self, words: str) -> None:
        await self.until(lambda: words in screen_text(self.app))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def open(self, screen: Screen[Any]) -> None:
        """Lay a screen over the chat."""
        self.app.push_screen(screen)
        await self.until(lambda: screen.is_current)

    def apply(self, *events: Event) -> None:
        """Let something happen in the session."""
        for event in events:
            self.chat.transcript.apply(event)

    def has_been(self, words: str) -> None:
        """Something has been going on for twelve seconds."""
        activity = self.chat.query_one(ActivityLine)
        activity.start(words, _("Esc stops"))
        activity.clock = lambda: 12.0

    @property
    def prompt_area(self) -> PromptArea:
        return self.chat.query_one(PromptArea)

    async def settle(self) -> None:
        """Nothing moves or blinks any more."""
        for screen in self.app.screen_stack:
            for line in screen.query(Input):
                line.cursor_blink = False
            for area in screen.query(TextArea):
                area.cursor_blink = False
        for worker in [each for each in self.app.workers if each.node is self.chat.transcript]:
            await worker.wait()  # colours
        shown = ""
        while shown != (shown := draw(self.app)):
            await self.pilot.pause()


Reach = Callable[[Scene], Awaitable[None]]
STILL = Settings(animation=False)


@dataclass(frozen=True, slots=True)
class State:
    """One state of the screen."""

    reach: Reach
    look: Settings = STILL
    environ: Mapping[str, str] = field(default_factory=dict)
    is_filled: bool = True
    """Whether the session is on the screen when it is led there."""

    starts_anew: bool = False
    """Whether it does not change its looks with the theme, as what Textual brings itself."""


STATES: dict[str, State] = {}


def state(
    *, is_filled: bool = True, starts_anew: bool = False, environ: Mapping[str, str] | None = None, **look: Any
) -> Callable[[Callable[[Scene], Awaitable[None]]], None]:
    """Have pictures taken of what a function leads to.

    Args:
        is_filled: whether the session is on the screen when it begins.
        starts_anew: whether it has to be reached again in another theme.
        environ: variables of the environment the app is started in.
        look: settings the app is started with.
    """

    def listed(reach: Callable[[Scene], Awaitable[None]]) -> None:
        name = getattr(reach, "__name__", "")
        assert name not in STATES, name
        STATES[name] = State(reach, replace(STILL, **look), environ or {}, is_filled, starts_anew)

    return listed
