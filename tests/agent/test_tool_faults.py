"""What endpoints do to tool calls on the way, as whole turns: which call runs, and what goes back."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tool_turns import ScriptedTool, is_valid, results_in, whole_log, workshop
from tests.fakes.desk import compact, entries_in, finish_of, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import DONE, Call, Cut, Scripted, calls, chunk, event, raw, refuses, says
from tui_agent.core.entries import AssistantSaid, Entry, TextPart, ToolCall, ToolReturned, UserSaid
from tui_agent.errors import CompactionError
from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint

A, B = '{"path":"a"}', '{"path":"b"}'


def fragment(arguments: str | None = None, **more: Any) -> dict[str, Any]:
    """One piece of a call; a name in `name` stands where endpoints put it."""
    function = {key: value for key, value in (("name", more.pop("name", None)), ("arguments", arguments)) if value}
    return {**more, "function": function}


def streamed(*deltas: dict[str, Any], finish: str = "tool_calls") -> Scripted:
    return raw(*[chunk(delta) for delta in deltas], chunk({}, finish), DONE)


def pieces(*fragments: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"tool_calls": [each]} for each in fragments]


READ = "read_file"
TWO_CALLS: dict[str, list[dict[str, Any]]] = {
    "no index": pieces(fragment('{"path":', id="a", name=READ), fragment('"a"}'), fragment(B, id="b", name=READ)),
    "the same index twice": pieces(fragment(A, index=0, id="a", name=READ), fragment(B, index=0, id="b", name=READ)),
    "interleaved": [
        {"tool_calls": [fragment('{"pa', index=0, id="a", name=READ), fragment('{"pat', index=1, id="b", name=READ)]},
        *pieces(fragment('h":"b"}', index=1), fragment('th":"a"}', index=0)),
    ],
    "counted from one": pieces(fragment(A, index=1, id="a", name=READ), fragment(B, index=2, id="b", name=READ)),
    "both at once without an index": [{"tool_calls": [fragment(A, id="a", name=READ), fragment(B, id="b", name=READ)]}],
    "empty ids and names later on": pieces(
        fragment('{"path"', index=0, id="a", name=READ),
        {"index": 0, "id": "", "function": {"name": None, "arguments": ':"a"}'}},
        fragment(B, index=1, id="b", name=READ),
    ),
    "words with null and empty lists between": [
        {"content": "I ", "tool_calls": None},
        {"content": "look", "tool_calls": []},
        *pieces(fragment(A, index=0, id="a", name=READ), fragment(B, index=1, id="b", name=READ)),
    ],
}


@pytest.mark.parametrize("deltas", TWO_CALLS.values(), ids=TWO_CALLS.keys())
async def test_two_calls_run_whatever_order_their_pieces_come_in(tmp_path: Path, deltas: list[dict[str, Any]]) -> None:
    tool = ScriptedTool(READ)
    with ModelServer(streamed(*deltas), says("done")) as server:
        async with workshop(server, tmp_path, tool) as at:
            assert finish_of(await at.say("go")) == "stop"
            assert sorted(str(run["path"]) for run in tool.runs) == ["a", "b"]
            assert list(results_in(await whole_log(at))) == ["a", "b"]


async def test_a_call_whose_id_is_told_twice_is_one_call(tmp_path: Path) -> None:
    tool = ScriptedTool(READ)
    again = {"index": 0, "id": "a", "function": {"name": "", "arguments": ':"a"}'}}
    with ModelServer(streamed(*pieces(fragment('{"path"', index=0, id="a", name=READ), again)), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("go")
            assert tool.runs == [{"path": "a"}]


async def test_a_call_without_an_id_gets_one_that_its_result_bears_too(tmp_path: Path) -> None:
    tool = ScriptedTool(READ)
    nameless = pieces(fragment(A, index=0, name=READ), fragment(B, index=1, name=READ))
    with ModelServer(streamed(*nameless, finish="stop"), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("go")
            assert len(tool.runs) == 2
            sent = server.requests[-1].messages
            ids = [call["id"] for call in sent[-3]["tool_calls"]]
            assert [message["tool_call_id"] for message in sent[-2:]] == ids
            assert all(ids)


# ── usage ────────────────────────────────────────────────────────────────────


def usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


ENDINGS = {
    "in a last chunk without choices": [
        chunk({"content": "Hi"}),
        chunk({}, "stop"),
        event({"choices": [], "usage": usage(10, 3)}),
    ],
    "as a running total in every chunk": [
        chunk({"content": "H"}, usage=usage(10, 1)),
        chunk({"content": "i"}, usage=usage(10, 2)),
        chunk({}, "stop", usage=usage(10, 3)),
    ],
    "in a chunk that lacks choices": [chunk({"content": "Hi"}), chunk({}, "stop"), event({"usage": usage(10, 3)})],
    "beside choices that are null": [
        chunk({"content": "Hi"}, usage=None),
        chunk({}, "stop", usage=None),
        event({"choices": None, "usage": usage(10, 3)}),
    ],
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS.keys())
async def test_the_last_usage_counts_wherever_it_comes(tmp_path: Path, ending: list[bytes]) -> None:
    with ModelServer(raw(*ending, DONE)) as server:
        async with workshop(server, tmp_path, ScriptedTool(READ)) as at:
            said = entries_in(await at.say("hi"), AssistantSaid)[0]
            assert said.text == "Hi"
            assert said.usage is not None
            assert (said.usage.prompt, said.usage.completion) == (10, 3)


# ── reasoning ────────────────────────────────────────────────────────────────

THOUGHTS: dict[str, list[dict[str, Any]]] = {
    "twice": [{"reasoning_content": "need ", "reasoning": "need "}, {"reasoning_content": "date", "reasoning": "date"}],
    "as reasoning": [{"reasoning": "need "}, {"reasoning": "date"}],
    "as details": [{"reasoning_details": [{"type": "reasoning.text", "text": "need date"}]}],
}
FIELDS = {"twice": "reasoning_content", "as reasoning": "reasoning", "as details": "reasoning_details"}


@pytest.mark.parametrize("way", THOUGHTS)
async def test_reasoning_goes_back_beside_its_calls_to_the_endpoint_it_came_from_alone(
    tmp_path: Path, way: str
) -> None:
    thinking = streamed(
        *THOUGHTS[way],
        {"tool_calls": [fragment("{}", index=0, id="n", name="now")]},
        {"reasoning_content": None, "content": ""},
    )
    field = FIELDS[way]
    with ModelServer() as server, ModelServer(says("elsewhere")) as other:
        async with workshop(server, tmp_path, ScriptedTool("now")) as at:
            await talk(at, server, *(f"message {place}" for place in range(6)))
            server.script(thinking, says("It is Monday."))
            events = await at.say("which day?")
            said = entries_in(events, AssistantSaid)[0]
            assert said.reasoning is not None
            assert said.reasoning.text == "need date"

            def sent_back(requested: ModelServer) -> object:
                asked = next(each for each in requested.requests[-1].messages if each.get("tool_calls"))
                return asked.get(field)

            assert "need" in str(sent_back(server))
            server.script(says("- messages were said"), says("ok"))
            await compact(at, keep=4)
            assert "need date" not in "\n".join(server.requests[-1].texts), "it is no material for a summary"
            await at.reopen()
            await at.say("and now?")
            assert "need" in str(sent_back(server))
            assert at.services.bench is not None
            connection = at.services.bench.connection
            await connection.client.aclose()
            connection.endpoint = Endpoint(other.url)
            connection.client = ModelClient(connection.endpoint)
            await at.say("and there?")
            assert sent_back(other) is None
            assert "need date" not in str(other.requests[-1].body)


# ── answers that break ───────────────────────────────────────────────────────


async def test_an_answer_that_broke_is_asked_again_without_doubling_anything(tmp_path: Path) -> None:
    tool = ScriptedTool("look")
    broken = Scripted(pieces=["The answer ", "is "], end=Cut())
    with ModelServer(broken, says("The answer is 42.")) as server:
        async with workshop(server, tmp_path, tool) as at:
            assert finish_of(await at.say("q")) == "failed"
            events = await at.take(at.services.turn(at.session, at.approver).retry())
            assert [each.text for each in entries_in(events, AssistantSaid)] == ["The answer is 42."]
            assert [each.text for each in at.session.context().messages][1:] == ["q", "The answer is 42."]
            assert server.requests[-1].texts[1:] == ["q"]


async def test_a_call_that_broke_and_came_again_runs_once_with_whole_arguments(tmp_path: Path) -> None:
    tool = ScriptedTool("look", kind="edit")
    whole = Call("look", {"path": "a.txt"})
    with ModelServer(calls(whole, end=Cut()), calls(whole), says("ok")) as server:
        async with workshop(server, tmp_path, tool, approval="all") as at:
            await at.say("q")
            await at.take(at.services.turn(at.session, at.approver).retry())
            assert tool.runs == [{"path": "a.txt"}]
            results_in(await whole_log(at))


async def test_a_field_that_an_endpoint_refuses_is_left_out_from_then_on(tmp_path: Path) -> None:
    detail = {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
    refusal = refuses(422, {"detail": [detail]})
    with ModelServer(refusal, calls(Call("look")), says("ok")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            assert finish_of(await at.say("q")) == "stop"
            assert ["stream_options" in each.body for each in server.requests] == [True, False, False]


async def test_any_other_refusal_is_told_and_not_repeated(tmp_path: Path) -> None:
    with ModelServer(refuses(422, {"message": "no"}), says("ok")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            assert finish_of(await at.say("q")) == "failed"
            assert len(server.requests) == 1
            assert finish_of(await at.say("again")) == "stop"


# ── logs that were broken before ─────────────────────────────────────────────


def said(text: str) -> UserSaid:
    return UserSaid((TextPart(f"{text} " + "and more " * 150),))


def asking(*ids: str) -> AssistantSaid:
    return AssistantSaid("", tool_calls=tuple(ToolCall(each, READ, A) for each in ids), finish="tool_calls")


def result(call_id: str, output: str) -> ToolReturned:
    """A result long enough for a summary to be shorter; the first words must not get lost."""
    return ToolReturned(call_id, f"{output} " + "and more " * 150, name=READ)


OLD_LOGS: dict[str, list[Entry]] = {
    "whole": [
        said("compare a and b"),
        asking("call_a", "call_b"),
        result("call_a", "kept-AAA"),
        result("call_b", "kept-BBB"),
        asking("call_c"),
        result("call_c", "kept-CCC"),
        said("thanks, now c"),
    ],
    "two steps, then both results": [
        said("go"),
        asking("c1"),
        asking("c2"),
        result("c1", "kept-one"),
        result("c2", "kept-two"),
        said("next"),
    ],
    "a result is missing": [
        said("compare a and b"),
        asking("call_a", "call_b"),
        result("call_a", "kept-AAA"),
        asking("call_c"),
        result("call_c", "kept-CCC"),
        said("thanks, now c"),
    ],
    "results come twice, late, or for nothing": [
        said("go"),
        asking("a"),
        result("a", "kept-first"),
        result("a", "second"),
        result("never asked", "x"),
        AssistantSaid("done"),
        result("a", "third"),
        said("next"),
    ],
    "empty answers and odd calls": [
        said("go"),
        AssistantSaid("", finish=None),
        AssistantSaid("  \n"),
        asking("", "", "x", "x"),
        result("x", "half \ud83d"),
        AssistantSaid("", tool_calls=(ToolCall("y", "", "not json"), ToolCall("z", " odd name ", "[1]"))),
        said("next \ud83d"),
    ],
}


def answer(body: dict[str, Any]) -> Scripted:
    is_chat = "terminal" in str(body["messages"][0].get("content"))
    return says("fine") if is_chat else says("- files were compared")


@pytest.mark.parametrize("entries", OLD_LOGS.values(), ids=OLD_LOGS.keys())
async def test_a_log_that_was_broken_before_is_repaired_when_sent_at_every_cut(
    tmp_path: Path, entries: list[Entry]
) -> None:
    cuts: set[int] = set()
    with ModelServer(otherwise=answer) as server:
        async with workshop(server, tmp_path, ScriptedTool(READ)) as at:
            for keep in range(1, 8):
                at.session = at.services.new_session()
                await at.session.append(*entries)
                before = len(server.requests)
                with suppress(CompactionError):
                    cuts.add((await compact(at, keep=keep)).upto)
                assert finish_of(await at.say("continue")) == "stop"
                assert is_valid(at)
                assert server.complaints == []
                sent = "\n".join(text for each in server.requests[before:] for text in each.texts)
                for entry in entries:
                    if isinstance(entry, ToolReturned) and entry.output.startswith("kept"):
                        assert entry.output.split()[0] in sent, "it is in the summary request or in the chat's"
    assert cuts, "something was folded at all"
