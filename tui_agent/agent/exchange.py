"""One request and its answer: streamed as events, kept in the log whatever happens to it."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.core.codec import entry_to_json
from tui_agent.core.entries import AssistantSaid, Interrupted, Noticed, Reasoning
from tui_agent.core.events import (
    AnswerRestarted,
    Event,
    ReasoningArrived,
    RequestSent,
    RetryScheduled,
    TextArrived,
)
from tui_agent.errors import ModelError, ToolsRefused
from tui_agent.model.events import ReasoningPiece, Replied, Reply, Restarted, Retrying, TextPiece, partial_of
from tui_agent.model.wire import Request

FLUSH_SECONDS = 0.25
"""How far the archive may lag behind a streamed answer: what a power cut can cost at most."""


EMBEDDED_TEMPERATURE = 0.2
"""Measured: at 0.7 the smallest model sometimes refuses to answer from its own summary, at 0.2 it never did."""


class Exchange:
    """A request and what has arrived of its answer so far."""

    def __init__(self, bench: Workbench, session: Session) -> None:
        self._bench = bench
        self._session = session
        self._text = ""
        self._reasoning = ""
        self._flushed = 0.0
        self._started = time.monotonic()
        self.said: AssistantSaid | None = None
        """The answer as it was logged; None while there is none."""

    async def run(self) -> AsyncGenerator[Event, None]:
        """Send the session's context, stream the answer, log it.

        An answer that breaks off is logged as incomplete before the error is raised.

        Raises:
            ModelError: the endpoint gave no whole answer.
        """
        try:
            async with aclosing(self._stream()) as events:
                async for event in events:
                    yield event
        except ToolsRefused:
            self._bench.takes_tools = False
            for event in await self._session.append(Noticed("This model takes no tools; it is asked without them.")):
                yield event
            async with aclosing(self._stream()) as events:
                async for event in events:
                    yield event

    async def _stream(self) -> AsyncGenerator[Event, None]:
        session, connection = self._session, self._bench.connection
        context = session.context()
        request = Request(
            context.messages,
            connection.model,
            tools=context.tools,
            temperature=self._temperature(),
            max_tokens=self._bench.settings.max_tokens,
        )
        yield RequestSent(connection.model)
        await connection.revive()
        try:
            async with aclosing(connection.client.stream(request)) as pieces:
                async for piece in pieces:
                    match piece:
                        case TextPiece(text):
                            self._text += text
                            yield TextArrived(text)
                        case ReasoningPiece(text):
                            self._reasoning += text
                            yield ReasoningArrived(text)
                        case Restarted(text, reasoning):
                            self._text, self._reasoning = text, reasoning
                            yield AnswerRestarted(text, reasoning)
                        case Retrying(attempt, seconds, reason):
                            yield RetryScheduled(attempt, seconds, reason)
                        case Replied(reply):
                            for event in await self._log(reply, context.tokens):
                                yield event
                            return
                    await self._flush()
        except ModelError as error:
            partial = partial_of(error)
            if partial is not None and (partial.text or partial.reasoning):
                for event in await self._log(replace(partial, finish=None, tool_calls=()), context.tokens):
                    yield event
            raise

    def _temperature(self) -> float | None:
        chosen = self._bench.settings.temperature
        return EMBEDDED_TEMPERATURE if chosen is None and self._bench.connection.embedded is not None else chosen

    async def keep_partial(self, reason: str) -> None:
        """Log what had arrived when the turn was stopped; nothing when the answer is logged or had not begun."""
        partial = Reply(text=self._text, reasoning=Reasoning(self._reasoning) if self._reasoning else None)
        if self.said is None and (self._text or self._reasoning):
            await self._log(partial, 0)
        await self._session.append(Interrupted(reason))

    async def _log(self, reply: Reply, estimated: int) -> list[Event]:
        connection = self._bench.connection
        self.said = AssistantSaid(
            text=reply.text,
            reasoning=reply.reasoning,
            tool_calls=reply.tool_calls,
            usage=reply.usage,
            finish=reply.finish,
            model=connection.model,
            endpoint=connection.endpoint.base_url,
            estimated=estimated,
            seconds=round(time.monotonic() - self._started, 3),
        )
        return await self._session.append(self.said)

    async def _flush(self) -> None:
        now = time.monotonic()
        if now - self._flushed >= FLUSH_SECONDS:
            self._flushed = now
            reasoning = Reasoning(self._reasoning) if self._reasoning else None
            partial = AssistantSaid(self._text, reasoning, finish=None, model=self._bench.connection.model)
            await self._session.archive.save_partial(self._session.id, entry_to_json(partial))
