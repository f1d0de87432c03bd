"""The process of a local MCP server takes in lines and gives lines, and ends with this program, however that ends."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from tests.processes import is_running
from tests.waiting import becomes_true
from tui_agent.agent.tools.mcp_process import ServerProcess, server_process
from tui_agent.agent.tools.mcp_values import LocalServer

CHECKOUT = Path(__file__).resolve().parents[3]

DEAF = """\
import os, signal, subprocess, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
grouped = subprocess.Popen(["sleep", "300"], process_group=0)
apart = subprocess.Popen(["sh", "-c", "sleep 300 & echo $!; exec >&-; wait"], start_new_session=True, stdout=-1)
print(os.getpid(), grouped.pid, apart.pid, int(apart.stdout.readline()), flush=True)
while True:
    signal.pause()
"""


@asynccontextmanager
async def started(directory: Path, script: str, **environment: str) -> AsyncIterator[ServerProcess]:
    server = LocalServer("s", sys.executable, ("-c", script), environment, str(directory))
    with (directory / "errors").open("w") as errors:
        async with server_process(server, {"PATH": os.defpath}, errors) as process:
            yield process


async def lines_of(process: ServerProcess) -> list[str]:
    async with aclosing(process.lines()) as lines:
        return [line async for line in lines]


async def test_what_it_is_told_and_what_it_says_are_lines(tmp_path: Path) -> None:
    async with started(tmp_path, "import sys; print(sys.stdin.readline(), end='')") as process:
        await process.write("a line é")
        assert await lines_of(process) == ["a line é"]


async def test_a_line_in_pieces_is_one_and_bytes_that_are_no_text_are_marked(tmp_path: Path) -> None:
    script = "import os, time; [(os.write(1, part), time.sleep(0.05)) for part in (b'on', b'e\\ntw\\xff', b'o\\nrest')]"
    async with started(tmp_path, script) as process:
        assert await lines_of(process) == ["one", "tw\ufffdo"]


async def test_variables_that_no_shell_could_write_reach_it(tmp_path: Path) -> None:
    async with started(tmp_path, "import os; print(os.environ['a.b:c'])", **{"a.b:c": "kept"}) as process:
        assert await lines_of(process) == ["kept"]


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    for command in ("no-such-program", "./no-such-program"):
        with pytest.raises(OSError, match=f"there is no program {command}"):
            async with server_process(LocalServer("s", command, directory=str(tmp_path)), {}, sys.stderr):
                raise AssertionError("it was started")


async def test_one_that_is_deaf_to_everything_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    async with started(tmp_path, DEAF) as process:
        async with aclosing(process.lines()) as lines:
            numbers = [int(number) for number in (await anext(lines)).split()]
        assert all(map(is_running, numbers))
    assert not any(map(is_running, numbers))


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after", "ready"])
async def test_it_ends_with_a_program_that_is_killed_whatever_it_is_deaf_to(tmp_path: Path, moment: str) -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.agent.tools.killed_with_server", moment, str(tmp_path), DEAF), cwd=CHECKOUT
    )
    assert await program.wait() == -signal.SIGKILL
    numbers = [int(number) for number in (tmp_path / "pid").read_text().split()]
    assert len(numbers) == (4 if moment == "ready" else 1)
    assert await becomes_true(all_gone(numbers))


def all_gone(numbers: list[int]) -> Callable[[], bool]:
    return lambda: not any(map(is_running, numbers))
