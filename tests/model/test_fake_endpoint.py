"""The scripted endpoint itself: strict both ways, with a window of its own, and startable by hand."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tests.model.asking import QUESTION, asked, client_of, outcome_of
from tui_agent.core.messages import Message
from tui_agent.errors import ContextOverflow, RequestRefused
from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.wire import Request


async def test_an_unexpected_request_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="unexpected request"), ModelServer() as server:
        await asked(server)


def test_an_answer_nobody_asked_for_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="never asked for"), ModelServer(says("hi")):
        pass


async def test_an_invalid_request_is_refused_and_fails_the_test() -> None:
    orphan = (*QUESTION, Message("tool", "result", call_id="nobody"))
    server = ModelServer(says("hi")).start()
    outcome = await asked(server, orphan)
    server.stop()
    assert isinstance(outcome.error, RequestRefused)
    with pytest.raises(AssertionError, match="invalid request"):
        server.check()


async def test_an_answer_can_depend_on_the_request() -> None:
    def shouted(body: dict[str, list[dict[str, str]]]) -> Scripted:
        return says(body["messages"][-1]["content"].upper())

    with ModelServer(otherwise=shouted) as server:
        assert (await asked(server)).reply.text == "WHAT IS IT?"
        assert (await asked(server)).reply.text == "WHAT IS IT?"


@pytest.mark.parametrize("overflow", ["openai", "llama.cpp", "vllm"])
async def test_a_request_over_the_window_is_refused_in_the_endpoints_words(overflow: str) -> None:
    with ModelServer(window=20, overflow=overflow) as server:  # type: ignore[arg-type]
        outcome = await asked(server)
    assert isinstance(outcome.error, ContextOverflow)
    assert outcome.error.limit == 20


async def test_a_server_that_cuts_in_silence_reports_half_its_window() -> None:
    with ModelServer(says("ok"), window=20, overflow="ollama") as server:
        usage = (await asked(server)).reply.usage
    assert usage is not None
    assert usage.prompt == 12


async def test_it_can_be_started_by_hand_with_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    rules = [{"contains": "weather", "text": "Rain."}]
    replies = [{"text": "First."}, {"tool_calls": [{"name": "now"}]}]
    script.write_text(json.dumps({"rules": rules, "replies": replies, "models": ["m"]}))
    command = [sys.executable, "-m", "tests.fakes.model_server", "--script", str(script)]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    url = json.loads(await process.stdout.readline())["url"]
    client = ModelClient(Endpoint(url))
    said = [
        await outcome_of(client, Request((QUESTION[0], Message("user", text)), "m")) for text in ("a", "weather", "b")
    ]
    assert [outcome.reply.text for outcome in said] == ["First.", "Rain.", ""]
    assert said[2].reply.tool_calls[0].name == "now"
    assert (await outcome_of(client, Request((QUESTION[0], Message("user", "c")), "m"))).reply.text == "You said: c"
    await client.aclose()
    process.terminate()
    await process.wait()


async def test_the_same_client_serves_many_questions() -> None:
    with ModelServer(*[says(str(number)) for number in range(20)]) as server:
        client = client_of(server)
        answers = [(await outcome_of(client, Request(QUESTION, "m"))).reply.text for _ in range(20)]
        await client.aclose()
    assert answers == [str(number) for number in range(20)]
