"""A turn: one user message and all that follows until the model stops asking for tools."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from tui_agent.agent.approval import ApprovalRequest, Approver
from tui_agent.agent.automatic import Reviewer, compact_if_due
from tui_agent.agent.exchange import Exchange
from tui_agent.agent.pending import close_open_calls, open_calls
from tui_agent.agent.room import make_room
from tui_agent.agent.session import Session
from tui_agent.agent.tool_calls import ToolRound
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
    said_text,
)
from tui_agent.core.events import Event, TurnEnded
from tui_agent.errors import CompactionError, ContextOverflow, ModelError

CANCELLED = "cancelled by the user"
TITLE_LENGTH = 60
"""Characters of the first message that become the session's title."""


def title_from(text: str) -> str:
    """A title made of a message's first line that has words."""
    line = next((" ".join(each.split()) for each in text.splitlines() if each.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


@dataclass(slots=True)
class Turn:
    """One turn of a session. Its methods yield events and may be cancelled at any point: the log stays valid."""

    bench: Workbench
    session: Session
    approve: Approver
    review: Reviewer | None = None
    """Asks the user to look at a proposed summary; None where nobody can (headless)."""

    async def say(self, parts: tuple[Part, ...]) -> AsyncGenerator[Event, None]:
        """The user says something; the model answers it."""
        entries: list[Entry] = [UserSaid(parts)]
        if not self.session.title and (title := title_from(said_text(entries[0]))):
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
        """Go on where a reopened session was left with an approval pending."""
        async with aclosing(self._guarded([], open_calls(self.session))) as events:
            async for event in events:
                yield event

    def _last_said(self) -> int:
        for logged in reversed(self.session.tail):
            if isinstance(logged.entry, UserSaid) and not is_rewound(logged.seq, self.session.checkpoint.rewound):
                return logged.seq
        raise CompactionError("There is no message to answer again.")

    async def _guarded(self, entries: list[Entry], calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event, None]:
        """The turn's one frame: whatever ends it, the log is whole and says why it ended."""
        exchanges: list[Exchange] = []
        try:
            if entries:
                for event in await self.session.append(*entries):
                    yield event
            async with aclosing(self._rounds(exchanges, calls)) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            for event in await self.session.append(Failed(error.what, error.meaning, error.todo)):
                yield event
            yield TurnEnded("failed")
        except (asyncio.CancelledError, GeneratorExit):
            await asyncio.shield(asyncio.ensure_future(self._settle(exchanges)))
            raise

    async def _settle(self, exchanges: list[Exchange]) -> None:
        """After a cancel: keep the partial answer, give open calls a result."""
        if exchanges and exchanges[-1].said is None:
            await exchanges[-1].keep_partial("stopped by the user")
            return
        await close_open_calls(self.session, CANCELLED)
        await self.session.append(Interrupted("stopped by the user"))

    async def _rounds(self, exchanges: list[Exchange], calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event, None]:
        bench, session = self.bench, self.session
        summaries = len(session.checkpoint.compactions)
        rounds = 0
        while True:
            if calls:
                tool_round = ToolRound(bench, session, calls, self.approve)
                async with aclosing(tool_round.run()) as events:
                    async for event in events:
                        yield event
                rounds += 1
                if tool_round.left_pending:
                    yield TurnEnded("approval")
                    return
                if rounds % bench.settings.max_rounds == 0 and not await self._may_go_on(rounds):
                    yield TurnEnded("limit")
                    return
            async with aclosing(make_room(bench, session, self.review)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, TurnEnded):
                        return
            exchange = Exchange(bench, session)
            exchanges.append(exchange)
            async with aclosing(self._ask(exchange)) as events:
                async for event in events:
                    yield event
            said = exchanges[-1].said if exchange.said is None else exchange.said
            if said is None:
                return
            for event in await self._warn_of_silent_cut(said):
                yield event
            calls = said.tool_calls
            if not calls:
                break
        # One compaction a turn is enough: if the answer has filled the room again, the next message's turn makes more.
        if len(session.checkpoint.compactions) == summaries:
            async with aclosing(compact_if_due(bench, session, self.review)) as events:
                async for event in events:
                    yield event
        yield TurnEnded(said.finish or "interrupted")

    async def _ask(self, exchange: Exchange) -> AsyncGenerator[Event, None]:
        """One exchange; if the endpoint says the context is too long, compact once and ask once more."""
        try:
            async with aclosing(exchange.run()) as events:
                async for event in events:
                    yield event
            return
        except ContextOverflow as error:
            self.bench.connection.learn(error.limit)
            self.session.measures.limits = self.bench.connection.limits(self.bench.settings)
            overflow = error
        async with aclosing(make_room(self.bench, self.session, self.review, overflow=overflow)) as events:
            async for event in events:
                yield event
                if isinstance(event, TurnEnded):
                    raise overflow
        async with aclosing(exchange.run()) as events:
            async for event in events:
                yield event

    async def _warn_of_silent_cut(self, said: AssistantSaid) -> list[Event]:
        checkpoint, window = self.session.checkpoint, self.session.measures.limits.window
        expected = round(checkpoint.ratio * said.estimated)
        if said.usage is None or not looks_cut(said.usage, expected, window, checkpoint.calibrations > 1):
            return []
        text = (
            f"The endpoint counted {said.usage.prompt:,} tokens where about {expected:,} were sent: "
            "it may have cut the prompt silently. Set context_window to what the server really runs with."
        )
        return await self.session.append(Noticed(text, "warning"))

    async def _may_go_on(self, rounds: int) -> bool:
        intent = Intent(
            "", "other", "rounds", f"The model has asked for tools {rounds} rounds in a row. Go on?", binding="rounds"
        )
        decision = await self.approve(ApprovalRequest(ToolCall("rounds", "", "{}"), intent))
        return decision.verdict != "denied"


def text_parts(text: str) -> tuple[Part, ...]:
    """A message of words alone."""
    return (TextPart(text),)
