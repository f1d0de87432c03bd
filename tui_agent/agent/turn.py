"""A turn: one user message and all that follows until the model stops asking for tools."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from tui_agent.agent.approval import ApprovalRequest, Approver
from tui_agent.agent.automatic import UntilDeclined, compact_if_due
from tui_agent.agent.doubts import Doubts
from tui_agent.agent.exchange import Exchange
from tui_agent.agent.learnt_windows import learn_window, too_large_a_setting
from tui_agent.agent.pending import CANCELLED, closing, passed_over, pending_approval, repairs
from tui_agent.agent.proposals import Reviewer
from tui_agent.agent.retrieval import retrieved_for
from tui_agent.agent.room import make_room
from tui_agent.agent.session import Session
from tui_agent.agent.spending import warn_of_budget
from tui_agent.agent.tool_calls import ApprovalNeeded, ToolRound
from tui_agent.agent.tools.base import Intent
from tui_agent.agent.workbench import Workbench
from tui_agent.context.pairing import is_rewound
from tui_agent.context.tokens import looks_cut
from tui_agent.core.entries import (
    AssistantSaid,
    Entry,
    Failed,
    Interrupted,
    Noticed,
    Part,
    Rewound,
    TextPart,
    TitleSet,
    ToolCall,
    UserSaid,
)
from tui_agent.core.events import Event, TurnEnded
from tui_agent.core.readings import said_text
from tui_agent.errors import CompactionError, ContextOverflow, ModelError
from tui_agent.language import N_, _
from tui_agent.values import mutable

T = TypeVar("T")

STOPPED = N_("stopped by the user")
FAULT = N_("stopped by an error of this program")

TITLE_LENGTH = 60
"""Characters of the first message that become the session's title."""


