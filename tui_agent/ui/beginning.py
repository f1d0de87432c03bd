"""Puts together what acts for the chat. Importing this is slow; it is done after the first paint."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from tui_agent.agent.services import Services
from tui_agent.archive import Archive
from tui_agent.settings import Origin, Settings
from tui_agent.ui.conductor import Conductor, Opening
from tui_agent.ui.handlers import HANDLERS
from tui_agent.ui.screens.chat import ChatScreen


def conductor_for(
    screen: ChatScreen,
    settings: Settings,
    directory: Path | None,
    resume: str | None,
    prompt: str,
    *,
    origin: Origin | None = None,
    open_archive: Callable[[Path], Awaitable[Archive]] = Archive.open,
) -> Conductor:
    """A conductor over services of its own; nothing has been opened yet."""
    services = Services(settings, directory=directory, open_archive=open_archive, origin=origin)
    return Conductor(screen, services, HANDLERS, Opening(resume, prompt))
