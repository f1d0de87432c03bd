"""There is one compaction of a session at a time, and none is made from what does not stand any more."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.agent.test_modes import answers, fill, is_summary_request, summaries
from tests.fakes.desk import Desk, compact, desk, entries_in, finish_of, propose, settings_for
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, Scripted, says
from tui_agent.agent import background, changes
from tui_agent.agent.proposals import Proposed, Proposing, Reviewed, Wish, wish_of
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.turn import text_parts
from tui_agent.agent.workbench import Workbench
from tui_agent.core.entries import Compacted, Noticed, Rewound
from tui_agent.core.events import CompactionEnded, CompactionStarted, Event
from tui_agent.errors import CompactionError, ContextChanged, ModelError

DUE: dict[str, Any] = {"max_messages": 10, "threshold": None, "keep_recent": 4}
"""Settings by which the next message makes a compaction due, once `fill` has been said."""


class Held:
    """An endpoint whose first summary is slow."""

    def __init__(self) -> None:
        self.gate = Gate()
        self._is_first = True

    def __call__(self, body: dict[str, Any]) -> Scripted:
        if self._is_first and is_summary_request(body):
            self._is_first = False
            return says("- words were exchanged slowly", hold=self.gate, hold_after=1)
        return answers(body)

    async def reached(self) -> None:
        await asyncio.to_thread(self.gate.wait_until_reached)


async def _make_ahead(bench: Workbench, session: Session) -> None:
    async with aclosing(background.prepare(bench, session)) as events:
        assert [event async for event in events]


async def _another(at: Desk) -> None:
    await compact(at)


async def _undo(at: Desk) -> None:
    await changes.undo(at.session)


async def _redo(at: Desk) -> None:
    await changes.redo(at.session)


async def _rewind(at: Desk) -> None:
    await at.session.append(Rewound(4))


@pytest.mark.parametrize("change", [_another, _undo, _redo, _rewind])
async def test_a_summary_is_not_proposed_on_top_of_what_came_while_it_was_written(
    tmp_path: Path, change: Callable[[Desk], Awaitable[None]]
) -> None:
    held = Held()
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, keep_recent=4) as at:
            await fill(at)
            if change in (_undo, _redo):
                await compact(at)
                await fill(at)
            if change is _redo:
                await changes.undo(at.session)
            server.script(held)
            asking = asyncio.ensure_future(propose(at))
            await held.reached()
            await change(at)
            before = at.session.context()
            held.gate.open()
            with pytest.raises(ContextChanged):
                await asking
            assert at.session.context() == before


class Reader:
    """Looks at each proposed summary to its end, and then does what it was told to."""

    def __init__(self, at: Desk, *, takes: bool) -> None:
        self._at = at
        self._takes = takes
        self.wishes: list[Wish] = []
        self.texts: list[str] = []
        self.is_open = asyncio.Event()

    async def __call__(self, propose: Proposing, wish: Wish) -> Reviewed | None:
        self.wishes.append(wish)
        self.is_open.set()
        head = self._at.session.checkpoint.head
        async with aclosing(propose(wish)) as events:
            seen = [event async for event in events]
        assert self._at.session.checkpoint.head == head
        last = seen[-1]
        assert isinstance(last, Proposed)
        self.texts.append(last.proposal.compacted.text)
        return Reviewed(last.proposal) if self._takes else None


async def _turn_that_is_asked(at: Desk, held: Held, reader: Reader, words: str = "") -> list[Event]:
    """A turn, and a user who wants a compaction while the turn's own is being written."""
    turn = at.services.turn(at.session, at.approver, reader).say(text_parts("go on"))
    taking = asyncio.ensure_future(at.take(turn))
    await held.reached()
    assert at.session.underway.show(wish_of(words))
    await reader.is_open.wait()
    assert at.session.underway.show(wish_of(words)), "a second F4 opens nothing more"
    held.gate.open()
    return await taking


@pytest.mark.parametrize("takes", [True, False])
async def test_who_asks_while_a_summary_is_written_decides_about_that_very_one(tmp_path: Path, takes: bool) -> None:
    held = Held()
    with ModelServer(otherwise=held) as server:
        async with desk(server, tmp_path, **DUE) as at:
            await fill(at)
            reader = Reader(at, takes=takes)
            events = await _turn_that_is_asked(at, held, reader)
            assert [wish.trigger for wish in reader.wishes] == ["messages"]
            assert "slowly" in reader.texts[0]
            assert summaries(server) == 1
            assert len(entries_in(events, Compacted)) == takes
            assert finish_of(events) == "stop"
            assert not at.session.underway.show(Wish()), "what is over cannot be shown"


