"""What waits for the word to go on is then started as if there had been nothing to wait for."""

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest

from tui_agent.agent.tools.child_process import run_program
from tui_agent.agent.tools.gate import gated
from tui_agent.agent.tools.mcp_process import server_process
from tui_agent.agent.tools.mcp_values import LocalServer

ODD = {"go": "on", "a.b:c": "1", "A-B": "two\nlines", "EMPTY": "", "é": "ü"}
"""Variables that a shell might lose; a locale is among none of them, so that the program's is C."""

SEEN = {
    "variables": ("env",),
    "signals": ("grep", "Sig", "/proc/self/status"),
}


async def as_tools_start_it(program: tuple[str, ...], environment: Mapping[str, str]) -> list[str]:
    finished = await run_program(program, directory=Path.cwd(), environment=environment, seconds=60)
    return finished.output.splitlines()


async def as_servers_are_started(program: tuple[str, ...], environment: Mapping[str, str]) -> list[str]:
    server = LocalServer("s", program[0], program[1:], environment, str(Path.cwd()))
    async with server_process(server, {}, sys.stderr) as process, aclosing(process.lines()) as lines:
        return [line async for line in lines]


def seen_without_a_gate(program: tuple[str, ...], environment: Mapping[str, str]) -> list[str]:
    if program[-1].startswith("/proc") and not Path(program[-1]).exists():
        pytest.skip("this system does not list the signals of a process")
    plain = subprocess.run(program, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return plain.stdout.decode().splitlines()


@pytest.mark.parametrize("started", [as_tools_start_it, as_servers_are_started])
@pytest.mark.parametrize("locale", [{}, {"LC_CTYPE": "C"}, {"LC_ALL": "C"}], ids=["none", "ctype", "all"])
@pytest.mark.parametrize("seen", SEEN)
async def test_a_program_sees_what_it_would_see_without_the_gate(
    started: Callable[[tuple[str, ...], Mapping[str, str]], Awaitable[list[str]]], locale: dict[str, str], seen: str
) -> None:
    environment = {"PATH": os.environ["PATH"], **ODD, **locale}
    assert await started(SEEN[seen], environment) == seen_without_a_gate(SEEN[seen], environment)


@pytest.mark.parametrize("reads", [True, False])
def test_what_follows_the_word_is_the_programs_own_if_it_reads(reads: bool) -> None:
    held = gated(("cat",), {"PATH": os.environ["PATH"], "LONG": "x" * 100_000}, reads=reads)
    assert subprocess.run(held.arguments, input=held.word + b"own\0", capture_output=True).stdout == b"own\0" * reads


@pytest.mark.parametrize("part", [0, 1, -1], ids=["none", "a-byte", "all-but-one"])
def test_without_the_whole_word_nothing_is_started(part: int) -> None:
    held = gated(("echo", "started"), {"PATH": os.environ["PATH"]})
    finished = subprocess.run(held.arguments, input=held.word[:part], capture_output=True)
    assert (finished.stdout, finished.stderr) == (b"", b"")


def test_a_program_that_is_not_there_ends_as_in_a_shell() -> None:
    held = gated(("no-such-program",), {"PATH": os.environ["PATH"]})
    finished = subprocess.run(held.arguments, input=held.word, capture_output=True)
    assert (finished.returncode, finished.stderr) == (127, b"no-such-program: No such file or directory\n")


@pytest.mark.parametrize("odd", [{"a=b": ""}, {"": "x"}, {"a": "b\0c"}, {"a": "\ud800"}])
def test_a_variable_that_no_program_can_have_is_refused(odd: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"variable|surrogates"):
        gated(("echo",), odd)
