"""Asks a model and yields its answer as it arrives. The caller gets pieces, then the whole, or one named error."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from itertools import count
from typing import Any

from tui_agent.errors import ModelError, ProtocolBroken, Retryable, ServerFailed
from tui_agent.language import _
from tui_agent.model.assemble import ANSWER_CAP, BLANK_CAP, AnswerAssembler
from tui_agent.model.catalogue import fetch_entries
from tui_agent.model.connection import Answer, Connection, Refused, ask, connect
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import ModelEvent, Replied, Retrying
from tui_agent.model.failures import NotRepeated, broken, broken_off, failure_of, not_a_stream, too_blank
from tui_agent.model.listing import ModelInfo, listed
from tui_agent.model.overflow import overflow_in
from tui_agent.model.patience import DEFAULT_WATCHDOGS, Patience, Watchdogs
from tui_agent.model.quirks import NO_QUIRKS, Quirks, adapted
from tui_agent.model.reader import BadStream, ChunkReader, ErrorInStream
from tui_agent.model.think import Sorted
from tui_agent.model.wire import Request, body, names_in

LONGEST_WAIT = 60.0
"""Seconds; an endpoint that wants a longer pause is not asked again by itself."""

MOST_ADAPTATIONS = 6
"""How many refusals in a row may each teach something about an endpoint."""


class ModelClient:
    """One endpoint, asked by any number of streams at a time."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        watchdogs: Watchdogs = DEFAULT_WATCHDOGS,
        retries: int = 3,
        quirks: Quirks = NO_QUIRKS,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.endpoint = endpoint
        self.quirks = quirks
        """What the endpoint was found to refuse so far."""

        self._watchdogs = watchdogs
        self._retries = retries
        self._pause = pause
        self._connection: Connection | None = None
        self._connecting = asyncio.Lock()

    async def stream(self, request: Request) -> AsyncGenerator[ModelEvent, None]:
        """Ask, and yield the answer; `Replied` is the last event. Leaving early closes the connection at once.

        Raises:
            StreamBroken: the answer stopped in the middle; `partial_of(error)` is what had arrived.
            ContextOverflow: the request is longer than the window.
            ModelError: no answer, for any other reason.
        """
        for attempt in count(1):
            try:
                async with aclosing(self._attempt(request)) as events:
                    async for event in events:
                        yield event
                return
            except Retryable as failure:
                seconds = self._pause_before(attempt, failure)
                if seconds is None:
                    raise
                reason = failure.what
            yield Retrying(attempt, seconds, reason)
            await self._pause(seconds)

    async def models(self) -> list[ModelInfo]:
        """The models that the endpoint lists.

        Raises:
            ModelError: it could not be asked.
        """
        client = await ask(self.endpoint, self._watchdogs.connect)
        try:
            return listed(await fetch_entries(client, self.endpoint))
        except Refused as refused:
            raise failure_of(refused.said, self.endpoint) from None
        finally:
            await client.aclose()

    async def aclose(self) -> None:
        """Close what is open; the client can be used again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    def _pause_before(self, attempt: int, failure: Retryable) -> float | None:
        """How long to wait before asking again; None when there is no sense in it."""
        if attempt > self._retries or isinstance(failure, NotRepeated):
            return None
        if failure.retry_after is None:
            return min(0.5 * 2.0 ** (attempt - 1), 8.0)
        return failure.retry_after if failure.retry_after <= LONGEST_WAIT else None

    async def _attempt(self, request: Request) -> AsyncGenerator[ModelEvent, None]:
        connection = await self._connected()
        waiting = Patience(self.endpoint, self._watchdogs)
        answer = await self._open(connection, request, waiting)
        try:
            async with aclosing(self._answered(request, answer, waiting)) as events:
                async for event in events:
                    yield event
        finally:
            await answer.aclose()

    async def _answered(self, request: Request, answer: Answer, waiting: Patience) -> AsyncGenerator[ModelEvent, None]:
        assembler = AnswerAssembler(request.model, self.endpoint.base_url, _ids_in(request))
        reader = ChunkReader()
        failure: ModelError | None = None
        try:
            async with aclosing(_read(answer, reader, assembler, waiting)) as pieces:
                async for piece in pieces:
                    yield piece
        except ErrorInStream as error:
            failure = failure_of(error.said, self.endpoint, request.model, tools=bool(request.tools))
        except BadStream as error:
            failure = not_a_stream(answer.url, answer.content_type, str(error))
        except ModelError as error:
            failure = error
        if failure is None and reader.told is not None:
            failure = failure_of(reader.told, self.endpoint, request.model, tools=bool(request.tools))
        for piece in assembler.flush():
            yield piece
        self._raise_unless_complete(answer, reader, assembler, failure)
        yield Replied(assembler.reply())

    def _raise_unless_complete(
        self, answer: Answer, reader: ChunkReader, assembler: AnswerAssembler, failure: ModelError | None
    ) -> None:
        if assembler.finish is not None:
            return
        if reader.is_whole and failure is None:
            assembler.finish = "stop"
            return
        if assembler.has_begun:
            raise broken(failure, assembler.partial())
        if failure is not None:
            raise failure
        if reader.half:
            raise broken_off(self.endpoint, reader.half)
        if not reader.chunks:
            raise not_a_stream(answer.url, answer.content_type, reader.what_came())
        raise ServerFailed(
            _("{label} ended the answer before its first piece.").format(label=self.endpoint.label), "", _("Try again.")
        )

    async def _open(self, connection: Connection, request: Request, waiting: Patience) -> Answer:
        for _attempt in range(MOST_ADAPTATIONS):
            fields = body(request, self.endpoint, self.quirks)
            try:
                return await waiting.wait_for(connection.open(fields))
            except Refused as refused:
                said = refused.said
            learnt = None if overflow_in(said) else adapted(self.quirks, said, names_in(fields))
            if learnt is None:
                break
            self.quirks = learnt
        raise failure_of(said, self.endpoint, request.model, tools=bool(request.tools))

    async def _connected(self) -> Connection:
        async with self._connecting:
            if self._connection is None:
                self._connection = await connect(self.endpoint, self._watchdogs.connect)
            return self._connection


async def _read(
    answer: Answer, reader: ChunkReader, assembler: AnswerAssembler, waiting: Patience
) -> AsyncGenerator[Sorted, None]:
    """The pieces of an answer until its end. What they add up to is the assembler's to know."""
    async with aclosing(answer.pieces()) as pieces:
        while not reader.is_done:
            try:
                piece = await waiting.wait_for(anext(pieces))
            except StopAsyncIteration:
                break
            waiting.sign_of_life()
            for each in _fed(reader.feed(piece), assembler, waiting):
                yield each
    for each in _fed(reader.finish(), assembler, waiting):
        yield each


def _fed(chunks: Iterable[dict[str, Any]], assembler: AnswerAssembler, waiting: Patience) -> Iterator[Sorted]:
    for chunk in chunks:
        before, blanks = assembler.characters, assembler.blanks
        yield from assembler.feed(chunk)
        if assembler.finish is not None:
            waiting.finished()
        elif assembler.blanks > blanks:
            waiting.blank()
        elif assembler.characters > before:
            waiting.piece()
        if assembler.blanks > BLANK_CAP:
            raise too_blank(assembler.blanks)
        if assembler.characters > ANSWER_CAP:
            raise ProtocolBroken(
                _("The answer is longer than {answer_cap:,} characters; it was stopped.").format(answer_cap=ANSWER_CAP)
            )


def _ids_in(request: Request) -> frozenset[str]:
    return frozenset(call.id for message in request.messages for call in message.tool_calls)
