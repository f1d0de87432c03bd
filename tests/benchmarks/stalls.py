"""How long the loop that takes keys and draws was ever kept from it, while the program does what it does all day.

A task beside the app asks for its turn every millisecond; what its thread has computed between two turns is a stall,
and so is the time that went by on the wall. The app runs in this process, without a terminal, the endpoint in another.
"""

import asyncio
import gc
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from textual import events
from textual.pilot import Pilot

from tests.benchmarks.figures import Figure
from tests.benchmarks.sessions import UNFOLDED, entries, last_words, store_all
from tests.benchmarks.streaming import answer
from tests.benchmarks.terminal import SIZE, NeverSeen, serving
from tests.ui.screen_text import screen_text
from tui_agent.settings import Settings
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.conductor import Conductor

_MANY = 1_000
_APPENDED = 200
_APPEND, _KEY, _BLOCK = 20.0, 50.0, 250.0
"""Milliseconds: for what goes on beside, for what a key waits for, and once, for a block of millions of characters."""

_TURN_SECONDS, _KEY_SECONDS, _LOOK_SECONDS, _LOOKS = 0.001, 0.03, 0.2, 300
_PIECE = 2_000


@dataclass
class Stalls:
    """The longest so far, in milliseconds."""

    computed: float = 0.0
    waited: float = 0.0

    async def watch(self) -> None:
        while True:
            computed, began = thread_time(), perf_counter()
            await asyncio.sleep(_TURN_SECONDS)
            self.computed = max(self.computed, (thread_time() - computed) * 1e3)
            self.waited = max(self.waited, (perf_counter() - began - _TURN_SECONDS) * 1e3)


Work = Callable[[Conductor, Pilot[Any]], Awaitable[Stalls]]


@asynccontextmanager
async def _watched() -> AsyncIterator[Stalls]:
    stalls = Stalls()
    watching = asyncio.create_task(stalls.watch())
    try:
        yield stalls
    finally:
        watching.cancel()


async def _until(is_so: Callable[[], bool]) -> None:
    """Wait, looking seldom, so that the looking is no stall."""
    for _look in range(_LOOKS):
        if is_so():
            return
        await asyncio.sleep(_LOOK_SECONDS)
    raise NeverSeen("what was waited for has not come")


async def _type(pilot: Pilot[Any], text: str) -> None:
    """As a terminal sends it: the pilot's own keys wait until nothing is computed, and the watching never rests."""
    for character in text:
        pilot.app.post_message(events.Key("space" if character == " " else character, character))
        await asyncio.sleep(_KEY_SECONDS)


async def _append(conductor: Conductor, pilot: Pilot[Any]) -> Stalls:
    """Messages, in which exact details are looked for meanwhile; somebody types, so no search for garbage is due."""
    session = conductor.view.session
    assert session is not None
    messages = [*islice(entries(_APPENDED + UNFOLDED, seed=2), _APPENDED)]
    async with _watched() as stalls:
        for message in messages:
            conductor.show_events(await session.append(message))
            await _type(pilot, "a")
        assert session.details.search is not None, "so many messages are searched"
        await session.details.search
    return stalls


async def _search(conductor: Conductor, pilot: Pilot[Any]) -> Stalls:
    await conductor.command("search-all", "")
    await pilot.pause()
    async with _watched() as stalls:
        await _type(pilot, "the answer with code")
        await asyncio.sleep(_LOOK_SECONDS)
    return stalls


async def _export(conductor: Conductor, pilot: Pilot[Any]) -> Stalls:
    async with _watched() as stalls:
        await conductor.command("export", "page.html")
        await _until((conductor.services.directory / "page.html").exists)
    return stalls


async def _stream(conductor: Conductor, pilot: Pilot[Any]) -> Stalls:
    conductor.prompt.add("go on")
    before = conductor.view.last_seq
    async with _watched() as stalls:
        await pilot.press("enter")
        await _until(lambda: conductor.view.last_seq >= before + 2 and not conductor.desk.is_busy)
    return stalls


async def _stalls(work: Work, data: Path, url: str) -> Stalls:
    settings = Settings(base_url=url, model="fake-model", data_dir=str(data), embedded="off", tools=False)
    app = TuiAgentApp(settings, directory=data, resume="many")
    gc.disable()  # as the command line does; the app looks for garbage in its own way
    async with app.run_test(size=SIZE) as pilot:
        await _until(lambda: last_words(_MANY) in screen_text(app))
        conductor = app._conductor
        assert isinstance(conductor, Conductor)
        await _until(lambda: conductor.services.bench is not None)
        await asyncio.sleep(_LOOK_SECONDS)
        return await work(conductor, pilot)


def _reply(text: str) -> dict[str, object]:
    """What the endpoint says, in pieces as large as a fast one sends them."""
    return {"strict": False, "default": {"pieces": [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]}}


def _block(characters: int) -> str:
    line = "    value = compute(value, other=[1, 2, 3])  # a line of a very long program\n"
    return "```python\n" + line * (characters // len(line)) + "```"


_SCENES: tuple[tuple[str, Work, str, float], ...] = (
    (f"{_APPENDED} messages are appended", _append, "", _APPEND),
    ("a search is typed, all sessions", _search, "", _KEY),
    (f"a session of {_MANY:,} messages is exported as a page", _export, "", _KEY),
    ("50,000 characters of Markdown arrive", _stream, answer(50_000), _KEY),
    ("a code block of 2,400,000 characters arrives", _stream, _block(2_400_000), _BLOCK),
)


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    figures = []
    for told, work, text, goal in _SCENES:
        found = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as name, serving(Path(name), _reply(text)) as url:
                store_all(Path(name), {"many": _MANY})
                found.append(asyncio.run(_stalls(work, Path(name), url)))
        scenario, against = f"longest stall while {told}", f"{goal:.0f} ms"
        figures += [
            Figure.of(f"{scenario}, CPU", [each.computed for each in found], "ms", goal, against),
            Figure.of(f"{scenario}, wall", [each.waited for each in found], "ms", goal, against),
        ]
    return figures
