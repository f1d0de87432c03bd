"""Tools of MCP servers that the user has configured. A server that is broken or slow keeps nobody waiting."""

import asyncio
import importlib
import json
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO, cast

from tui_agent.agent.tools.base import Intent, Report, ServerState, Tool, ToolResult, count_of, one_line
from tui_agent.agent.tools.mcp_values import Connection, ConnectionLost, RemoteResult, RemoteTool, Server
from tui_agent.core.messages import ToolSpec
from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.paths import private_directory

_CLIENT = "tui_agent.agent.tools.mcp_client"
"""Imported when the first server is started, in a thread: it takes half a second."""

_START_SECONDS = 30.0
_CALL_SECONDS = 120.0
_CLOSE_SECONDS = 6.0
"""A little more than the SDK takes to end a server that does not want to."""

_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1000
"""Characters; every request carries the description, and a server may write as much as it likes."""

_LONGEST_OUTPUT = 2_000_000
_LARGEST_LOG = 1024 * 1024

_SDK_LOGGER = logging.getLogger("mcp")
"""The SDK's own log, which would otherwise print its warnings on the screen."""

Connect = Callable[[Server, TextIO], AbstractAsyncContextManager[Connection]]


class McpServers:
    """Every configured server, each looked after by a task of its own."""

    def __init__(
        self,
        servers: Sequence[Server],
        logs: Path,
        changed: Callable[[], None] = lambda: None,
        start_seconds: float = _START_SECONDS,
    ) -> None:
        self._logs = logs
        self._changed = changed
        self._keepers = [_Keeper(server, logs, self._tell, start_seconds) for server in servers]
        self._tools: dict[str, Tool] = {}
        self._log: logging.Handler | None = None

    def start(self) -> None:
        """Start every server and return at once; `changed` is called when one is ready or has failed."""
        if self._keepers and self._log is None:
            self._log = _log_handler(private_directory(self._logs) / "mcp.log")
            _SDK_LOGGER.addHandler(self._log)
            _SDK_LOGGER.propagate = False
        for keeper in self._keepers:
            keeper.start()

    def tools(self) -> dict[str, Tool]:
        """The tools of all servers that are ready, by the name they are offered under."""
        return dict(self._tools)

    def states(self) -> tuple[ServerState, ...]:
        """How each server is doing, in the order of the configuration."""
        return tuple(
            replace(keeper.state, tools=tuple(name for name, tool in self._tools.items() if _is_of(tool, keeper)))
            for keeper in self._keepers
        )

    async def close(self) -> None:
        """End every server; one that does not end in time is killed."""
        await asyncio.gather(*(keeper.close() for keeper in self._keepers))
        if self._log is not None:
            _SDK_LOGGER.removeHandler(self._log)
            self._log.close()
            self._log = None

    def _tell(self) -> None:
        tools: dict[str, Tool] = {}
        for keeper in self._keepers:
            for remote in keeper.tools:
                name = _free_name(f"{keeper.server.name}__{remote.name}", tools)
                tools[name] = McpTool(name, remote, keeper)
        self._tools = tools
        self._changed()


class McpTool:
    """A tool that a server carries out. What it does there is not known, so it is asked about until it is allowed."""

    read_only = False

    def __init__(self, name: str, remote: RemoteTool, keeper: "_Keeper") -> None:
        self.keeper = keeper
        self.spec = ToolSpec(name, _cut(sendable(remote.description), _LONGEST_DESCRIPTION), remote.parameters)
        self._remote = remote.name

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        try:
            compact = json.dumps(arguments, ensure_ascii=False)
            compact.encode()
        except (TypeError, ValueError) as error:
            raise ToolFailed(f"The arguments cannot be sent: {error}.") from error
        server = self.keeper.server.name
        return Intent(
            self.spec.name,
            "other",
            subject=self.spec.name,
            title=f"{server}: {self._remote} {one_line(compact, 120)}",
            body=f"{self._remote} on the MCP server {server}\n{json.dumps(arguments, ensure_ascii=False, indent=2)}",
            binding=self.spec.name,
            payload=dict(arguments),
        )

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        if intent.tool != self.spec.name or not isinstance(intent.payload, dict):
            raise ToolFailed("This intent was made by another tool.")
        returned = await self.keeper.call(self._remote, intent.payload)
        output = _cut(sendable(returned.output), _LONGEST_OUTPUT) or "[no output]"
        return ToolResult(output, returned.failed, self.spec.name, count_of(output.count("\n") + 1, "line"))


