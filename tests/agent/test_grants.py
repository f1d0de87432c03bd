"""What was allowed for good, where two windows are open: nothing is lost, and what is taken back is taken back."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tool_turns import ScriptedTool, workshop
from tests.fakes.desk import Desk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tui_agent.agent.approval import Decision, Grant
from tui_agent.agent.grants import save_grant, saved_grants

ALWAYS = Decision("always")
ONE, TWO = Grant("run_command", "/w", "make one"), Grant("run_command", "/w", "make two")


def tool() -> ScriptedTool:
    return ScriptedTool("change", kind="edit")


async def change(at: Desk, server: ModelServer, what: str, *answers: Decision) -> None:
    """A turn in which the tool is called once; who is asked answers so, and nobody else is asked."""
    server.script(calls(Call("change", {"what": what})), says("done"))
    at.approver.answers = list(answers)
    await at.say("go")
    assert at.approver.answers == []


async def test_two_windows_that_allow_something_for_good_keep_both(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with AsyncExitStack() as open_windows:
            first, second = [
                await open_windows.enter_async_context(workshop(server, tmp_path, tool())) for _ in range(2)
            ]
            await change(first, server, "one", ALWAYS)
            await change(second, server, "two", ALWAYS)
        async with workshop(server, tmp_path, tool()) as later:
            await change(later, server, "one")
            await change(later, server, "two")


async def test_what_one_window_allows_or_takes_back_holds_in_the_other_at_its_next_call(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path, tool()) as first, workshop(server, tmp_path, tool()) as second:
            await change(first, server, "one", ALWAYS)
            await change(second, server, "one")
            (grant,) = await saved_grants(first.services.archive)
            await first.services.revoke(grant)
            await change(second, server, "one", Decision("denied"))
            await change(second, server, "two", ALWAYS)
            assert [each.binding for each in await saved_grants(first.services.archive)] == ["change {'what': 'two'}"]


async def test_what_was_allowed_for_the_session_alone_is_not_touched_by_the_other_window(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path, tool()) as first, workshop(server, tmp_path, tool()) as second:
            await change(first, server, "one", Decision("session"))
            await change(second, server, "two", ALWAYS)
            await change(first, server, "one")
            await change(second, server, "one", ALWAYS)


@pytest.mark.parametrize("stored", ["rm -rf /", 7, [None, "make", 3, [], {"tool": "run_command"}], {"tool": "x"}])
async def test_what_cannot_be_read_as_a_grant_allows_nothing_and_harms_nothing(tmp_path: Path, stored: Any) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            archive = at.services.archive
            await archive.remember("approvals", stored)
            assert await saved_grants(archive) == ()
            assert at.services.bench is not None
            for grant in (ONE, TWO, ONE):
                await save_grant(archive, at.services.bench.rulebook, grant)
            assert await saved_grants(archive) == (ONE, TWO)
