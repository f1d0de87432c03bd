"""At the keyboard there is one compaction at a time: none is applied behind a preview, none is written twice."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.fakes.desk import settings_for
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, Scripted, says
from tests.ui.support import Sitting, sitting, until
from tests.ui.test_preview import SUMMARY, answers, compactions
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.conductor import Conductor
from tui_agent.ui.screens.preview import PreviewScreen

DUE: dict[str, Any] = {"max_messages": 6, "threshold": None, "keep_recent": 2, "background_share": 0.0}


def is_for_a_summary(body: dict[str, Any]) -> bool:
    return "<record>" in str(body["messages"])


class Slow:
    """An endpoint that stops in its first answer of one kind."""

    def __init__(self, *, in_summary: bool = True) -> None:
        self.gate = Gate()
        self._in_summary = in_summary
        self._is_first = True

    def __call__(self, body: dict[str, Any]) -> Scripted:
        if not self._is_first or is_for_a_summary(body) != self._in_summary:
            return answers(body)
        self._is_first = False
        return says(SUMMARY if self._in_summary else "OK, noted.", hold=self.gate, hold_after=4)


@asynccontextmanager
async def writing(data: Path) -> AsyncIterator[tuple[Sitting, Gate]]:
    """A chat whose turn is writing a summary that nobody asked for, and the gate where that has stopped."""
    slow = Slow()
    with ModelServer(otherwise=slow) as server:
        async with sitting(server, data, **DUE) as person:
            await person.has_said(*(f"message {place} " * 20 for place in range(4)))
            await person.send("go on")
            await person.until(slow.gate.reached.is_set)
            await person.sees("writing a summary of")
            yield person, slow.gate


async def opens_preview(person: Sitting) -> None:
    await person.until(lambda: isinstance(person.app.screen, PreviewScreen))


async def closes_preview(person: Sitting) -> None:
    await person.until(lambda: not isinstance(person.app.screen, PreviewScreen))
    await person.until(lambda: not person.conductor.desk.is_busy)


def summaries(person: Sitting) -> int:
    return sum(is_for_a_summary(request.body) for request in person.server.requests)


async def test_f4_while_a_summary_is_written_shows_that_one_and_one_undo_takes_it_back(tmp_path: Path) -> None:
    async with writing(tmp_path) as (person, gate):
        before = person.session.context().messages
        await person.press("f4", "f4")
        await opens_preview(person)
        await person.sees("- Refactor")
        gate.open()
        await person.sees("stay word for word")
        assert person.session.context().messages == before
        await person.press("a")
        await closes_preview(person)
        assert len(compactions(person)) == summaries(person) == 1
        await person.press("f8")
        await person.until(lambda: person.session.live_summary() is None)
        assert person.session.context().messages[: len(before)] == before


async def test_cancelling_it_changes_nothing_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with writing(tmp_path) as (person, gate):
        before = person.session.context().messages
        await person.press("f4")
        await opens_preview(person)
        gate.open()
        await person.sees("stay word for word")
        await person.press("escape")
        await closes_preview(person)
        assert not compactions(person)
        assert person.session.context().messages[: len(before)] == before
        assert len(person.session.context().messages) == len(before) + 1
        assert summaries(person) == 1


async def test_cancelling_it_before_it_is_written_ends_the_request(tmp_path: Path) -> None:
    async with writing(tmp_path) as (person, gate):
        await person.press("f4")
        await opens_preview(person)
        await person.press("escape")
        await person.until(gate.left.is_set)
        await closes_preview(person)
        assert not compactions(person)


async def test_keeping_more_messages_in_it_ends_its_request_before_another_is_made(tmp_path: Path) -> None:
    async with writing(tmp_path) as (person, gate):
        await person.press("f4")
        await opens_preview(person)
        await person.press("right_square_bracket")
        await person.sees("stay word for word")
        await person.until(gate.left.is_set)
        await person.press("a")
        await closes_preview(person)
        assert len(compactions(person)) == 1


async def test_a_range_and_a_focus_typed_while_a_summary_is_written_take_its_place(tmp_path: Path) -> None:
    async with writing(tmp_path) as (person, gate):
        await person.send("/compact keep 4 the parser")
        await opens_preview(person)
        await person.until(gate.left.is_set)
        await person.sees("stay word for word")
        assert "the parser" in person.server.requests[-1].last_text
        await person.press("a")
        await closes_preview(person)
        assert len(compactions(person)) == 1


async def test_what_an_undo_brings_back_while_a_summary_is_written_is_not_folded_by_that_summary(
    tmp_path: Path,
) -> None:
    slow = Slow()
    with ModelServer(otherwise=answers) as server:
        async with sitting(server, tmp_path, **DUE) as person:
            await person.has_said(*(f"message {place} " * 20 for place in range(3)))
            await person.say("a")
            assert len(compactions(person)) == 1
            await person.has_said(*(f"more {place} " * 20 for place in range(2)))
            server.script(slow)
            await person.send("go on")
            await person.until(slow.gate.reached.is_set)
            await person.press("f8")
            await person.until(lambda: person.session.live_summary() is None)
            slow.gate.open()
            await person.until(lambda: not person.conductor.desk.is_busy)
            assert "failed" not in person.seen
            asked = [request for request in server.requests if is_for_a_summary(request.body)]
            assert "message 0" in asked[-1].last_text, "what came back is folded by a summary that has read it"


async def test_a_turn_compacts_nothing_behind_a_preview_that_is_open(tmp_path: Path) -> None:
    slow = Slow(in_summary=False)
    with ModelServer(otherwise=slow) as server:
        async with sitting(server, tmp_path, **{**DUE, "max_messages": 7}) as person:
            await person.has_said(*(f"message {place} " * 20 for place in range(3)))
            await person.send("go on")
            await person.until(slow.gate.reached.is_set)
            await person.press("f4")
            await opens_preview(person)
            await person.sees("stay word for word")
            slow.gate.open()
            await person.until(lambda: len(person.session.context().messages) == 8)
            await person.pilot.pause()
            assert not compactions(person)
            assert summaries(person) == 1
            await person.press("a")
            await closes_preview(person)
            assert len(compactions(person)) == summaries(person) == 1


async def test_f4_while_a_summary_is_made_ahead_shows_that_one(tmp_path: Path) -> None:
    slow = Slow()
    with ModelServer(otherwise=slow) as server:
        async with sitting(
            server, tmp_path, max_messages=12, threshold=None, keep_recent=4, background_share=0.5
        ) as person:
            await person.has_said(*(f"message {place} " * 20 for place in range(4)))
            await person.say("and this")
            await person.until(slow.gate.reached.is_set)
            await person.press("f4")
            await opens_preview(person)
            await person.sees("- Refactor")
            slow.gate.open()
            await person.sees("stay word for word")
            assert not compactions(person)
            await person.press("a")
            await person.until(lambda: bool(compactions(person)))
            assert summaries(person) == 1


async def test_a_preview_says_that_the_model_is_still_being_connected(tmp_path: Path) -> None:
    with ModelServer() as server, socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        app = TuiAgentApp(settings_for(server, tmp_path, animation=False, base_url=url, model=""), directory=tmp_path)
        async with app.run_test(size=(120, 40)) as pilot:
            person = Sitting(app, pilot, server)
            await until(lambda: isinstance(app._conductor, Conductor), pilot)
            await person.until(lambda: person.conductor.services.connecting is not None)
            await person.press("f4")
            await person.sees("The model is being connected")
            await person.press("escape")
            await person.until(lambda: not isinstance(app.screen, PreviewScreen))
