"""One request and its answer: streamed as events, kept in the log whatever happens to it."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from tui_agent.agent.actions import ActionReader, in_words, response_format
from tui_agent.agent.connection import tell_of_revival
from tui_agent.agent.partial import PartialKeeper
from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.context.fold import Context
from tui_agent.core.entries import AssistantSaid, Interrupted, Noticed, Reasoning
from tui_agent.core.events import (
    AnswerRestarted,
    Event,
    ReasoningArrived,
    RequestSent,
    RetryScheduled,
    TextArrived,
)
from tui_agent.errors import ModelError, RequestRefused, ToolsRefused
from tui_agent.language import _
from tui_agent.model.events import ReasoningPiece, Replied, Reply, Restarted, Retrying, TextPiece, partial_of
from tui_agent.model.wire import Request

EMBEDDED_TEMPERATURE = 0.2
"""Measured: at 0.7 the smallest model sometimes refuses to answer from its own summary, at 0.2 it never did."""

_NOT_UNDERSTOOD = (400, 404, 415, 422, 500, 501)
"""Statuses of an endpoint that does not know structured output."""


def _unstructured() -> RequestRefused:
    error = RequestRefused(_("The endpoint offers no structured output."))
    error.status = 400
    return error


class Exchange:
    """A request and what has arrived of its answer so far."""

    def __init__(self, bench: Workbench, session: Session, *, words_only: bool = False) -> None:
        """With `words_only` a model that is held to actions is left none but to reply."""
        self._bench = bench
        self._session = session
        self._words_only = words_only
        self._text = ""
        self._reasoning = ""
        self._keeper = PartialKeeper(session, self._partial)
        self._started = time.monotonic()
        self.said: AssistantSaid | None = None
        """The answer as it was logged; None while there is none."""

    async def run(self) -> AsyncGenerator[Event, None]:
        """Send the session's context, stream the answer, log it.

        A model that refuses tools is asked for actions in their place, and if that fails too, without any. An answer
        that breaks off is logged as incomplete before the error is raised.

        Raises:
            ModelError: the endpoint gave no whole answer.
        """
        for event in await self._revive():
            yield event
        while self.said is None:
            calling = self._bench.calling
            try:
                async with aclosing(self._stream()) as events:
                    async for event in events:
                        yield event
                return
            except ToolsRefused:
                self._bench.calling = "actions"
            except RequestRefused as error:
                if calling != "actions" or self._bench.actions_work or error.status not in _NOT_UNDERSTOOD:
                    raise
                for event in await self._leave_tools_out():
                    yield event
            if self._text or self._reasoning:
                yield AnswerRestarted()

    async def _revive(self) -> list[Event]:
        """An embedded model that has died is started again."""
        await self._bench.connection.revive()
        return await tell_of_revival(self._bench.connection, self._session)

    async def _stream(self) -> AsyncGenerator[Event, None]:
        context = self._session.context()
        self._text = self._reasoning = ""
        reader = ActionReader() if self._bench.calling == "actions" and context.tools else None
        request = self._request(context, reader is not None)
        yield RequestSent(request.model)
        try:
            async with aclosing(self._bench.connection.client.stream(request)) as pieces:
                async for piece in pieces:
                    match piece:
                        case TextPiece(text):
                            if shown := self._read(text, reader):
                                yield TextArrived(shown)
                        case ReasoningPiece(text):
                            self._reasoning += text
                            self._keeper.arrived()
                            yield ReasoningArrived(text)
                        case Restarted(text, reasoning):
                            reader = ActionReader() if reader is not None else None
                            self._text, self._reasoning = "", reasoning
                            yield AnswerRestarted(self._read(text, reader), reasoning)
                        case Retrying(attempt, seconds, reason):
                            yield RetryScheduled(attempt, seconds, reason)
                        case Replied(reply):
                            async with aclosing(self._replied(reply, reader, context.tokens)) as events:
                                async for event in events:
                                    yield event
                            return
        except ModelError as error:
            partial = partial_of(error)
            if partial is not None and (partial.text.strip() or partial.reasoning):
                kept = partial if reader is None else reader.reply(partial)
                for event in await self._log(replace(kept, finish=None, tool_calls=()), context.tokens):
                    yield event
            raise
        finally:
            await self._keeper.stop()

    def _request(self, context: Context, as_actions: bool) -> Request:
        native = context.tools if not as_actions else ()
        messages = context.messages if native else in_words(context.messages, context.tools)
        return Request(
            messages,
            self._bench.connection.model,
            tools=native,
            temperature=self._temperature(),
            max_tokens=self._bench.settings.max_tokens,
            response_format=response_format(() if self._words_only else context.tools) if as_actions else None,
        )

    def _read(self, text: str, reader: ActionReader | None) -> str:
        """Take a piece of the answer, to be kept before it is told; the words of it that are for the user."""
        if reader is not None:
            if not self._bench.actions_work and "response_format" in self._bench.connection.client.quirks.dropped:
                raise _unstructured()
            text = reader.feed(text)
        self._text += text
        self._keeper.arrived()
        return text

    async def _replied(self, reply: Reply, reader: ActionReader | None, estimated: int) -> AsyncGenerator[Event, None]:
        """Log the whole answer; one that should have been an action is taken for what it is."""
        if reader is not None:
            reply = reader.reply(reply)
            for event in await self._learn(reader, reply):
                yield event
            if reply.text != self._text:
                yield AnswerRestarted(reply.text, self._reasoning)
        for event in await self._log(reply, estimated):
            yield event

    async def _learn(self, reader: ActionReader, reply: Reply) -> list[Event]:
        """Whether the model keeps to actions, found out once. Told by its first whole answer."""
        if self._bench.actions_work or reply.finish in ("length", "content_filter"):
            return []
        if not reader.is_action:
            return await self._leave_tools_out()
        self._bench.actions_work = True
        return await self._session.append(
            Noticed(_("This model has no tool calls of its own; its answers are held to a form in which it can act."))
        )

    async def _leave_tools_out(self) -> list[Event]:
        self._bench.calling = "none"
        return await self._session.append(Noticed(_("This model takes no tools; it is asked without them."), "warning"))

    def _temperature(self) -> float | None:
        chosen = self._bench.settings.temperature
        return EMBEDDED_TEMPERATURE if chosen is None and self._bench.connection.embedded is not None else chosen

    async def keep_partial(self, reason: str) -> None:
        """Log what had arrived when the turn was stopped; nothing when the answer is logged or had not begun."""
        partial = Reply(text=self._text, reasoning=Reasoning(self._reasoning) if self._reasoning else None)
        if self.said is None and (self._text.strip() or self._reasoning.strip()):
            await self._log(partial, 0)
        await self._session.append(Interrupted(reason))

    async def _log(self, reply: Reply, estimated: int) -> list[Event]:
        await self._keeper.stop()
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
        return await self._session.keep(self.said)

    def _partial(self) -> AssistantSaid:
        reasoning = Reasoning(self._reasoning) if self._reasoning else None
        return AssistantSaid(self._text, reasoning, finish=None, model=self._bench.connection.model)
