"""How the tests of this package ask: one question to a scripted endpoint, and all that came of it."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.model_server import ModelServer
from tui_agent.core.messages import Message
from tui_agent.errors import ModelError
from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import (
    ModelEvent,
    ReasoningPiece,
    Replied,
    Reply,
    Restarted,
    Retrying,
    TextPiece,
    partial_of,
)
from tui_agent.model.patience import Watchdogs
from tui_agent.model.wire import Request

QUESTION = (Message("system", "Be brief."), Message("user", "What is it?"))


@dataclass(slots=True)
class Outcome:
    """What a person would have seen, and how it ended."""

    events: list[ModelEvent] = field(default_factory=list)
    error: ModelError | None = None

    @property
    def text(self) -> str:
        """The answer as it stands on the screen at the end."""
        shown = ""
        for event in self.events:
            match event:
                case TextPiece(text):
                    shown += text
                case Restarted(text, _):
                    shown = text
        return shown

    @property
    def reasoning(self) -> str:
        shown = ""
        for event in self.events:
            match event:
                case ReasoningPiece(text):
                    shown += text
                case Restarted(_, reasoning):
                    shown = reasoning
        return shown

    @property
    def retries(self) -> list[Retrying]:
        return [event for event in self.events if isinstance(event, Retrying)]

    @property
    def reply(self) -> Reply:
        """The whole answer; fails if there is none."""
        last = self.events[-1] if self.events else None
        assert isinstance(last, Replied), self.error or self.events
        return last.reply

    @property
    def partial(self) -> Reply:
        """What had arrived of an answer that broke off."""
        assert self.error is not None, self.events
        partial = partial_of(self.error)
        assert partial is not None, self.error
        return partial


class Pauses:
    """Waits for no time at all and remembers how long it should have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_of(server: ModelServer, **more: Any) -> ModelClient:
    """A client that does not really wait between retries."""
    more.setdefault("pause", Pauses())
    more.setdefault("watchdogs", Watchdogs(first=20, next=20))
    endpoint = more.pop("endpoint", None) or Endpoint(server.url, api_key=more.pop("key", ""))
    return ModelClient(endpoint, **more)


async def outcome_of(client: ModelClient, request: Request) -> Outcome:
    outcome = Outcome()
    try:
        async with aclosing(client.stream(request)) as events:
            async for event in events:
                outcome.events.append(event)
    except ModelError as error:
        outcome.error = error
    return outcome


async def asked(
    server: ModelServer, messages: Sequence[Message] = QUESTION, *, client: ModelClient | None = None, **request: Any
) -> Outcome:
    """Ask once and close the client, unless one is given."""
    own = client or client_of(server)
    try:
        return await outcome_of(own, Request(tuple(messages), "fake-model", **request))
    finally:
        if client is None:
            await own.aclose()
