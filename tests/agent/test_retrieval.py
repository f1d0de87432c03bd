from pathlib import Path

from tests.fakes.desk import compact, desk, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says


async def test_a_folded_message_comes_back_for_one_request_and_is_counted(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, retrieve=True) as at:
            server.script(says("The scheduler retries a job seven times, then parks it."))
            await at.say("how does the scheduler treat failing jobs?")
            await talk(at, server, *(f"filler {place}" for place in range(6)))
            server.script(says("- a scheduler was discussed"))
            await compact(at, keep=2)
            before = at.session.gauge()
            server.script(says("seven"))
            await at.say("how many times does the scheduler retry?")
            assert "retries a job seven times" in server.requests[-1].texts[1]
            assert at.session.retrieved == ()
            assert all("retries a job seven" not in each.text for each in at.session.context().messages)
            at.session.retrieved = ("[3] assistant: " + "word " * 50,)
            assert at.session.gauge().tokens > before.tokens + 40
            assert at.session.gauge().parts.retrieved > 40
            assert before.parts.retrieved == 0


async def test_nothing_is_brought_back_unless_it_is_switched_on(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "the scheduler retries seven times", *(f"filler {place}" for place in range(6)))
            server.script(says("- nothing much"))
            await compact(at, keep=2)
            server.script(says("hm"))
            await at.say("what about the scheduler?")
            assert "Found in the archive" not in "".join(server.requests[-1].texts)
