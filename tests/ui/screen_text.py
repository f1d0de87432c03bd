"""What a person sees: the screen of a running app as plain lines."""

import asyncio
from typing import Any

from textual.app import App
from textual.pilot import Pilot


def screen_lines(app: App[Any]) -> list[str]:
    """The lines of the screen on top as they are drawn, without trailing blanks."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    """The screen on top as it is drawn, line by line."""
    return "\n".join(screen_lines(app))


async def sees(pilot: Pilot[Any], words: str, *, seconds: float = 10.0) -> None:
    """Wait until these words are on the screen."""
    deadline = asyncio.get_running_loop().time() + seconds
    while words not in screen_text(pilot.app):
        assert asyncio.get_running_loop().time() < deadline, f"{words!r} never appeared in:\n{screen_text(pilot.app)}"
        await pilot.pause()
