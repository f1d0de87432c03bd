"""Starts an MCP server and is killed when it has: before its guard hears of it, right after, or when it has spoken.

`python -m tests.agent.tools.killed_with_server before|after|ready DIRECTORY SCRIPT`: the numbers of the processes
stand in a file there, those too that the server has told.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tests.agent.tools.killed_at_start import DyingGuard
from tui_agent.agent.tools.child_process import GUARD
from tui_agent.agent.tools.mcp_process import server_process
from tui_agent.agent.tools.mcp_values import LocalServer


async def run(moment: str, directory: Path, script: str) -> None:
    server = LocalServer("s", sys.executable, ("-c", script), directory=str(directory))
    guard = GUARD if moment == "ready" else DyingGuard(moment, directory)
    async with server_process(server, os.environ, sys.stderr, guard) as process:
        async for line in process.lines():
            (directory / "pid").write_text(line)
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