def _title_from(text: str) -> str:
    """A title made of a message's first line that has words."""
    line = next((" ".join(each.split()) for each in text.splitlines() if each.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


@mutable
class Turn:
    """One turn of a session. Its methods yield events and may be cancelled at any point: the log stays valid."""

    bench: Workbench
    session: Session
    approve: Approver
    review: Reviewer | None = None
    """Asks the user to look at a proposed summary; None where nobody can (headless)."""

    is_left: bool = False
    """Whether the program is ending: a question that stands open then is asked again when the session is opened."""

    def __post_init__(self) -> None:
        self.review = UntilDeclined(self.review) if self.review is not None else None

    async def say(self, parts: tuple[Part, ...]) -> AsyncGenerator[Event, None]:
        """The user says something; the model answers it. An approval that is still pending is denied by it."""
        said = UserSaid(parts)
        entries: list[Entry] = [*passed_over(self.session), said]
        if not self.session.title and (title := _title_from(said_text(said))):
            entries.append(TitleSet(title))
        async with aclosing(self._guarded(entries, ())) as events:
            async for event in events:
                yield event

    async def retry(self) -> AsyncGenerator[Event, None]:
        """Answer the newest user message anew; the earlier answer is rewound.

        Raises:
            CompactionError: nothing has been said yet.
        """
        async with aclosing(self._guarded([Rewound(self._last_said())], ())) as events:
            async for event in events:
                yield event

    async def edit(self, seq: int, parts: tuple[Part, ...]) -> AsyncGenerator[Event, None]:
        """Say something else in place of the message `seq`; what followed it is rewound."""
        async with aclosing(self._guarded([Rewound(seq - 1), UserSaid(parts)], ())) as events:
            async for event in events:
                yield event

    async def resume(self) -> AsyncGenerator[Event, None]:
        """Go on where a reopened session was left with an approval pending: it is asked again. Else nothing happens."""
        pending = pending_approval(self.session)
        if pending is None:
            return
        async with aclosing(self._guarded(repairs(self.session), (pending,))) as events:
            async for event in events:
                yield event

    def _last_said(self) -> int:
        for logged in reversed(self.session.tail):
            if isinstance(logged.entry, UserSaid) and not is_rewound(logged.seq, self.session.checkpoint.rewound):
                return logged.seq
        raise CompactionError(_("There is no message to answer again."))

    async def _guarded(self, entries: list[Entry], calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event, None]:
        """The turn's one frame: whatever ends it, the log is whole and says why it ended."""
        exchanges: list[Exchange] = []
        is_over = False
        try:
            if entries:
                for event in await self.session.append(*entries):
                    yield event
            async with aclosing(self._rounds(exchanges, calls)) as events:
                async for event in events:
                    is_over = isinstance(event, TurnEnded)
                    if is_over:
                        self.session.retrieved = ()
                    yield event
        except ModelError as error:
            for event in await self.session.append(Failed(error.what, error.meaning, error.todo)):
                yield event
            yield TurnEnded("failed")
        except BaseException as error:
            is_stop = isinstance(error, asyncio.CancelledError | GeneratorExit)
            if not is_over:
                await undisturbed(self._settle(exchanges, STOPPED if is_stop else FAULT))
            raise

    async def _settle(self, exchanges: list[Exchange], reason: str) -> None:
        """After the turn was stopped: keep the partial answer, give open calls a result."""
        await self.session.written()
        if exchanges and exchanges[-1].said is None:
            await exchanges[-1].keep_partial(reason)
            return
        if self.is_left and pending_approval(self.session) is not None:
            return
        results = closing(self.session, CANCELLED if reason == STOPPED else reason)
        await self.session.append(*results, Interrupted(reason))

    async def _rounds(self, exchanges: list[Exchange], calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event, None]:
        bench, session = self.bench, self.session
        session.retrieved = await retrieved_for(session) if bench.settings.retrieve else ()
        summaries = len(session.checkpoint.compactions)
        doubts = Doubts(bench.settings.max_rounds)
        while True:
            if calls:
                async with aclosing(self._carry_out(calls, doubts)) as events:
                    async for event in events:
                        yield event
                        if isinstance(event, TurnEnded):
                            return
            versions = session.checkpoint.version
            async with aclosing(make_room(bench, session, self.review)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, TurnEnded):
                        return
            if session.checkpoint.version != versions:
                doubts.after_compaction()
            exchange = Exchange(bench, session, words_only=doubts.is_circling)
            exchanges.append(exchange)
            async with aclosing(self._ask(exchange)) as events:
                async for event in events:
                    yield event
            said = exchange.said
            if said is None:
                return
            warnings = [*await self._warn_of_silent_cut(said), *await self._warn_of_lost_counter()]
            for event in [*warnings, *await warn_of_budget(session, bench.settings.budget)]:
                yield event
            if await bench.connection.look_again():
                session.measures.limits = bench.connection.limits(bench.settings)
            calls = said.tool_calls
            if not calls:
                break
        # One compaction a turn is enough: if the answer has filled the room again, the next message's turn makes more.
        if len(session.checkpoint.compactions) == summaries:
            async with aclosing(compact_if_due(bench, session, self.review)) as events:
                async for event in events:
                    yield event
        yield TurnEnded(said.finish or "interrupted")

    async def _carry_out(self, calls: tuple[ToolCall, ...], doubts: Doubts) -> AsyncGenerator[Event, None]:
        """Run the calls of one answer. The turn ends with them if a question is left open, or the user has doubts."""
        tool_round = ToolRound(self.bench, self.session, calls, self.approve, doubts)
        async with aclosing(tool_round.run()) as events:
            async for event in events:
                yield event
        if tool_round.left_pending:
            yield TurnEnded("approval")
            return
        doubt = doubts.after_round(tool_round.is_unreadable)
        if doubt and not await self._may_go_on(doubt):
            stopped = Noticed(_("{doubt} The turn was stopped here.").format(doubt=doubt), "warning")
            for event in await self.session.append(stopped):
                yield event
            yield TurnEnded("limit")

    async def _ask(self, exchange: Exchange) -> AsyncGenerator[Event, None]:
        """One exchange; if the endpoint says the context is too long, compact once and ask once more."""
        try:
            async with aclosing(exchange.run()) as events:
                async for event in events:
                    yield event
            return
        except ContextOverflow as error:
            overflow = error
        for event in await self._learn(overflow):
            yield event
        async with aclosing(make_room(self.bench, self.session, self.review, overflow=overflow)) as events:
            async for event in events:
                yield event
                if isinstance(event, TurnEnded):
                    raise overflow
        async with aclosing(exchange.run()) as events:
            async for event in events:
                yield event

    async def _learn(self, overflow: ContextOverflow) -> list[Event]:
        """Go by the window that the endpoint named; say so, once, if the user has set a larger one."""
        bench, session = self.bench, self.session
        await learn_window(session.archive, bench.connection, overflow)
        session.measures.limits = bench.connection.limits(bench.settings)
        told = too_large_a_setting(bench.settings.context_window, overflow)
        is_new = told is not None and all(each.entry != told for each in session.tail)
        return await session.append(told) if told is not None and is_new else []

    async def _warn_of_lost_counter(self) -> list[Event]:
        """Say, once, that what counted tokens has failed and is not used any more."""
        connection = self.bench.connection
        if connection.is_counter_told or not connection.counter.failure:
            return []
        connection.is_counter_told = True
        words = _("Tokens are estimated from here on, for counting them failed: {failure}.")
        return await self.session.append(Noticed(words.format(failure=connection.counter.failure), "warning"))

    async def _warn_of_silent_cut(self, said: AssistantSaid) -> list[Event]:
        checkpoint, window = self.session.checkpoint, self.session.measures.limits.window
        expected = round(checkpoint.ratio * said.estimated)
        if said.usage is None or not looks_cut(said.usage, expected, window, checkpoint.calibrations > 1):
            return []
        if any(isinstance(each.entry, Noticed) and each.entry.kind == "warning cut" for each in self.session.tail):
            return []  # told since the last compaction
        text = _(
            "The endpoint counted {prompt:,} tokens where about {expected:,} were sent: "
            "it may have cut the prompt silently. Set context_window to what the server really runs with."
        ).format(prompt=said.usage.prompt, expected=expected)
        return await self.session.append(Noticed(text, "warning cut"))

    async def _may_go_on(self, doubt: str) -> bool:
        """Ask the user; where nobody can be asked the answer is no."""
        intent = Intent(
            "", "other", "rounds", _("{doubt} Go on?").format(doubt=doubt), sensitive=True, binding="rounds"
        )
        try:
            decision = await self.approve(ApprovalRequest(ToolCall("rounds", "", "{}"), intent))
        except ApprovalNeeded:
            return False
        return decision.verdict != "denied"


async def undisturbed(work: Coroutine[Any, Any, T]) -> T:
    """Carry the work out to its end, even if the caller is cancelled again meanwhile."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
    return task.result()


def text_parts(text: str) -> tuple[Part, ...]:
    """A message of words alone."""
    return (TextPart(text),)
