"""What slash commands, keys and the palette have done, by subject. Each handler takes the chat and an argument."""

from collections.abc import Mapping

from tui_agent.ui.conductor import Handler
from tui_agent.ui.handlers import looks, memory, models, sessions, settings, writing

HANDLERS: Mapping[str, Handler] = {
    **looks.HANDLERS,
    **memory.HANDLERS,
    **models.HANDLERS,
    **sessions.HANDLERS,
    **settings.HANDLERS,
    **writing.HANDLERS,
}
"""By name: every slash command, and what only keys and widgets ask for."""
