"""What happens when the context cannot get below its trigger: no loop, one explanation, the chat goes on."""

from pathlib import Path
from typing import Any

from tests.fakes.desk import compact, desk, entries_in, finish_of, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tui_agent.core.entries import Compacted, Noticed

USAGE = {"prompt_tokens": 7200, "completion_tokens": 5, "total_tokens": 7205}


def summaries(server: ModelServer) -> int:
    return sum("record" in request.last_text for request in server.requests)


async def test_a_floor_above_the_trigger_is_summarised_at_most_twice_in_ten_turns(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return (
            says("- short messages were exchanged")
            if "record" in str(body["messages"][-1])
            else says("ok", usage=USAGE)
        )

    with ModelServer(otherwise=reply) as server:
        async with desk(
            server, tmp_path, context_window=8192, system_prompt="rule " * 5600, compaction_mode="auto"
        ) as at:
            notices: list[Noticed] = []
            for place in range(10):
                events = await at.say(f"message {place}")
                assert finish_of(events) == "stop"
                notices += entries_in(events, Noticed)
            assert summaries(server) <= 2
            paused = [each.text for each in notices if each.kind == "compaction paused"]
            assert len(paused) <= 1
            assert all("system prompt" in text for text in paused)


async def test_after_two_summaries_that_gained_nothing_it_is_said_once_what_the_context_is_made_of(
    tmp_path: Path,
) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("- nothing of note was said") if "record" in str(body["messages"][-1]) else says("ok", usage=None)

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, context_window=4096, system_prompt="rule about things. " * 760) as at:
            notices: list[Noticed] = []
            for place in range(10):
                notices += entries_in(await at.say(f"message {place}"), Noticed)
            assert summaries(server) == 2
            assert [each.kind for each in notices].count("compaction failed") == 2
            (paused,) = [each.text for each in notices if each.kind == "compaction paused"]
            assert "system prompt 3," in paused
            assert "Shorten the system prompt" in paused


async def test_one_message_longer_than_the_trigger_is_no_reason_to_loop(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("- words") if "record" in str(body["messages"][-1]) else says("ok")

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, context_window=8_000, threshold=0.05, keep_recent=4) as at:
            for _ in range(6):
                await at.say("a short one")
            notices: list[Noticed] = []
            for _ in range(3):
                events = await at.say("word " * 550)
                assert finish_of(events) == "stop"
                notices += entries_in(events, Noticed)
            assert summaries(server) <= 2
            assert [each.kind for each in notices].count("compaction paused") == 1


async def test_nothing_foldable_asks_no_summariser(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("ok", usage=USAGE)) as server:
        async with desk(server, tmp_path, context_window=8192, system_prompt="rule " * 5600) as at:
            for place in range(3):
                await at.say(f"message {place}")
            assert summaries(server) == 0
            assert len(server.requests) == 3


async def test_the_gauge_after_a_compaction_is_the_new_context(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 90_000, "completion_tokens": 10, "total_tokens": 90_010}
    with ModelServer() as server:
        async with desk(server, tmp_path, context_window=100_000, compaction_mode="remind") as at:
            for place in range(8):
                server.script(says("word " * 2_000, usage=usage if place == 7 else "counted"))
                await at.say("word " * 8_000)
            assert at.session.gauge().tokens >= 90_000
            server.script(says("- words", usage={"prompt_tokens": 88_000, "completion_tokens": 900}))
            compacted = await compact(at, keep=2)
            gauge = at.session.gauge()
            assert gauge.estimated
            assert 5_000 < gauge.tokens < 40_000
            assert gauge.tokens not in (90_010, 88_900)
            assert compacted.usage is not None
            assert compacted.usage.prompt == 88_000
            await talk(at, server, "next")
            assert not at.session.gauge().estimated


async def test_a_server_that_reports_nothing_is_measured_by_the_estimate(tmp_path: Path) -> None:
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    with ModelServer(
        otherwise=lambda body: says("- w") if "record" in str(body["messages"][-1]) else says("ok", usage=nothing)
    ) as server:
        async with desk(server, tmp_path, context_window=20_000) as at:
            seen = 0
            for _ in range(12):
                seen += len(entries_in(await at.say("word " * 1_500), Compacted))
            assert seen >= 1
