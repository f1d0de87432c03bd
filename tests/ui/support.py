"""Driving the app in tests: a person at the keyboard, a scripted endpoint, an archive in a temporary directory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App
from textual.events import Key
from textual.pilot import Pilot

from tests.fakes.desk import settings_for
from tests.fakes.model_server import ModelServer
from tests.ui.screen_text import screen_text
from tui_agent.agent.session import Session
from tui_agent.core.entries import AssistantSaid, Entry, TextPart, UserSaid
from tui_agent.settings import Origin
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.conductor import Conductor

PATIENCE = 10.0
"""Seconds after which what a test waits for will not come any more."""

LARGE, USUAL, SMALL = (120, 40), (80, 24), (60, 20)


async def until(is_so: Callable[[], bool], pilot: Pilot[Any]) -> None:
    """Let the app work until something is so."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not is_so():
        assert asyncio.get_running_loop().time() < deadline, f"it never came to that: {is_so}"
        await pilot.pause()
        await asyncio.sleep(0.002)
    await pilot.pause()


def press_at_once(app: App[Any], *keys: str) -> None:
    """Keys that were read together."""
    for key in keys:
        app.post_message(Key(key, {"enter": "\r"}.get(key, key if len(key) == 1 else None)))


@dataclass
class Sitting:
    """A person sitting before the app."""

    app: TuiAgentApp
    pilot: Pilot[Any]
    server: ModelServer

    @property
    def conductor(self) -> Conductor:
        conductor = self.app._conductor
        assert isinstance(conductor, Conductor)
        return conductor

    @property
    def session(self) -> Session:
        """The session that is open; there is one as soon as the app is ready for the first key."""
        session = self.conductor.view.session
        assert session is not None
        return session

    @property
    def prompt_text(self) -> str:
        return self.conductor.prompt.text

    @property
    def seen(self) -> str:
        return screen_text(self.app)

    async def until(self, is_so: Callable[[], bool]) -> None:
        await until(is_so, self.pilot)

    async def sees(self, words: str) -> None:
        """Wait until these words are on the screen."""
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while words not in self.seen:
            assert asyncio.get_running_loop().time() < deadline, f"{words!r} never appeared in:\n{self.seen}"
            await self.pilot.pause()
            await asyncio.sleep(0.005)

    async def is_told(self, words: str) -> None:
        """Wait until a toast says these words, wherever its lines break."""
        await self.until(lambda: any(words in each.message for each in self.app._notifications))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Put text into the prompt as a paste would."""
        self.conductor.prompt.add(text)
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        """Write and press Enter; the answer is not waited for. A command is closed against completion first."""
        await self.type(text)
        if self.conductor.prompt.completing:
            await self.press("escape")
        await self.press("enter")

    async def has_said(self, *texts: str) -> None:
        """The session holds these messages, each answered, as if they had been said in it."""
        entries: list[Entry] = []
        for text in texts:
            entries += [UserSaid((TextPart(text),)), AssistantSaid("OK, noted.", model="fake-model")]
        self.conductor.show_events(await self.session.append(*entries))
        await self.until(lambda: self.conductor.view.last_seq == self.session.checkpoint.seq)

    async def say(self, text: str) -> None:
        """Send a message and wait for the end of its turn."""
        await self.send(text)
        await self.until(lambda: not self.conductor.desk.waiting and not self.conductor.desk.is_busy)


@asynccontextmanager
async def sitting(
    server: ModelServer,
    data: Path,
    *,
    size: tuple[int, int] = LARGE,
    directory: Path | None = None,
    resume: str | None = None,
    prompt: str = "",
    origin: Origin | None = None,
    **changes: Any,
) -> AsyncIterator[Sitting]:
    """The app, connected and ready for the first key."""
    settings = settings_for(server, data, **{"animation": False, **changes})
    app = TuiAgentApp(settings, directory=directory or data, resume=resume, prompt=prompt, origin=origin)
    async with app.run_test(size=size, notifications=True) as pilot:
        sat = Sitting(app, pilot, server)
        await until(lambda: app._conductor is not None and sat.conductor.view.session is not None, pilot)
        await until(lambda: sat.conductor.services.bench is not None or sat.conductor.screen.is_unconfigured, pilot)
        yield sat
