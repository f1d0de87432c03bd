"""A model that asks for the same thing again and again: told in the result, then the user is asked."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest

from tests.agent.tool_turns import DENIED, ONCE, ScriptedTool, is_valid, results_in, whole_log, workshop
from tests.fakes.desk import Desk, entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, calls, says
from tui_agent.agent.approval import Decision
from tui_agent.agent.doubts import Doubts
from tui_agent.agent.tools.base import ToolResult
from tui_agent.core.entries import Noticed, ToolCall, ToolReturned

TOLD = "Asking again will change nothing"


def look(**arguments: object) -> Scripted:
    return calls(Call("look", arguments))


async def told_in(at: Desk) -> list[bool]:
    """For each call, whether its result says that it was the same again."""
    return [TOLD in text for text in results_in(await whole_log(at)).values()]


async def test_the_third_time_the_model_is_told_and_after_the_fourth_the_user_is_asked(tmp_path: Path) -> None:
    with ModelServer(*(look(path="a") for _ in range(4))) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            at.approver.answers = [DENIED]
            events = await at.say("go")
            assert finish_of(events) == "limit"
            assert await told_in(at) == [False, False, True, True]
            assert "same call of look 4 times" in at.approver.asked[0].intent.title
            assert any("stopped here" in each.text for each in entries_in(events, Noticed))
            assert is_valid(at)
            assert TOLD in server.requests[-1].messages[-1]["content"]


async def test_the_user_can_let_it_go_on_and_is_asked_again_later(tmp_path: Path) -> None:
    with ModelServer(*(look(path="a") for _ in range(8)), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            at.approver.answers = [ONCE, ONCE]
            assert finish_of(await at.say("go")) == "stop"
            assert len(at.approver.asked) == 2


async def test_two_calls_that_take_turns_for_ever_are_noticed(tmp_path: Path) -> None:
    with ModelServer(*(look(path="ab"[place % 2]) for place in range(7))) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            at.approver.answers = [DENIED]
            assert finish_of(await at.say("go")) == "limit"
            assert (await told_in(at))[:6] == [False] * 4 + [True, True]


async def test_arguments_in_another_spelling_are_the_same_call(tmp_path: Path) -> None:
    spellings = ('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"b":2,"a":1}')
    with ModelServer(*(calls(Call("look", each)) for each in spellings), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            await at.say("go")
            assert await told_in(at) == [False, False, True]


async def test_waiting_for_something_that_changes_is_no_repetition(tmp_path: Path) -> None:
    rising = count()

    async def tell(arguments: Mapping[str, object]) -> ToolResult:
        return ToolResult(f"{next(rising)} %")

    with ModelServer(*(look(path="a") for _ in range(6)), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look", tell)) as at:
            await at.say("go")
            assert not any(await told_in(at))


async def test_testing_after_each_change_is_no_repetition(tmp_path: Path) -> None:
    rounds = [calls(Call("test"), Call("change", {"n": place})) for place in range(6)]
    with ModelServer(*rounds, says("done")) as server:
        tools = ScriptedTool("test"), ScriptedTool("change", kind="edit")
        async with workshop(server, tmp_path, *tools, approval="edits") as at:
            await at.say("go")
            assert not any(await told_in(at))


async def test_calls_that_fail_the_same_way_are_noticed_too(tmp_path: Path) -> None:
    with ModelServer(*(calls(Call("no_such_tool", {"a": 1})) for _ in range(4))) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            at.approver.answers = [DENIED]
            assert finish_of(await at.say("go")) == "limit"
            assert (await told_in(at))[2]


async def test_the_next_message_begins_anew(tmp_path: Path) -> None:
    with ModelServer(look(), look(), says("one"), look(), look(), says("two")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            await at.say("go")
            await at.say("again")
            assert not any(await told_in(at))


def repeat(doubts: Doubts, times: int, text: str = "x") -> ToolReturned:
    call = ToolCall("1", "look", "{}")
    for _ in range(times):
        returned = doubts.noted(call, ToolReturned("1", text))
    return returned


def test_what_was_folded_may_be_asked_for_again() -> None:
    doubts = Doubts(25)
    repeat(doubts, 2)
    doubts.after_compaction()
    assert repeat(doubts, 2).output == "x"
    assert TOLD in repeat(doubts, 1).output


@pytest.mark.parametrize("text", ["", "x", "x\n"])
def test_the_result_itself_stands_before_the_word_to_the_model(text: str) -> None:
    noted = repeat(Doubts(25), 3, text).output
    assert noted.startswith(text)
    assert noted[len(text) :].lstrip("\n").startswith("[The same call")


def test_half_a_surrogate_pair_and_broken_arguments_are_no_fault() -> None:
    doubts = Doubts(25)
    call = ToolCall("1", "look", "{}", malformed='{"a": \ud800')
    for _ in range(3):
        returned = doubts.noted(call, ToolReturned("1", "\ud800"))
    assert TOLD in returned.output


async def test_a_call_that_was_denied_is_not_asked_about_again_in_the_same_turn(tmp_path: Path) -> None:
    write = calls(Call("write", {"path": "a"}))
    other = calls(Call("write", {"path": "b"}))
    with ModelServer(write, write, other, says("I leave it."), write, says("Done.")) as server:
        async with workshop(server, tmp_path, tool := ScriptedTool("write", kind="edit")) as at:
            at.approver.answers = [DENIED, DENIED]
            assert finish_of(await at.say("go")) == "stop"
            assert [request.call.arguments for request in at.approver.asked] == ['{"path": "a"}', '{"path": "b"}']
            assert ["not asked about again" in text for text in results_in(await whole_log(at)).values()] == [
                False,
                True,
                False,
            ]
            at.approver.answers = [ONCE]
            assert finish_of(await at.say("yes, do it")) == "stop"
            assert len(tool.runs) == 1
            assert is_valid(at)


async def test_a_call_denied_with_a_reason_may_be_asked_about_again(tmp_path: Path) -> None:
    write = calls(Call("write", {"path": "a"}))
    with ModelServer(write, write, says("Done.")) as server:
        async with workshop(server, tmp_path, tool := ScriptedTool("write", kind="edit")) as at:
            at.approver.answers = [Decision("denied", "wait until it is saved"), ONCE]
            assert finish_of(await at.say("go")) == "stop"
            assert len(tool.runs) == 1
