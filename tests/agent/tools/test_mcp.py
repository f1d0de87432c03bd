"""MCP servers: their tools are offered when they are ready, and trouble stays with the server that has it."""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.agent.tools.calling import call, refusal
from tests.processes import children_of
from tests.waiting import becomes_true
from tui_agent.agent.approval import Rulebook
from tui_agent.agent.tools.mcp import McpServers
from tui_agent.agent.tools.mcp_values import LocalServer, RemoteServer, Server
from tui_agent.errors import ToolFailed

pytest.importorskip("mcp")
pytestmark = pytest.mark.slow

SCRIPT = str(Path(__file__).with_name("mcp_server.py"))


def local(name: str, *arguments: str, **environment: str) -> LocalServer:
    return LocalServer(name, sys.executable, (SCRIPT, *arguments), environment)


@asynccontextmanager
async def running(logs: Path, *servers: Server, start_seconds: float = 30) -> AsyncIterator[McpServers]:
    """The servers, once none of them is starting any more."""
    made = McpServers(servers, logs, start_seconds=start_seconds)
    made.start()
    try:
        assert await becomes_true(lambda: all(state.status != "starting" for state in made.states()))
        yield made
    finally:
        await made.close()


def statuses(servers: McpServers) -> Sequence[str]:
    return [state.status for state in servers.states()]


async def test_the_tools_of_a_local_server_work(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with running(tmp_path / "log", local("calc", GREETING="hi")) as servers:
        tools = servers.tools()
        assert set(tools) == {
            "calc__add",
            "calc__environment",
            "calc__odd_name_with_signs",
            "calc__fail",
            "calc__wait",
            "calc__die",
        }
        assert (await call(tools["calc__add"], a=2, b=3)).output == "5"
        assert (await call(tools["calc__odd_name_with_signs"])).output == "odd"
        assert (await call(tools["calc__environment"], name="GREETING")).output == "hi"
        failed = await call(tools["calc__fail"])
        assert failed.failed
        assert "fail" in failed.output
        assert (await call(tools["calc__add"], a="x", b=3)).failed
    assert "noise on stderr" in (tmp_path / "log" / "mcp-calc.log").read_text()
    assert capfd.readouterr() == ("", "")


async def test_the_logs_are_their_owners_alone(tmp_path: Path) -> None:
    async with running(tmp_path / "log", local("calc")):
        logging.getLogger("mcp").warning("something odd")
    logs = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "log").iterdir()}
    assert logs == {"mcp.log": 0o600, "mcp-calc.log": 0o600}


async def test_no_secret_of_ours_reaches_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    async with running(tmp_path, local("s")) as servers:
        assert (await call(servers.tools()["s__environment"], name="OPENAI_API_KEY")).output == "<unset>"


async def test_a_foreign_tool_asks_until_it_is_allowed(tmp_path: Path) -> None:
    async with running(tmp_path, local("calc")) as servers:
        tool = servers.tools()["calc__add"]
        intent = await tool.intent({"a": 1, "b": 2})
        assert '"a": 1' in intent.body
        for mode in ("ask", "edits"):
            assert Rulebook("ask" if mode == "ask" else "edits").judge(intent) == "ask"
        rules = Rulebook("ask")
        rules.remember(intent, "session")
        assert rules.judge(await tool.intent({"a": 7, "b": 8})) == "allow"
        assert rules.judge(await servers.tools()["calc__fail"].intent({})) == "ask"
        assert Rulebook("all", deny=("calc__add",)).judge(intent) == "deny"


async def test_broken_servers_do_not_touch_the_others(tmp_path: Path) -> None:
    missing = LocalServer("missing", str(tmp_path / "no-such-program"))
    silent = LocalServer("silent", sys.executable, ("-c", "pass"))
    unreachable = RemoteServer("unreachable", "http://127.0.0.1:9/mcp")
    changes: list[None] = []
    servers = McpServers(
        (missing, silent, unreachable, local("good", "garbage")), tmp_path, changed=lambda: changes.append(None)
    )
    servers.start()
    assert statuses(servers) == ["starting"] * 4
    try:
        assert await becomes_true(lambda: "starting" not in statuses(servers))
        assert statuses(servers) == ["failed", "failed", "failed", "ready"]
        assert all(state.reason for state in servers.states()[:3])
        assert len(changes) == 4
        assert (await call(servers.tools()["good__add"], a=1, b=1)).output == "2"
    finally:
        await servers.close()


async def test_a_server_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    async with running(tmp_path, local("slow", "slow"), start_seconds=1) as servers:
        (state,) = servers.states()
        assert (state.status, state.reason) == ("failed", "no answer within 1 s")
        assert servers.tools() == {}


async def test_a_call_can_be_cancelled_and_the_server_goes_on(tmp_path: Path) -> None:
    called = tmp_path / "called"
    async with running(tmp_path, local("s", CALLED=str(called))) as servers:
        waiting = asyncio.create_task(call(servers.tools()["s__wait"]))
        assert await becomes_true(called.exists)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await call(servers.tools()["s__add"], a=1, b=1)).output == "2"


async def test_a_server_that_dies_is_reported_and_started_again(tmp_path: Path) -> None:
    async with running(tmp_path, local("s")) as servers:
        assert "has ended" in await refusal(servers.tools()["s__die"])
        assert await becomes_true(lambda: statuses(servers) == ["ready"])
        assert (await call(servers.tools()["s__add"], a=1, b=1)).output == "2"


async def test_closing_right_after_the_start_leaves_nothing_open(tmp_path: Path) -> None:
    for turns in range(6):
        servers = McpServers((local("s"),), tmp_path)
        servers.start()
        for _ in range(turns):
            await asyncio.sleep(0)
        await servers.close()


async def test_closing_while_a_server_is_starting_is_quick(tmp_path: Path) -> None:
    servers = McpServers((local("slow", "slow"),), tmp_path)
    servers.start()
    assert await becomes_true(lambda: bool(children_of(os.getpid())))
    async with asyncio.timeout(10):
        await servers.close()


async def test_two_servers_with_tools_of_the_same_offered_name_keep_both(tmp_path: Path) -> None:
    async with running(tmp_path, local("a b"), local("a.b")) as servers:
        assert {"a_b__add", "a_b__add_2"} <= set(servers.tools())
        assert [len(state.tools) for state in servers.states()] == [6, 6]


async def test_a_server_reached_by_http_works(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable, SCRIPT, "http", str(port), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert await becomes_true(lambda: accepts(port))
        async with running(tmp_path, RemoteServer("web", f"http://127.0.0.1:{port}/mcp", {"X-Key": "k"})) as servers:
            assert statuses(servers) == ["ready"]
            assert (await call(servers.tools()["web__add"], a=20, b=22)).output == "42"
    finally:
        process.kill()
        await process.wait()


async def test_a_tool_of_a_server_that_is_gone_is_an_answer(tmp_path: Path) -> None:
    async with running(tmp_path, local("s")) as servers:
        tool = servers.tools()["s__add"]
    with pytest.raises(ToolFailed, match="not ready"):
        await call(tool, a=1, b=1)


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
