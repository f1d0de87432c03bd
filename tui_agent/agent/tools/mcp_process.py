"""The process of a local MCP server: lines go in and come out, and it ends with this program, however that ends."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

import anyio

from tui_agent.agent.tools.child_process import GUARD
from tui_agent.agent.tools.gate import gated
from tui_agent.agent.tools.guarding import ProcessGuard
from tui_agent.agent.tools.guarding_child import Family
from tui_agent.agent.tools.mcp_values import LocalServer

_OWN_TIME = 2.0
"""Seconds a server gets to end when its input has ended, as the protocol asks; as long again when it was told to."""

_AT_ONCE = 64 * 1024
_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a server that never ends its line would fill the memory."""


class ServerProcess:
    """A server that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin = process.stdin
        self._stdout = process.stdout

    async def lines(self) -> AsyncGenerator[str, None]:
        """Every line it prints, undecodable bytes replaced, until it prints no more.

        Raises:
            ValueError: a line had no end.
        """
        unfinished = bytearray()
        while piece := await self._stdout.read(_AT_ONCE):
            first, *others = piece.split(b"\n")
            unfinished += first
            for other in others:
                yield unfinished.decode("utf-8", "replace")
                unfinished = bytearray(other)
            if len(unfinished) > _LONGEST_LINE:
                raise ValueError("it printed a line without an end")

    async def write(self, line: str) -> None:
        """Give it a line.

        Raises:
            OSError: it reads no more.
        """
        self._stdin.write(line.encode("utf-8", "replace") + b"\n")
        await self._stdin.drain()


@asynccontextmanager
async def server_process(
    server: LocalServer, inherited: Mapping[str, str], errors: TextIO, guard: ProcessGuard = GUARD
) -> AsyncIterator[ServerProcess]:
    """The server for as long as the block lasts; at its end nothing that it has started is left.

    `inherited` is what it may see of this program's environment, beside its own. It prints errors to `errors`.

    Raises:
        OSError, ValueError: it could not be started.
    """
    environment = {**inherited, **server.environment}
    directory = Path(server.directory) if server.directory else Path.home()
    _check_there(server.command, directory, environment)
    held = gated((server.command, *server.arguments), environment)
    guard.start()
    process = await asyncio.create_subprocess_exec(
        *held.arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=directory,
        start_new_session=True,
    )
    with guard.over(process.pid):
        try:
            assert process.stdin is not None
            process.stdin.write(held.word)
            yield ServerProcess(process)
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)


def _check_there(command: str, directory: Path, environment: Mapping[str, str]) -> None:
    path = environment.get("PATH", os.defpath)
    wanted = str(directory / command) if os.path.dirname(command) else command
    if shutil.which(wanted, path=path) is None:
        raise FileNotFoundError(f"there is no program {command}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end by itself, then tell it to, then end it; what it has printed meanwhile keeps it from nothing."""
    assert process.stdin is not None
    assert process.stdout is not None
    family = Family(process.pid)
    family.signal(0)  # what it has begun is not to be told from other programs when it has ended by itself
    drained = asyncio.ensure_future(_drain(process.stdout))
    ended = asyncio.ensure_future(process.wait())
    try:
        process.stdin.close()
        if not (await asyncio.wait((ended,), timeout=_OWN_TIME))[0]:
            family.signal(signal.SIGTERM)
            await asyncio.wait((ended,), timeout=_OWN_TIME)
    finally:
        family.end()
        await asyncio.wait((ended, drained), timeout=_OWN_TIME)
        ended.cancel()
        drained.cancel()


async def _drain(stdout: asyncio.StreamReader) -> None:
    while await stdout.read(_AT_ONCE):
        pass
