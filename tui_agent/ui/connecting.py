"""Finding a model to talk to; while there is none, the start card says what can be done."""

import asyncio
from collections.abc import Callable

from tui_agent.agent.connection import has_local_model
from tui_agent.agent.services import Services
from tui_agent.errors import ModelError, NothingConfigured
from tui_agent.language import _
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.start_card import StartCard

WATCH_SECONDS = 3.0
"""From one look for a local server to the next."""


async def find_model(services: Services, screen: ChatScreen, *, stay: bool = False) -> bool:
    """Connect, saying what is being done; with `stay` to the same place as before.

    False when nothing is configured, so that a local server should be taken as soon as there is one.
    """
    activity = screen.query_one(ActivityLine)
    activity.start(_("looking for a model"))
    try:
        connection = await services.connect(lambda words: activity.start(safe(words, single_line=True)), stay=stay)
    except ModelError as error:
        command = error.command if isinstance(error, NothingConfigured) else ""
        todo = "" if command else error.todo
        screen.query_one(StartCard).explain(error.what, error.meaning, todo, command)
        screen.is_unconfigured = True
        return not isinstance(error, NothingConfigured)
    finally:
        activity.stop()
    if screen.is_unconfigured:  # the card goes away, and with it the place of the keys
        screen.query_one(Prompt).focus()
    screen.is_unconfigured = False
    if connection.warning:
        screen.notify(safe(connection.warning), severity="warning", timeout=12, markup=False)
    return True


async def local_model_appears(then: Callable[[], object]) -> None:
    """Wait until a local server has a model, then call `then`."""
    while not await has_local_model():  # noqa: ASYNC110 - the world outside sets no event
        await asyncio.sleep(WATCH_SECONDS)
    then()
