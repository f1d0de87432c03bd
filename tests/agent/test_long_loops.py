"""Turns that read far more than the window holds: looked at after every round, made to fit, and never derailed."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tool_turns import ScriptedTool, give, is_valid, results_in, whole_log, workshop
from tests.fakes.desk import Desk, entries_in, finish_of
from tests.fakes.model_server import ModelServer, Recorded, count_tokens
from tests.fakes.script import Call, Scripted, calls, refuses, says
from tui_agent.agent import changes
from tui_agent.agent.tools.base import ToolResult
from tui_agent.core.entries import Compacted, Failed, Noticed, Pruned, ToolReturned
from tui_agent.core.events import Appended, CompactionStarted, ContextMeasured, Event, RequestSent

WINDOW = 16_000
TASK = "read all files and tell me which of them mentions the deploy date"


def is_summary_request(body: dict[str, Any]) -> bool:
    """Told from a request of the chat by what it must not carry: the chat's own system prompt."""
    return "terminal" not in str(body["messages"][0].get("content"))


class Reader:
    """A model that reads one file after the other, then answers."""

    def __init__(self, rounds: int, *, at_once: int = 1, summary: str = "- files were read") -> None:
        self._rounds = rounds
        self._at_once = at_once
        self._summary = summary
        self._asked = 0

    def __call__(self, body: dict[str, Any]) -> Scripted:
        if is_summary_request(body):
            return says(self._summary)
        if self._asked < self._rounds:
            self._asked += 1
            first = self._asked * self._at_once
            return calls(*(Call("read_file", {"path": f"file{first + each}.txt"}) for each in range(self._at_once)))
        return says("all read")


def reading(output: str | Sequence[str]) -> ScriptedTool:
    """A read_file that gives this, or these in turn."""
    outputs = [output] if isinstance(output, str) else list(output)

    async def read(arguments: Mapping[str, object]) -> ToolResult:
        text = outputs.pop(0) if len(outputs) > 1 else outputs[0]
        return ToolResult(text, subject=str(arguments["path"]))

    return ScriptedTool("read_file", read, parameters='{"type":"object","properties":{"path":{"type":"string"}}}')


def changing(text: str) -> list[str]:
    """What a file that is written to holds at each reading; nine of nearly the same length."""
    return [f"revision {place}\n{text}" for place in range(9)]


def chat_requests(server: ModelServer) -> list[Recorded]:
    return [each for each in server.requests if not is_summary_request(each.body)]


def check_requests(server: ModelServer, window: int = WINDOW) -> None:
    """No request was over the window, and every one of the chat carries the task word for word."""
    assert server.complaints == []
    assert max(count_tokens(each.body) for each in server.requests) <= window
    for request in chat_requests(server):
        assert TASK in "\n".join(request.texts)
        last = request.messages[-1]
        if last["role"] == "tool":
            asking = next(each for each in reversed(request.messages) if each["role"] == "assistant")
            assert last["tool_call_id"] in [call["id"] for call in asking["tool_calls"]]


async def test_eight_long_readings_in_one_turn_never_reach_the_window(tmp_path: Path) -> None:
    with ModelServer(otherwise=Reader(8), window=WINDOW) as server:
        async with workshop(server, tmp_path, context_window=WINDOW, threshold=0.75) as at:
            for place in range(12):
                (tmp_path / "work" / f"file{place}.txt").write_text("word " * 1600)
            events = await at.say(TASK)
            assert finish_of(events) == "stop"
            check_requests(server)
            assert entries_in(events, Compacted)
            kinds = [type(each) for each in events]
            assert kinds.index(CompactionStarted) > kinds.index(RequestSent), "it happens inside the turn"
            assert len(chat_requests(server)) == 9, "every round was asked for once"
            newest = chat_requests(server)[-1].messages[-1]
            assert newest["content"].count("word") == 1600, "the newest result is whole"
            assert len(results_in(await whole_log(at))) == 8
            assert is_valid(at)


