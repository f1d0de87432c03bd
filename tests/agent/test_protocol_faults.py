"""Every fault between us and an endpoint, in a chat, in the middle of tool calls, and while a summary is written."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.agent.tool_turns import ScriptedTool, give, is_valid, results_in, whole_log, workshop
from tests.fakes.desk import Desk, entries_in, finish_of, propose, talk
from tests.fakes.faults import Fault, faults
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tui_agent.agent import changes
from tui_agent.agent.session import Session
from tui_agent.core.entries import AssistantSaid, Compacted, Failed, Noticed
from tui_agent.core.events import Event
from tui_agent.errors import ContextOverflow, ModelError, StreamBroken, SummaryRejected
from tui_agent.model.client import ModelClient
from tui_agent.model.patience import Watchdogs

RETRIES = 1
QUICK = Watchdogs(connect=5, first=0.3, next=0.3, keep_alive=1.5)
PATIENT = Watchdogs(connect=10, first=20, next=20)
LONGEST = 60.0
"""Seconds after which a turn is taken to hang."""

SHARES = 4
"""The faults go through in so many tests: each opens one archive for all of its own."""


async def no_pause(seconds: float) -> None:
    """Waits between retries take no time."""


def anew(at: Desk, fault: Fault | None = None) -> None:
    """A client that has learnt nothing yet, as patient as the fault allows."""
    assert at.services.bench is not None
    watchdogs = QUICK if fault is not None and fault.is_slow else PATIENT
    connection = at.services.bench.connection
    connection.client = ModelClient(connection.endpoint, watchdogs=watchdogs, retries=RETRIES, pause=no_pause)


async def close(at: Desk) -> None:
    assert at.services.bench is not None
    await at.services.bench.connection.client.aclose()


async def say(at: Desk, text: str) -> list[Event]:
    async with asyncio.timeout(LONGEST):
        return await at.say(text)


def check_turn(fault: Fault, events: Sequence[Event]) -> None:
    """One outcome, told once, and nothing incomplete passed off as whole."""
    answers = entries_in(events, AssistantSaid)
    failures = entries_in(events, Failed)
    if fault.error is None:
        assert finish_of(events) not in ("failed", "refused")
        assert not failures
        assert any(each.text == fault.text and each.finish for each in answers)
        return
    assert finish_of(events) in (("refused", "failed") if issubclass(fault.error, ContextOverflow) else ("failed",))
    assert len(failures) == 1
    assert failures[0].what
    if issubclass(fault.error, StreamBroken):
        broken = [each for each in answers if each.finish is None]
        assert [each.tool_calls for each in broken] in ([()], [])
        assert "".join(each.text for each in broken) == fault.text
    assert all(each.finish is None for each in answers if fault.text and each.text == fault.text)


@pytest.fixture(params=[*range(SHARES), pytest.param("silences", marks=pytest.mark.slow)])
def some_faults(request: pytest.FixtureRequest) -> list[Fault]:
    """A share of the faults, or those that only a watchdog ends."""
    if request.param == "silences":
        return [fault for fault in faults() if fault.is_slow]
    return [fault for fault in faults() if not fault.is_slow][request.param :: SHARES]


async def test_in_a_chat_each_fault_has_one_outcome_and_the_next_message_is_answered(
    tmp_path: Path, some_faults: list[Fault]
) -> None:
    with ModelServer(otherwise=says("still here")) as server:
        async with workshop(server, tmp_path, context_window=32_768, approval="all") as at:
            for fault in some_faults:
                tool = ScriptedTool("read_file", kind="edit")
                give(at, tool)
                at.session = at.services.new_session()
                anew(at, fault)
                server.script(*fault.replies(RETRIES))
                events = await say(at, "q")
                await close(at)
                try:
                    check_turn(fault, events)
                    assert fault.error is None or not tool.runs
                    assert server.unused == 0
                    await check_next(at, server)
                except (AssertionError, TimeoutError) as error:
                    error.add_note(fault.name)
                    raise


async def check_next(at: Desk, server: ModelServer) -> None:
    """Another message is answered, by a request that any endpoint takes."""
    anew(at)
    events = await say(at, "again")
    await close(at)
    assert finish_of(events) == "stop"
    assert entries_in(events, AssistantSaid)[-1].text == "still here"
    assert server.complaints == []
    assert is_valid(at)


async def test_in_the_middle_of_tool_calls_nothing_is_lost_or_run_twice(
    tmp_path: Path, some_faults: list[Fault]
) -> None:
    with ModelServer(otherwise=says("still here")) as server:
        async with workshop(server, tmp_path, context_window=32_768, approval="all") as at:
            for fault in some_faults:
                tool, other = ScriptedTool("look"), ScriptedTool("read_file", kind="edit")
                give(at, tool, other)
                at.session = at.services.new_session()
                anew(at, fault)
                server.script(calls(Call("look"), Call("look")), *fault.replies(RETRIES))
                events = await say(at, "q")
                await close(at)
                try:
                    check_turn(fault, events)
                    assert fault.error is None or not other.runs
                    await check_next(at, server)
                    assert len(tool.runs) == 2
                    results_in(await whole_log(at))
                except (AssertionError, TimeoutError) as error:
                    error.add_note(fault.name)
                    raise


async def prepared(at: Desk, server: ModelServer) -> Session:
    """A session in which there is something to fold."""
    await talk(at, server, *(f"message {place} " + "word " * 40 for place in range(6)))
    return at.session


async def test_a_summary_that_any_fault_spoils_replaces_nothing(tmp_path: Path, some_faults: list[Fault]) -> None:
    with ModelServer(otherwise=says("- six messages were said")) as server:
        async with workshop(server, tmp_path, context_window=32_768) as at:
            await prepared(at, server)
            before = (at.session.context(), at.session.checkpoint)
            for fault in some_faults:
                anew(at, fault)
                server.script(*fault.replies(RETRIES))
                try:
                    async with asyncio.timeout(LONGEST):
                        proposal = await propose(at, keep=2)
                    assert fault.error is None, "a broken reply stands for nothing"
                    assert proposal.compacted.text
                except (ModelError, SummaryRejected):
                    pass
                except (AssertionError, TimeoutError) as error:
                    error.add_note(fault.name)
                    raise
                finally:
                    await close(at)
                assert server.unused == 0, fault.name
                assert (at.session.context(), at.session.checkpoint) == before, fault.name
            anew(at)
            assert (await propose(at, keep=2)).compacted.folded
            assert server.complaints == []
            await close(at)


async def test_a_message_is_answered_although_the_summary_that_was_due_failed(
    tmp_path: Path, some_faults: list[Fault]
) -> None:
    with ModelServer(otherwise=says("still here")) as server:
        async with workshop(server, tmp_path, context_window=32_768, keep_recent=2) as at:
            first = await prepared(at, server)
            at.services.change_settings(max_messages=10)
            for fault in some_faults:
                at.session = await changes.fork(first, first.checkpoint.seq)
                anew(at, fault)
                server.script(*fault.replies(RETRIES))
                events = await say(at, "q")
                await close(at)
                try:
                    assert finish_of(events) == "stop"
                    assert entries_in(events, AssistantSaid)[-1].text == "still here"
                    compacted = entries_in(events, Compacted)
                    told = [each.kind for each in entries_in(events, Noticed)]
                    assert bool(compacted) != ("compaction failed" in told)
                    assert fault.error is None or not compacted
                    assert is_valid(at)
                    assert server.complaints == []
                except (AssertionError, TimeoutError) as error:
                    error.add_note(fault.name)
                    raise
                await at.session.close()
