"""A window that an endpoint names when it refuses a request: gone by at once, in later runs, and against a setting."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import desk, entries_in, finish_of, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, refuses, says
from tui_agent.core.entries import Noticed

LIMIT = 4096
SAID = "some words " * 40
LONG = "plain words of talk " * 700


def answering(body: dict[str, Any]) -> Scripted:
    return says("- talk" if "record" in str(body["messages"][-1]) else "ok", usage=None)


def too_long(body: dict[str, Any]) -> Scripted:
    message = f"The input (9100 tokens) is longer than the model's context length ({LIMIT} tokens)."
    return refuses(400, {"message": message, "type": "BadRequestError", "code": 400})


def models(window: int | None) -> list[str | dict[str, Any]]:
    return ["fake-model"] if window is None else [{"id": "fake-model", "max_model_len": window}]


@pytest.mark.parametrize("listed", [None, 32_768])
async def test_it_holds_in_the_next_run_while_the_endpoint_claims_what_it_claimed(
    tmp_path: Path, listed: int | None
) -> None:
    with ModelServer(otherwise=answering, models=models(listed)) as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, *[SAID] * 5)
            server.script(too_long)
            assert finish_of(await at.say("the last straw")) == "stop"
            gauge = at.session.gauge()
            assert (gauge.window, gauge.window_source) == (LIMIT, "overflow error")
        async with desk(server, tmp_path) as at:
            assert at.session.gauge().window == LIMIT
            asked = len(server.requests)
            await at.say(LONG)
            assert server.requests[asked:] == [] or len(server.requests[-1].last_text) < 4 * LIMIT
        async with desk(server, tmp_path, model="another") as at:
            assert at.session.gauge().window != LIMIT
    with ModelServer(models=models(16_384), port=server.port) as restarted:
        async with desk(restarted, tmp_path) as at:
            assert at.session.gauge().window == 16_384


async def test_a_larger_one_that_the_user_has_set_is_obeyed_and_told_of_once(tmp_path: Path) -> None:
    with ModelServer(otherwise=answering) as server:
        async with desk(server, tmp_path, context_window=32_768) as at:
            notices: list[Noticed] = []
            for _ in range(2):
                await talk(at, server, *[SAID] * 5)
                server.script(too_long)
                notices += entries_in(await at.say("the last straw"), Noticed)
            assert at.session.gauge().window == 32_768
            told = [each.text for each in notices if "context_window" in each.text]
            assert len(told) == 1
            assert "4,096" in told[0]
            assert "32,768" in told[0]
