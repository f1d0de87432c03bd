"""The compaction mode is obeyed on every path: over the trigger, over the window, after an overflow, ahead of need."""

from pathlib import Path
from typing import Any, get_args

import pytest

from tests.fakes.desk import Desk, desk, entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tui_agent.agent import background
from tui_agent.agent.proposals import Proposed, Proposing, Reviewed, Wish
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import AssistantSaid, Compacted, Noticed, UserSaid
from tui_agent.settings import CompactionMode

MODES: tuple[CompactionMode, ...] = get_args(CompactionMode)


def is_summary_request(body: dict[str, Any]) -> bool:
    return bool(body["messages"][0]["content"].startswith("You write down the facts"))


def answers(body: dict[str, Any]) -> Scripted:
    return says("- words were exchanged") if is_summary_request(body) else says("ok")


async def fill(at: Desk, messages: int = 12, words: int = 30) -> None:
    for place in range(0, messages, 2):
        await at.session.append(UserSaid(text_parts(f"{place} " + "word " * words)), AssistantSaid("word " * words))


def summaries(server: ModelServer) -> int:
    return sum(is_summary_request(request.body) for request in server.requests)


@pytest.mark.parametrize("mode", MODES)
async def test_over_the_trigger_mode_auto_alone_compacts(tmp_path: Path, mode: CompactionMode) -> None:
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, compaction_mode=mode, max_messages=10, threshold=None, keep_recent=4) as at:
            await fill(at)
            events = await at.say("go on")
            assert finish_of(events) == "stop"
            assert bool(entries_in(events, Compacted)) == (mode == "auto")
            assert summaries(server) == (mode == "auto")


@pytest.mark.parametrize("mode", MODES)
async def test_over_the_window_a_request_is_sent_in_mode_auto_alone(tmp_path: Path, mode: CompactionMode) -> None:
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, compaction_mode=mode, context_window=1_000, threshold=None) as at:
            await fill(at, words=140)
            events = await at.say("go on")
            assert finish_of(events) == ("stop" if mode == "auto" else "refused")
            assert bool(server.requests) == (mode == "auto")


@pytest.mark.parametrize("mode", MODES)
async def test_after_an_unexpected_overflow_mode_auto_alone_compacts(tmp_path: Path, mode: CompactionMode) -> None:
    with ModelServer(otherwise=answers, window=1_500) as server:
        async with desk(server, tmp_path, compaction_mode=mode, context_window=100_000, threshold=None) as at:
            await fill(at, words=140)
            events = await at.say("go on")
            assert (finish_of(events) == "stop") == (mode == "auto")
            assert bool(entries_in(events, Compacted)) == (mode == "auto")


@pytest.mark.parametrize("mode", MODES)
async def test_ahead_of_need_a_summary_is_made_where_it_may_be_used(tmp_path: Path, mode: CompactionMode) -> None:
    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, compaction_mode=mode, max_messages=16, background_share=0.5) as at:
            await fill(at)
            assert at.services.bench is not None
            assert background.is_due(at.services.bench, at.session) == (mode in ("auto", "ask"))


@pytest.mark.parametrize("is_taken", [True, False])
async def test_who_is_asked_decides(tmp_path: Path, is_taken: bool) -> None:
    asked: list[Wish] = []

    async def review(propose: Proposing, wish: Wish) -> Reviewed | None:
        asked.append(wish)
        async for event in propose(wish):
            if isinstance(event, Proposed) and is_taken:
                return Reviewed(event.proposal)
        return None

    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, compaction_mode="ask", max_messages=10, threshold=None, keep_recent=4) as at:
            await fill(at)
            turn = at.services.turn(at.session, at.approver, review)
            events = await at.take(turn.say(text_parts("go on")))
            assert [wish.trigger for wish in asked] == ["messages"]
            assert bool(entries_in(events, Compacted)) == is_taken
            assert finish_of(events) == "stop"


async def test_what_was_written_into_a_summary_that_cannot_be_used_stands_in_the_record(tmp_path: Path) -> None:
    async def rewrite(propose: Proposing, wish: Wish) -> Reviewed | None:
        async for event in propose(wish):
            if isinstance(event, Proposed):
                return Reviewed(event.proposal, "longer than it all was " * 500)
        return None

    with ModelServer(otherwise=answers) as server:
        async with desk(server, tmp_path, compaction_mode="ask", context_window=1_000) as at:
            await fill(at, words=140)
            turn = at.services.turn(at.session, at.approver, rewrite)
            events = await at.take(turn.say(text_parts("go on")))
            assert entries_in(events, Compacted) == []
            assert any("longer than it all was" in each.text for each in entries_in(events, Noticed))
