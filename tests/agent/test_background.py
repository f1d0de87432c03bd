import time
from pathlib import Path

import pytest

from tests.fakes.desk import Desk, desk, entries_in, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.agent import background
from tui_agent.agent.automatic import compact_if_due
from tui_agent.agent.proposals import Proposal, Proposed, Wish, wish_of
from tui_agent.agent.proposing import propose
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Rewound, UserSaid
from tui_agent.core.events import Event


async def prepare(at: Desk) -> list[Event]:
    assert at.services.bench is not None
    return [event async for event in background.prepare(at.services.bench, at.session)]


async def test_a_summary_made_ahead_is_applied_without_asking_again(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, max_history_chars=1500, threshold=None, background_share=0.5) as at:
            await talk(at, server, *("word " * 20 for _ in range(8)))
            bench = at.services.bench
            assert bench is not None
            assert background.is_due(bench, at.session)
            before = at.session.context()
            server.script(says("- words were said"))
            await prepare(at)
            assert at.session.context() == before
            assert background.ready(bench, at.session) is not None
            assert not background.is_due(bench, at.session)
            server.script(says("answered"))
            asked = len(server.requests)
            compacted = entries_in(await at.say("word " * 40), Compacted)
            assert [each.trigger for each in compacted] == ["characters"]
            assert len(server.requests) == asked + 1
            assert background.ready(bench, at.session) is None


async def test_a_summary_made_ahead_is_stale_after_a_rewind(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, max_history_chars=1500, threshold=None, background_share=0.5) as at:
            await talk(at, server, *("word " * 20 for _ in range(8)))
            bench = at.services.bench
            assert bench is not None
            server.script(says("- words were said"))
            await prepare(at)
            await at.session.append(Rewound(3))
            assert background.ready(bench, at.session) is None


async def test_nothing_is_made_ahead_for_an_endpoint_elsewhere_unless_switched_on(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, background_share=0.0) as at:
            assert at.services.bench is not None
            assert background.warning_level(at.services.bench) == 0
            at.services.change_settings(background_share=None)
            assert background.warning_level(at.services.bench) == background.LOCAL_SHARE


async def ahead(at: Desk, server: ModelServer) -> Proposal:
    """A session with a summary made ahead."""
    await talk(at, server, *("word " * 20 for _ in range(8)))
    server.script(says("- words were said"))
    await prepare(at)
    assert at.services.bench is not None
    proposal = background.ready(at.services.bench, at.session)
    assert proposal is not None
    return proposal


async def test_a_summary_made_ahead_that_is_not_enough_any_more_is_not_used(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, max_history_chars=1500, threshold=None, background_share=0.5) as at:
            proposal = await ahead(at, server)
            bench, usage = at.services.bench, proposal.compacted.usage
            assert bench is not None
            assert usage is not None
            await at.session.append(*(UserSaid(text_parts("word " * 60)) for _ in range(6)))
            server.script(says("- words were said, also lately"))
            asked = len(server.requests)
            events = [event async for event in compact_if_due(bench, at.session, None)]
            assert len(server.requests) == asked + 1
            assert [each.upto > proposal.compacted.upto for each in entries_in(events, Compacted)] == [True]
            assert bench.prepared == {}
            assert bench.unused == usage.prompt + usage.completion


async def test_when_the_trigger_comes_it_is_applied_at_once_in_a_long_session_too(tmp_path: Path) -> None:
    def said(place: int) -> Entry:
        text = f"message {place}: see /srv/part{place}/main.toml " + "word " * 30
        return UserSaid(text_parts(text)) if place % 2 == 0 else AssistantSaid(text)

    with ModelServer(otherwise=says("- words were said")) as server:
        async with desk(server, tmp_path, max_messages=2_000, threshold=None, background_share=0.5) as at:
            await at.session.append(*map(said, range(1_996)))
            await prepare(at)
            await at.session.append(*map(said, range(1_996, 2_004)))
            assert at.services.bench is not None
            asked, started = len(server.requests), time.process_time()
            events = [event async for event in compact_if_due(at.services.bench, at.session, None)]
            taken = time.process_time() - started
            assert [each.trigger for each in entries_in(events, Compacted)] == ["messages"]
            assert len(server.requests) == asked
            assert taken < 0.1


async def test_a_preview_that_is_asked_for_shows_it_at_once_and_a_second_one_is_written(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, compaction_mode="ask", max_history_chars=1500, threshold=None) as at:
            proposal = await ahead(at, server)
            bench = at.services.bench
            assert bench is not None
            proposing = background.ready_first(bench, at.session, lambda wish: propose(bench, at.session, wish))
            first = [event async for event in proposing(Wish())]
            assert [event.proposal.compacted.text for event in first if isinstance(event, Proposed)] == [
                proposal.compacted.text
            ]
            assert len(first) == 1
            server.script(says("- words were said again"))
            again = [event async for event in proposing(Wish())]
            assert "again" in next(event.proposal.compacted.text for event in again if isinstance(event, Proposed))
            assert background.ready(bench, at.session) is proposal


async def test_what_a_summary_took_that_became_stale_is_not_forgotten(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, max_history_chars=1500, threshold=None, background_share=0.5) as at:
            proposal = await ahead(at, server)
            await at.session.append(Rewound(3))
            assert at.services.bench is not None
            assert background.ready(at.services.bench, at.session) is None
            usage = proposal.compacted.usage
            assert usage is not None
            assert at.services.bench.unused == usage.prompt + usage.completion > 0


async def test_a_compaction_by_hand_keeps_six_messages_at_most_unless_it_is_told_a_number(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, preset="messages", keep_recent=24, threshold=None, max_messages=80) as at:
            await talk(at, server, *(f"message {place}" for place in range(8)))
            server.script(says("- messages"), says("- messages"))
            proposals = [await at_hand(at, Wish()), await at_hand(at, Wish(keep=12))]
            assert [proposal.kept for proposal in proposals] == [6, 12]


async def at_hand(at: Desk, wish: Wish) -> Proposal:
    events = [event async for event in at.services.propose(at.session, wish)]
    return next(event.proposal for event in events if isinstance(event, Proposed))


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("", Wish()),
        ("the parser", Wish(focus="the parser")),
        ("keep 4", Wish(keep=4)),
        ("keep 4 the parser", Wish(keep=4, focus="the parser")),
        ("above #12", Wish(above=12)),
        ("ABOVE 12 the\nparser", Wish(above=12, focus="the\nparser")),
        ("keep the numbers", Wish(focus="keep the numbers")),
        ("above all the parser", Wish(focus="above all the parser")),
        ("keep 4x", Wish(focus="keep 4x")),
    ],
)
def test_the_words_behind_compact_say_a_range_and_a_focus(words: str, wish: Wish) -> None:
    assert wish_of(words) == wish
