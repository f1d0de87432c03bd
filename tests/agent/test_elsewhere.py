"""A session that goes on somewhere else: in another directory, or with another endpoint's key."""

from pathlib import Path

import pytest

from tests.agent.tool_turns import ONCE
from tests.fakes.desk import desk, entries_in
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tui_agent.core.entries import ToolReturned


async def test_the_model_is_told_the_directory_that_its_tools_act_in(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for place in (first, second):
        place.mkdir()
        (place / f"of_the_{place.name}.txt").touch()
    with ModelServer(says("hello"), calls(Call("list_files", {})), says("done")) as server:
        async with desk(server, tmp_path / "data", directory=first, tools=True) as at:
            await at.say("hi")
            begun = at.session.id
        async with desk(server, tmp_path / "data", directory=second, tools=True) as at:
            at.session = await at.services.open_session(begun)
            told = await at.say("what is here?")
    assert str(first) in server.requests[0].texts[0]
    assert str(second) in server.requests[-1].texts[0]
    assert str(first) not in server.requests[-1].texts[0]
    assert "of_the_second.txt" in entries_in(told, ToolReturned)[0].output


async def test_a_command_never_sees_the_key_of_the_endpoint_that_is_in_use_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INNOCENT", "the-key-of-the-second-endpoint")
    monkeypatch.setenv("VISIBLE", "yes")
    with ModelServer(calls(Call("run_command", {"command": "env"})), says("done")) as server:
        (tmp_path / "here").mkdir()
        async with desk(server, tmp_path / "data", directory=tmp_path / "here", tools=True) as at:
            at.services.change_settings(api_key="the-key-of-the-second-endpoint")
            await at.services.connect(lambda words: None)
            at.approver.answers = [ONCE]
            told = await at.say("what is set?")
    output = entries_in(told, ToolReturned)[0].output
    assert "VISIBLE=yes" in output
    assert "INNOCENT" not in output