@pytest.mark.parametrize(("window", "seed"), [(4_000, 0), (4_000, 1), (8_192, 2)])
async def test_loops_of_any_length_and_size_fit(tmp_path: Path, window: int, seed: int) -> None:
    words = ["word", "wörter", "数据", "0x1f", "foo(bar)"][seed % 5]
    sizes = [(seed * 7919 + place * 104729) % (window * 3) for place in range(60)]
    outputs = [f"{words} " * (size // len(words)) + f"end {place}" for place, size in enumerate(sizes)]
    reader = Reader(10, at_once=seed + 1)
    with ModelServer(otherwise=reader, window=window) as server:
        async with workshop(server, tmp_path, reading(outputs), context_window=window) as at:
            events = await at.say(TASK)
            assert finish_of(events) == "stop", entries_in(events, Failed)
            check_requests(server, window)
            log = await whole_log(at)
            stored = [each.entry.output for each in log if isinstance(each.entry, ToolReturned)]
            assert all(output in outputs for output in stored), "the archive keeps every result whole"


async def test_the_trigger_counts_the_system_prompt_and_the_tools(tmp_path: Path) -> None:
    with ModelServer(says("ok"), says("ok")) as server:
        async with workshop(server, tmp_path, reading("x"), context_window=WINDOW) as at:
            await at.say("hi")
            bare = at.session.gauge()
            assert at.services.bench is not None
            wordy = ScriptedTool("wordy", parameters='{"type":"object","description":"' + "x" * 8000 + '"}')
            give(at, *at.services.bench.tools.values(), wordy)
            assert at.session.gauge().parts.tools > bare.parts.tools + 1000
            assert at.session.gauge().tokens > bare.tokens + 1000
            at.services.change_settings(system_prompt="terminal " * 1000)
            assert at.session.gauge().parts.system > bare.parts.system + 900
            await at.say("again")
            sent = count_tokens(server.requests[-1].body)
            assert sent > 4000


async def test_an_overflow_the_estimate_did_not_foresee_compacts_once_and_asks_once_more(tmp_path: Path) -> None:
    overflow = refuses(
        400,
        {
            "message": "This model's maximum context length is 6000 tokens. However, you requested 7000 tokens.",
            "code": "context_length_exceeded",
        },
    )
    with ModelServer() as server:
        async with workshop(server, tmp_path, reading("word " * 500), context_window=WINDOW) as at:
            for _ in range(4):
                server.script(says("ok"))
                await at.say("word " * 300)
            server.script(calls(Call("read_file", {"path": "a"})), overflow, says("- words"), says("done"))
            events = await at.say(TASK)
            assert finish_of(events) == "stop"
            assert len(entries_in(events, Compacted)) == 1


async def test_an_overflow_that_stays_ends_in_one_clear_error(tmp_path: Path) -> None:
    overflow = refuses(400, {"message": "maximum context length is 16000 tokens", "code": "context_length_exceeded"})
    with ModelServer() as server:
        async with workshop(server, tmp_path, reading("word " * 500), context_window=WINDOW) as at:
            for _ in range(6):
                server.script(says("ok"))
                await at.say("word " * 300)
            server.script(overflow, says("- words"), overflow)
            before = len(server.requests)
            events = await at.say(TASK)
            assert finish_of(events) in ("failed", "refused")
            assert len(entries_in(events, Failed)) == 1
            assert len(server.requests) - before == 3


async def test_in_mode_remind_a_loop_that_would_overflow_is_refused_here_with_the_choices(tmp_path: Path) -> None:
    with ModelServer(otherwise=Reader(12), window=4_000) as server:
        async with workshop(
            server, tmp_path, reading("word " * 800), context_window=4_000, compaction_mode="remind"
        ) as at:
            events = await at.say(TASK)
            assert finish_of(events) == "refused"
            assert "not sent" in str(entries_in(events, Failed)[0].meaning)
            assert not entries_in(events, Compacted)
            check_requests(server, 4_000)
            results_in(await whole_log(at))


# ── a single result that is too large ────────────────────────────────────────


async def test_a_result_larger_than_what_is_left_is_clipped_with_a_pointer_and_kept_whole(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    whole = "\n".join(f"line {number} of the file" for number in range(1900))
    (tmp_path / "work" / "large.txt").write_text(whole)
    with ModelServer(calls(Call("read_file", {"path": "large.txt"}, "r")), says("done"), window=WINDOW) as server:
        async with workshop(server, tmp_path, context_window=WINDOW) as at:
            events = await at.say(TASK)
            assert finish_of(events) == "stop"
            sent = server.requests[-1].last_text
            returned = next(
                each.logged
                for each in events
                if isinstance(each, Appended) and isinstance(each.logged.entry, ToolReturned)
            )
            assert len(sent) < len(whole)
            assert sent.startswith("line 0 ")
            assert sent.endswith("line 1899 of the file")
            assert f"entry {returned.seq}" in sent
            assert results_in(await whole_log(at))["r"] == whole
            check_requests(server)
            server.script(calls(Call("search_past_messages", {"entry": returned.seq})), says("found"))
            await at.say("look at it again")
            assert "line 40 of the file" in server.requests[-1].last_text, "the pointer leads there"


async def test_a_batch_whose_results_are_too_large_together_fits_too(tmp_path: Path) -> None:
    with ModelServer(otherwise=Reader(1, at_once=8), window=WINDOW) as server:
        async with workshop(server, tmp_path, reading("word " * 2500), context_window=WINDOW) as at:
            events = await at.say(TASK)
            assert finish_of(events) == "stop"
            check_requests(server)
            assert len(chat_requests(server)[-1].messages) == 11, "all of the batch stands there"


# ── the cheapest first ───────────────────────────────────────────────────────


async def read_again(at: Desk, server: ModelServer, times: int) -> list[Event]:
    """A turn that reads the same file so often, and then says something."""
    server.script(*[calls(Call("read_file", {"path": "same.txt"}))] * times, says("done"))
    return await at.say(TASK)


async def test_superseded_readings_are_stubbed_before_any_summary_and_brought_back_on_request(tmp_path: Path) -> None:
    with ModelServer(window=WINDOW) as server:
        async with workshop(
            server, tmp_path, reading(changing("word " * 1600)), context_window=WINDOW, keep_recent=2
        ) as at:
            events = await read_again(at, server, 9)
            assert finish_of(events) == "stop"
            pruned = [each for each in entries_in(events, Pruned) if "newer one stands below" in each.stubs[0]]
            assert pruned
            assert not entries_in(events, Compacted), "stubs were enough"
            check_requests(server)
            stub = pruned[0].stubs[0]
            assert "read_file same.txt" in stub
            assert "8,011 characters" in stub
            assert f"entry {pruned[0].seqs[0]}" in stub
            assert any("tokens freed" in each.text for each in entries_in(events, Noticed))
            measured = [each.gauge.tokens for each in events if isinstance(each, ContextMeasured)]
            assert any(later < earlier - 1000 for earlier, later in pairwise(measured)), "the gauge shows the gain"

            before = at.session.gauge().tokens
            await changes.unprune(at.session)
            assert at.session.gauge().tokens > before + 1000
            assert all(
                stub not in message.text for message in at.session.context().messages for stub in pruned[0].stubs
            )
            assert is_valid(at)


async def test_readings_that_had_to_be_clipped_are_stubbed_too_once_they_are_superseded(tmp_path: Path) -> None:
    with ModelServer(window=WINDOW) as server:
        async with workshop(
            server, tmp_path, reading(changing("word " * 8000)), context_window=WINDOW, keep_recent=2
        ) as at:
            events = await read_again(at, server, 9)
            assert finish_of(events) == "stop"
            assert not entries_in(events, Compacted), "stubs were enough"
            check_requests(server)


async def test_what_was_brought_back_and_does_not_fit_is_compacted_not_stubbed_again(tmp_path: Path) -> None:
    with ModelServer(window=WINDOW) as server:
        async with workshop(
            server, tmp_path, reading(changing("word " * 1600)), context_window=WINDOW, keep_recent=2
        ) as at:
            await read_again(at, server, 9)
            await changes.unprune(at.session)
            server.script(says("- the file was read nine times"), says("fine"))
            events = await at.say(TASK)
            assert finish_of(events) == "stop"
            assert entries_in(events, Compacted)
            check_requests(server)


async def test_a_loop_can_be_undone_and_goes_on_where_that_fits(tmp_path: Path) -> None:
    reader = Reader(5)
    with ModelServer(otherwise=reader) as server:
        async with workshop(server, tmp_path, reading("word " * 1200), context_window=8_192) as at:
            events = await at.say(TASK)
            assert entries_in(events, Compacted)
            at.services.change_settings(context_window=60_000)
            whole = [message.text for message in at.session.context().messages]
            await changes.undo(at.session)
            undone = [message.text for message in at.session.context().messages]
            assert sum("word word" in text for text in undone) == 5 > sum("word word" in text for text in whole)
            assert is_valid(at)
            assert finish_of(await at.say("go on")) == "stop"
