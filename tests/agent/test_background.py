from pathlib import Path

from tests.fakes.desk import Desk, desk, entries_in, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.agent import background, changes
from tui_agent.core.entries import Compacted
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
            await changes.rewind(at.session, 3)
            assert background.ready(bench, at.session) is None


async def test_nothing_is_made_ahead_for_an_endpoint_elsewhere_unless_switched_on(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, background_share=0.0) as at:
            assert at.services.bench is not None
            assert background.warning_level(at.services.bench) == 0
            at.services.change_settings(background_share=None)
            assert background.warning_level(at.services.bench) == background.LOCAL_SHARE
