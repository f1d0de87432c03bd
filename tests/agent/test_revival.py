"""An embedded model whose process dies is started again by the next request."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.desk import Desk, desk, entries_in, finish_of, propose, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.agent.connection import Connection
from tui_agent.agent.proposals import Proposed, Wish
from tui_agent.core.entries import Failed, Noticed
from tui_agent.core.events import Event, SummaryRestarted
from tui_agent.model.embedded import EmbeddedServer

CHILD = Path(__file__).parents[1] / "fakes" / "embedded_child.py"
LINE = "The embedded model's process had ended; it was started again."


@asynccontextmanager
async def embedded(server: ModelServer, tmp_path: Path) -> AsyncIterator[tuple[Desk, Connection]]:
    """A desk whose model has a process of its own; what it says comes from the scripted endpoint."""
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    async with desk(server, tmp_path / "data") as at:
        assert at.services.bench is not None
        connection = at.services.bench.connection
        connection.embedded = EmbeddedServer(str(tmp_path / "model.gguf"), log=tmp_path / "log", child=CHILD)
        await connection.embedded.start()
        yield at, connection


async def kill(connection: Connection) -> None:
    assert connection.embedded is not None
    assert connection.embedded._process is not None
    os.kill(connection.embedded._process.pid, signal.SIGKILL)
    await connection.embedded.ended()


def lines(events: list[Event]) -> list[str]:
    return [each.text for each in entries_in(events, Noticed)]


async def test_a_model_that_cannot_be_worked_with_after_all_is_ended_and_the_one_before_stays(tmp_path: Path) -> None:
    with ModelServer(says("one")) as server:
        async with embedded(server, tmp_path) as (at, connection):
            process = EmbeddedServer(str(tmp_path / "model.gguf"), log=tmp_path / "log", child=CHILD)
            await process.start()
            other = replace(connection, embedded=process)
            using = asyncio.ensure_future(at.services.use(other))
            await asyncio.sleep(0)
            using.cancel()
            with pytest.raises(asyncio.CancelledError):
                await using
            assert not process.is_running
            assert finish_of(await at.say("hello")) == "stop"
            assert connection.embedded is not None
            assert connection.embedded.is_running


async def test_the_next_request_starts_it_again_and_says_so_once(tmp_path: Path) -> None:
    with ModelServer(says("one"), says("two"), says("three")) as server:
        async with embedded(server, tmp_path) as (at, connection):
            assert LINE not in lines(await at.say("hello"))
            await kill(connection)
            events = await at.say("still there?")
            assert lines(events).count(LINE) == 1
            assert finish_of(events) == "stop"
            assert connection.embedded is not None
            assert connection.embedded.is_running
            assert LINE not in lines(await at.say("and now?"))


async def test_a_summary_starts_it_again_too_and_says_so(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with embedded(server, tmp_path) as (at, connection):
            await talk(at, server, *(f"message {n} " + "word " * 30 for n in range(8)))
            await kill(connection)
            server.script(says("- words were said"), says("four"))
            restarts: list[str] = []
            async with aclosing(at.services.propose(at.session, Wish(keep=2))) as proposing:
                async for event in proposing:
                    if isinstance(event, SummaryRestarted):
                        restarts.append(event.reason)
                    elif isinstance(event, Proposed):
                        proposed = event.proposal
            assert restarts == [LINE]  # whoever looks at the preview sees it
            assert connection.embedded is not None
            assert connection.embedded.is_running
            assert LINE in lines(await at.services.apply(at.session, proposed))
            assert LINE not in lines(await at.say("go on"))


async def test_a_summary_that_starts_it_again_and_is_not_used_is_told_of_with_the_next_turn(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with embedded(server, tmp_path) as (at, connection):
            await talk(at, server, *(f"message {n} " + "word " * 30 for n in range(8)))
            await kill(connection)
            server.script(says("- words were said"), says("four"))
            await propose(at, keep=2)
            assert LINE in lines(await at.say("go on"))


async def test_if_it_does_not_start_again_the_turn_fails_and_says_why(tmp_path: Path) -> None:
    with ModelServer(says("one"), says("two")) as server:
        async with embedded(server, tmp_path) as (at, connection):
            await at.say("hello")
            await kill(connection)
            (tmp_path / "model.gguf").write_bytes(b"GGUF failed")
            events = await at.say("still there?")
            assert "did not start" in str(entries_in(events, Failed)[0])
            (tmp_path / "model.gguf").write_bytes(b"GGUF")
            assert LINE in lines(await at.say("and now?"))
