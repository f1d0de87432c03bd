"""The archive as the model's own search finds it."""

from pathlib import Path

from tests.agent.tool_turns import results_in, whole_log, workshop
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says

SEARCH = Call("search_past_messages", {"query": "planets rings"})


async def test_a_search_finds_neither_the_question_nor_itself(tmp_path: Path) -> None:
    answers = [calls(SEARCH), calls(SEARCH), says("I do not know.")]
    with ModelServer(*answers) as server:
        async with workshop(server, tmp_path) as at:
            await at.say("Which planets have rings?")
            found = results_in(await whole_log(at)).values()
            assert len(found) == 2
            assert all(result.startswith("Nothing in the archive matches") for result in found)


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
