"""What keeps an app still for a picture, so that the same state is always the same picture.

A test takes the `snap_compare` fixture of pytest-textual-snapshot and asserts
`snap_compare(app, terminal_size=size, run_before=still(prepare))`. Accepted pictures are renewed with
`pytest --snapshot-update` and looked at before they are committed.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

THEMES = ("tui-agent-dark", "tui-agent-light")

Prepare = Callable[[Pilot[Any]], Awaitable[None] | None]


def still(prepare: Prepare, *, theme: str = THEMES[0]) -> Prepare:
    """What brings an app into the state to be taken: `prepare`, in a theme, with nothing moving or blinking."""

    async def prepared(pilot: Pilot[Any]) -> None:
        pilot.app.theme = theme
        pilot.app.animation_level = "none"
        await pilot.pause()
        done = prepare(pilot)
        if inspect.isawaitable(done):
            await done
        await pilot.app.workers.wait_for_complete()
        for screen in pilot.app.screen_stack:
            for field in screen.query(Input):
                field.cursor_blink = False
            for area in screen.query(TextArea):
                area.cursor_blink = False
        await pilot.pause()

    return prepared
