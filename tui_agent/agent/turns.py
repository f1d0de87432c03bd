"""The way to turns, whose module takes time to load: most of a start needs none, and without a model there is none."""

import asyncio
from collections.abc import AsyncGenerator
from importlib import import_module
from typing import Protocol

from tui_agent.core.entries import Part
from tui_agent.core.events import Event


class Answering(Protocol):
    """A turn, as whoever begins it sees it: `agent.turn.Turn`."""

    is_left: bool

    def say(self, parts: tuple[Part, ...]) -> AsyncGenerator[Event, None]: ...

    def retry(self) -> AsyncGenerator[Event, None]: ...

    def edit(self, seq: int, parts: tuple[Part, ...]) -> AsyncGenerator[Event, None]: ...

    def resume(self) -> AsyncGenerator[Event, None]: ...


async def load() -> None:
    """Import what a turn takes, in a thread, so that nobody waits for it once something is said."""
    await asyncio.to_thread(import_module, "tui_agent.agent.turn")
