"""Asking a model for the items of a summary: in chunks, again or of another model if need be, and fewer if too many."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from tui_agent.agent.connection import REVIVED
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import Limits
from tui_agent.context.summary import (
    OUTGROWN,
    accepted,
    consolidated,
    consolidation_request,
    is_void,
    next_id,
    parse_items,
    render,
    repeats,
    standing,
    summary_requests,
)
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Item, Logged, Usage
from tui_agent.core.events import Event, SummaryArrived, SummaryRestarted
from tui_agent.core.messages import Message
from tui_agent.errors import ModelError, SummaryRejected
from tui_agent.language import _
from tui_agent.model.events import Replied, Restarted, Retrying, TextPiece
from tui_agent.model.wire import Request

FALLBACK_ROOM = 8_192
"""Tokens of material for one summary request when the window is unknown."""

REPLY_ROOM = 2_048
"""The most tokens a summary may take; a reply that reaches it is cut off and not accepted."""

LEAST_ALLOWED = 400
"""Tokens that a summary may always take, however short what it stands for."""

INSTRUCTION_ROOM = 400
"""Tokens that the instruction and its example take."""


class Summariser:
    """Makes the new items of one summary. What came of it is in its attributes when the events have ended."""

    def __init__(self, bench: Workbench, limits: Limits, ratio: float) -> None:
        self._bench = bench
        self._window = limits.window
        self._ratio = max(ratio, 1.0)
        self.items: tuple[Item, ...] = ()
        """The new items, their references as the model gave them."""

        self.consolidated: tuple[Item, ...] = ()
        """All items in fewer words, if that was asked for and nothing exact was lost by it."""

        self.model = ""
        """The model that wrote the items."""

        self.usage: Usage | None = None
        """What all requests took together; None when the endpoint did not say."""

    async def summarise(
        self, folded: Sequence[Logged], standing_items: Sequence[Item], focus: str, *, persistent: bool
    ) -> AsyncGenerator[Event, None]:
        """Ask for items about the folded entries; a summary model that fails is stood in for by the chat's own.

        With `persistent` each model is asked a second time before it is given up.

        Raises:
            SummaryRejected: no model gave a summary that can be used.
            ModelError: the last model asked gave no whole reply.
        """
        attempts = list(self._models(persistent))
        for place, model in enumerate(attempts):
            try:
                async with aclosing(self._attempt(folded, standing_items, focus, model)) as events:
                    async for event in events:
                        yield event
                return
            except (SummaryRejected, ModelError) as error:
                if place + 1 == len(attempts):
                    raise
                yield SummaryRestarted(_("{what} Asking {model}.").format(what=error.what, model=attempts[place + 1]))

    def _models(self, persistent: bool) -> Iterator[str]:
        chosen, own = self._bench.settings.summary_model, self._bench.connection.model
        for model in dict.fromkeys((chosen or own, own)):
            yield from (model, model) if persistent else (model,)

    async def _attempt(
        self, folded: Sequence[Logged], standing_items: Sequence[Item], focus: str, model: str
    ) -> AsyncGenerator[Event, None]:
        self.model = model
        new: list[Item] = []
        first_id = next_id(standing_items)
        # The embedded models copy the list of standing items instead of writing new ones.
        requests = await asyncio.to_thread(
            summary_requests,
            folded,
            standing(standing_items),
            focus=focus,
            room=self._room(),
            show_standing=self._bench.connection.embedded is None,
        )
        is_without_answer = True
        for place, messages in enumerate(requests):
            if place:
                yield SummaryRestarted(_("part {place} of {n}").format(place=place + 1, n=len(requests)))
            answers: list[str] = []
            async with aclosing(self._ask(messages, answers)) as events:
                async for event in events:
                    yield event
            is_without_answer = is_without_answer and is_void(answers[-1])
            known = (*standing_items, *new)
            new += await asyncio.to_thread(parse_items, answers[-1], folded, standing(known), first_id + len(new))
        if not new and (not standing_items or is_without_answer):
            raise _refused(_("The summary held no statement."))
        if estimate(render(new)) > max(sum(each.tokens for each in folded), LEAST_ALLOWED):
            if len(requests) > 1:  # what arrived last is only the last part of what is refused
                yield SummaryRestarted()
                yield SummaryArrived(render(new))
            raise _refused(_("The summary is longer than the messages it stands for."))
        self.items = tuple(new)

    async def consolidate(
        self, items: Sequence[Item], before: Sequence[Item], room: int
    ) -> AsyncGenerator[Event, None]:
        """If the items take more than `room` tokens, ask for fewer; they stay if anything exact would be lost.

        Where the items of `before` took more already, a model has been asked in vain: it is asked again when they
        have outgrown that too.
        """
        size = estimate(render(items))
        is_new = estimate(render(before)) <= room < size
        if not self.model or not (is_new or size > OUTGROWN * room):
            return
        yield SummaryRestarted(_("the summary has outgrown its share and is made shorter"))
        answers: list[str] = []
        try:
            async with aclosing(self._ask(consolidation_request(items, room), answers)) as events:
                async for event in events:
                    yield event
            self.consolidated = consolidated(items, answers[-1], next_id(items))
        except (SummaryRejected, ModelError) as error:
            yield SummaryRestarted(str(error))
            yield SummaryArrived(render(items))

    async def _ask(self, messages: Sequence[Message], answers: list[str]) -> AsyncGenerator[Event, None]:
        request = Request(tuple(messages), self.model, temperature=0.0, max_tokens=self._reply_room())
        so_far = ""
        if await self._bench.connection.revive():
            yield SummaryRestarted(_(REVIVED))
        async with aclosing(self._bench.connection.client.stream(request)) as events:
            async for event in events:
                match event:
                    case TextPiece(text):
                        so_far += text
                        # A small model that goes round in circles would do so until its room is used up.
                        if "\n" in text and repeats(so_far):
                            raise _refused(_("The summary goes round in circles."))
                        yield SummaryArrived(text)
                    case Restarted(text):
                        so_far = text
                        yield SummaryRestarted()
                        yield SummaryArrived(text)
                    case Retrying(reason=reason):
                        yield SummaryRestarted(reason)
                    case Replied(reply):
                        self._spend(reply.usage)
                        answers.append(accepted(reply.text, reply.finish, bool(reply.tool_calls)))

    def _spend(self, usage: Usage | None) -> None:
        if usage is None:
            return
        spent = self.usage or Usage(0, 0)
        self.usage = Usage(
            spent.prompt + usage.prompt, spent.completion + usage.completion, spent.cached + usage.cached
        )

    def _reply_room(self) -> int:
        return min(REPLY_ROOM, max(256, self._window // 4)) if self._window else REPLY_ROOM

    def _room(self) -> int:
        """Estimated tokens of material that one request may carry, with a margin for a wrong estimate."""
        if self._window is None:
            return FALLBACK_ROOM
        return max(256, int((self._window - self._reply_room() - INSTRUCTION_ROOM) * 0.9 / self._ratio))


def _refused(what: str) -> SummaryRejected:
    """The refusal of what a model has written, with what can be done about it."""
    return SummaryRejected(
        what, _("Nothing was replaced."), _("Try again, choose another summary model, or compact later.")
    )
