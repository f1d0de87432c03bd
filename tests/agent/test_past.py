"""The archive as the model's own search finds it."""

from pathlib import Path

from tests.agent.tool_turns import results_in, whole_log, workshop
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tui_agent.agent.past import Past
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import AssistantSaid, Pruned, ToolCall, ToolReturned, Unpruned, UserSaid

SEARCH = Call("search_past_messages", {"query": "planets rings"})


async def test_a_search_finds_neither_the_question_nor_itself(tmp_path: Path) -> None:
    answers = [calls(SEARCH), calls(SEARCH), says("I do not know.")]
    with ModelServer(*answers) as server:
        async with workshop(server, tmp_path) as at:
            await at.say("Which planets have rings?")
            found = results_in(await whole_log(at)).values()
            assert len(found) == 2
            assert all(result.startswith("Nothing in the archive matches") for result in found)


async def test_a_search_finds_nothing_of_the_turn_it_is_made_in(tmp_path: Path) -> None:
    look = Call("list_files", {"path": "."})
    with ModelServer(
        calls(SEARCH, text="I will look for planets with rings."),
        calls(look, text="No planets, so: rings of files."),
        calls(SEARCH, text="Once more, for planets with rings."),
        says("I do not know."),
    ) as server:
        async with workshop(server, tmp_path) as at:
            await at.say("Which planets have rings?")
            log = await whole_log(at)
            found = [each.entry for each in log if isinstance(each.entry, ToolReturned)]
            searches = [each.output for each in found if each.name == "search_past_messages"]
            assert len(searches) == 2
            assert all(result.startswith("Nothing in the archive matches") for result in searches)


async def test_a_result_of_this_turn_is_found_only_while_it_is_left_out(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            call = ToolCall("c1", "read_file", '{"path":"sky.txt"}')
            await at.session.append(
                UserSaid(text_parts("Look.")),
                AssistantSaid("", tool_calls=(call,)),
                ToolReturned("c1", "planets with rings", name="read_file"),
            )
            past = Past(lambda: at.session)
            assert not await past.search("planets rings", "this", 8)
            await at.session.append(Pruned((3,), ("[left out]",)))
            (hit,) = await past.search("planets rings", "this", 8)
            assert hit.message.seq == 3
            await at.session.append(Unpruned((3,)))
            assert not await past.search("planets rings", "this", 8)


async def test_neighbours_of_what_is_found_are_none_of_the_running_turn(tmp_path: Path) -> None:
    answers = [says("Saturn, with planets and rings."), calls(SEARCH, text="I will look."), says("Saturn.")]
    with ModelServer(*answers) as server:
        async with workshop(server, tmp_path) as at:
            await at.say("Tell me of the sky.")
            await at.say("And what was that again?")
            (result,) = results_in(await whole_log(at)).values()
            assert "Saturn, with planets and rings." in result
            assert "Tell me of the sky." in result
            assert "what was that again" not in result


async def test_a_search_finds_what_was_said_before_and_not_the_searches_in_between(tmp_path: Path) -> None:
    answers = [says("Saturn and three others."), calls(SEARCH), says("Four."), calls(SEARCH), says("Still four.")]
    with ModelServer(*answers) as server:
        async with workshop(server, tmp_path) as at:
            await at.say("Which planets have rings?")
            await at.say("How many planets with rings did I ask about?")
            await at.say("And again, how many planets with rings?")
            log = await whole_log(at)
            first, second = results_in(log).values()
            assert first.count("[entry") == 1
            assert "Which planets have rings?" in first
            assert "Saturn and three others." in first
            assert second.count("[entry") == 2
            assert "search_past_messages" not in second
