"""A desk to work at in tests: services over a scripted endpoint and an archive in a temporary directory."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.canary import CANARY
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.compaction import Proposal, Proposed, Wish
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.turn import text_parts
from tui_agent.archive import Archive
from tui_agent.core.entries import Compacted, Detail, Entry
from tui_agent.core.events import Appended, Event, TurnEnded
from tui_agent.settings import Settings


@dataclass
class ScriptedApprover:
    """Answers approvals in order; an unexpected question fails the test."""

    answers: list[Decision] = field(default_factory=list)
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def __call__(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        assert self.answers, f"nobody expected to be asked about {request.intent.title!r}"
        return self.answers.pop(0)


def settings_for(server: ModelServer, data: Path, **changes: Any) -> Settings:
    """Settings that know only the scripted endpoint."""
    chosen: dict[str, Any] = {
        "base_url": server.url,
        "api_key": CANARY,
        "model": "fake-model",
        "data_dir": str(data),
        "tools": False,
    }
    return Settings(**{**chosen, **changes})


@dataclass
class Desk:
    """Services, a session, and what happened so far."""

    services: Services
    session: Session
    approver: ScriptedApprover = field(default_factory=ScriptedApprover)
    events: list[Event] = field(default_factory=list)

    async def say(self, text: str) -> list[Event]:
        """One whole turn; its events."""
        return await self.take(self._turn(text))

    def _turn(self, text: str) -> AsyncGenerator[Event, None]:
        return self.services.turn(self.session, self.approver).say(text_parts(text))

    async def take(self, stream: AsyncGenerator[Event, None]) -> list[Event]:
        """All events of a turn."""
        new: list[Event] = []
        async with aclosing(stream) as events:
            async for event in events:
                new.append(event)
        self.events += new
        return new

    async def stop_at(self, kind: type[Any], text: str = "q") -> None:
        """A turn that is cancelled, as Esc does it, once it has yielded an event of this kind."""
        reached = asyncio.Event()

        async def turn() -> None:
            try:
                async with aclosing(self._turn(text)) as events:
                    async for event in events:
                        if isinstance(event, kind):
                            reached.set()
            finally:
                reached.set()

        task = asyncio.ensure_future(turn())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def leave_at(self, kind: type[Any], text: str = "q") -> None:
        """A turn whose events nobody takes any more after one of this kind."""
        async with aclosing(self._turn(text)) as events:
            async for event in events:
                if isinstance(event, kind):
                    return
        raise AssertionError(f"the turn ended without a {kind.__name__}")

    async def reopen(self) -> None:
        """Leave the session and open it again."""
        await self.session.close()
        self.session = await self.services.open_session(self.session.id)


@asynccontextmanager
async def desk(
    server: ModelServer,
    data: Path,
    *,
    directory: Path | None = None,
    open_archive: Callable[[Path], Awaitable[Archive]] = Archive.open,
    **changes: Any,
) -> AsyncIterator[Desk]:
    """A desk with a connected model and a new session."""
    services = Services(settings_for(server, data, **changes), directory=directory or data, open_archive=open_archive)
    await services.start()
    try:
        await services.connect(lambda words: None)
        made = Desk(services, services.new_session())
        yield made
        await made.session.close()
    finally:
        await services.close()


def entries_in(events: Sequence[Event], kind: type[Entry] | None = None) -> list[Any]:
    """The entries that were appended, of one kind if given."""
    entries = [event.logged.entry for event in events if isinstance(event, Appended)]
    return [entry for entry in entries if kind is None or isinstance(entry, kind)]


def finish_of(events: Sequence[Event]) -> str:
    """How the turn ended."""
    return next(event.finish for event in reversed(events) if isinstance(event, TurnEnded))


async def propose(at: Desk, **wish: Any) -> Proposal:
    """A proposal, without anybody watching."""
    async for event in at.services.propose(at.session, Wish(**wish)):
        if isinstance(event, Proposed):
            return event.proposal
    raise AssertionError("no proposal came")


async def compact(at: Desk, *, text: str | None = None, put_back: Sequence[Detail] = (), **wish: Any) -> Compacted:
    """Propose and apply."""
    events = await at.services.apply(at.session, await propose(at, **wish), text=text, put_back=put_back)
    compacted: Compacted = entries_in(events, Compacted)[0]
    return compacted


async def talk(at: Desk, server: ModelServer, *texts: str) -> None:
    """One turn for each text, answered with a word."""
    for text in texts:
        server.script(says("ok"))
        await at.say(text)