async def test_a_wish_of_the_users_own_takes_the_place_of_the_summary_that_is_written(tmp_path: Path) -> None:
    held = Held()
    with ModelServer(otherwise=held) as server:
        async with desk(server, tmp_path, **DUE) as at:
            await fill(at)
            reader = Reader(at, takes=True)
            events = await _turn_that_is_asked(at, held, reader, "keep 2")
            assert reader.wishes == [Wish(keep=2)]
            assert "slowly" not in reader.texts[0]
            assert [each.trigger for each in entries_in(events, Compacted)] == ["manual"]
            await asyncio.to_thread(held.gate.left.wait, 10)
            assert held.gate.left.is_set(), "the first summary is not written any further"


async def test_while_another_looks_at_a_summary_none_is_made_and_then_only_if_it_is_still_due(tmp_path: Path) -> None:
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, **DUE, background_share=0.1) as at:
            await fill(at)
            assert at.services.bench is not None
            async with at.session.underway.alone:
                assert not background.is_due(at.services.bench, at.session)
                turn = asyncio.ensure_future(at.say("go on"))
                await compact(at)
            events = await turn
            assert finish_of(events) == "stop"
            assert not entries_in(events, Compacted)
            assert summaries(server) == 1


async def test_an_undo_while_a_summary_is_written_is_no_failure_of_it(tmp_path: Path) -> None:
    held = Held()
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, **DUE) as at:
            await fill(at)
            await compact(at)
            await fill(at)
            server.script(held)
            turn = asyncio.ensure_future(at.say("go on"))
            await held.reached()
            await changes.undo(at.session)
            held.gate.open()
            events = await turn
            assert [event.applied for event in events if isinstance(event, CompactionEnded)][:1] == [False]
            assert not [each for each in entries_in(events, Noticed) if each.kind == "compaction failed"]
            assert finish_of(events) == "stop"


async def test_a_summary_that_is_made_ahead_is_shown_while_it_is_written_and_not_written_twice(tmp_path: Path) -> None:
    held = Held()
    with ModelServer(otherwise=held) as server:
        async with desk(server, tmp_path, **DUE, background_share=0.1) as at:
            await fill(at)
            bench = at.services.bench
            assert bench is not None
            making = asyncio.ensure_future(_make_ahead(bench, at.session))
            await held.reached()
            assert not at.session.underway.show(Wish()), "no turn is there to show it"
            proposing = background.ready_first(bench, at.session, lambda wish: at.services.propose(at.session, wish))
            events = proposing(Wish())
            first = await anext(events)
            held.gate.open()
            seen = [first, *[event async for event in events]]
            assert isinstance(seen[0], CompactionStarted)
            assert isinstance(seen[-1], Proposed)
            assert seen[-1].proposal.compacted.trigger == "manual"
            await making
            assert summaries(server) == 1
            assert background.ready(bench, at.session) is not None


async def test_one_that_is_wanted_otherwise_is_not_written_beside_one_that_is_made_ahead(tmp_path: Path) -> None:
    held = Held()
    with ModelServer(otherwise=held) as server:
        async with desk(server, tmp_path, **DUE, background_share=0.1) as at:
            await fill(at)
            bench = at.services.bench
            assert bench is not None
            making = asyncio.ensure_future(_make_ahead(bench, at.session))
            await held.reached()
            proposing = background.ready_first(bench, at.session, lambda wish: at.services.propose(at.session, wish))
            seen = [event async for event in proposing(Wish(keep=2))]
            assert isinstance(seen[-1], Proposed)
            with pytest.raises(CompactionError):
                await making
            await asyncio.to_thread(held.gate.left.wait, 10)
            assert held.gate.left.is_set()


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_summary_wanted_while_the_model_is_being_connected_waits_for_that(
    tmp_path: Path, is_there: bool
) -> None:
    with ModelServer(otherwise=answers) as server:
        settings = settings_for(
            server, tmp_path, **({} if is_there else {"base_url": "http://127.0.0.1:9/v1", "model": ""})
        )
        services = Services(settings, directory=tmp_path)
        await services.start()
        try:
            at = Desk(services, services.new_session())
            await fill(at)
            connecting = asyncio.ensure_future(services.connect(lambda words: None))
            await asyncio.sleep(0)
            assert services.connecting is not None
            if is_there:
                assert (await propose(at)).compacted.text
            else:
                with pytest.raises(ModelError, match="No model is connected yet"):
                    await propose(at)
            await asyncio.wait({connecting})
            assert (connecting.exception() is None) == is_there
            assert services.connecting is None
            await at.session.close()
        finally:
            await services.close()