class _Keeper:
    """Looks after one server. Its task opens the connection and closes it, as the SDK demands."""

    def __init__(self, server: Server, logs: Path, changed: Callable[[], None], start_seconds: float) -> None:
        self.server = server
        self.state = ServerState(server.name)
        self.tools: tuple[RemoteTool, ...] = ()
        self._logs = logs
        self._changed = changed
        self._start_seconds = start_seconds
        self._connection: Connection | None = None
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self.state = ServerState(self.server.name)
        self._stop = asyncio.Event()
        task = asyncio.create_task(self._keep(self._stop))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End what is running: at once where it is still starting, in the server's own time where it is ready."""
        self._stop.set()
        tasks = set(self._tasks)
        if self._connection is not None and tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        self._connection = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def call(self, tool: str, arguments: Mapping[str, object]) -> RemoteResult:
        if self._connection is None:
            raise ToolFailed(
                f"The MCP server {self.server.name} is not ready: {self.state.reason or 'it is starting'}."
            )
        try:
            return await self._connection.call(tool, arguments, _CALL_SECONDS)
        except ConnectionLost:
            self._restart()
            raise

    def _restart(self) -> None:
        """Let the ended connection go and open another; its tools stay on offer meanwhile."""
        self._connection = None
        self._stop.set()
        self.start()

    async def _keep(self, stop: asyncio.Event) -> None:
        try:
            # Not in a thread: cancelled meanwhile, nobody would have the file that it opened.
            with _error_log(self._logs, self.server.name) as errors:
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(self._start_seconds):
                        connect = await asyncio.to_thread(_connector)
                        connection = await stack.enter_async_context(connect(self.server, errors))
                        self.tools = tuple(_usable(await connection.tools()))
                    self._connection = connection
                    self._became(ServerState(self.server.name, "ready"))
                    await stop.wait()
        except TimeoutError:
            self._failed(stop, f"no answer within {self._start_seconds:g} s")
        except ImportError:
            self._failed(stop, 'MCP is not installed; install "tui-agent[mcp]"')
        except (ToolFailed, OSError) as error:
            self._failed(stop, str(error))

    def _failed(self, stop: asyncio.Event, reason: str) -> None:
        if stop.is_set():
            return  # this connection was let go already
        self._connection = None
        self.tools = ()
        self._became(ServerState(self.server.name, "failed", reason))

    def _became(self, state: ServerState) -> None:
        self.state = state
        self._changed()


def _connector() -> Connect:
    return cast(Connect, importlib.import_module(_CLIENT).connected)


def _usable(tools: Sequence[RemoteTool]) -> list[RemoteTool]:
    """Those whose schema is one of an object, as every endpoint demands."""
    return [tool for tool in tools if json.loads(tool.parameters).get("type") == "object"]


def _free_name(wanted: str, taken: Mapping[str, Tool]) -> str:
    """The name as endpoints accept it, made different from those already taken."""
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", wanted)[:_LONGEST_NAME]
    number = 2
    free = name
    while free in taken:
        free = f"{name[: _LONGEST_NAME - 4]}_{number}"
        number += 1
    return free


def _is_of(tool: Tool, keeper: _Keeper) -> bool:
    return isinstance(tool, McpTool) and tool.keeper is keeper


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… [{len(text) - longest:,} more characters left out]"


def _error_log(logs: Path, name: str) -> TextIO:
    """What a server prints as errors goes here; on the screen it would destroy the picture."""
    path = private_directory(logs) / f"mcp-{re.sub(r'[^a-zA-Z0-9_-]', '_', name)}.log"
    return _opened_log(path, anew=path.exists() and path.stat().st_size > _LARGEST_LOG)


def _opened_log(path: Path | str, *, anew: bool = False) -> TextIOWrapper:
    """A log that its owner alone may read, to write at its end or, `anew`, from its beginning."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if anew else os.O_APPEND)
    return os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8")


class _LogHandler(logging.FileHandler):
    """Opens its file as its owner's alone."""

    def _open(self) -> TextIOWrapper:
        return _opened_log(self.baseFilename)


def _log_handler(path: Path) -> logging.Handler:
    handler = _LogHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler
