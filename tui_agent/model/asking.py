"""What a model is asked through, as those see it who ask; the client itself takes time to load."""

from collections.abc import AsyncGenerator
from typing import Protocol

from tui_agent.model.events import ModelEvent
from tui_agent.model.listing import ModelInfo
from tui_agent.model.quirks import Quirks
from tui_agent.model.wire import Request


class Asking(Protocol):
    """One endpoint: `client.ModelClient`, which says what each of these raises, or what stands in for it."""

    quirks: Quirks
    """What the endpoint was found to refuse so far."""

    def stream(self, request: Request) -> AsyncGenerator[ModelEvent, None]:
        """Ask, and yield the answer; `Replied` is the last event."""
        ...

    async def models(self) -> list[ModelInfo]:
        """The models that can be asked."""
        ...

    async def aclose(self) -> None: ...
