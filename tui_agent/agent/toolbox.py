"""The tools of one workspace: those that come with the program, and those of the user's MCP servers."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tui_agent.agent.kept_changes import KeptChanges
from tui_agent.agent.past import Past
from tui_agent.agent.session import Session
from tui_agent.agent.tools.base import ServerState, Tool, ToolSource
from tui_agent.agent.tools.registry import default_tools
from tui_agent.agent.workspace import Workspace
from tui_agent.paths import config_file, data_dir, log_dir
from tui_agent.settings import Settings

MCP_FILE = "mcp.json"
"""Beside the settings file: the user's own list of servers. Nothing in a project directory adds to it."""


class Toolbox:
    """Tools for one directory. MCP servers are started in the background; their tools come when they are ready."""

    def __init__(
        self,
        settings: Settings,
        directory: Path,
        current: Callable[[], Session | None],
        secret: Callable[[], str],
        changed: Callable[[], None],
    ) -> None:
        """
        Args:
            current: tells the session a turn is made in: what the search tool calls "this", and beside which is kept
                what files hold before they are changed.
            secret: tells the key of the endpoint in use, which no child process may see; "" for none.
            changed: told when an MCP server's tools have come or gone.
        """
        self._settings = settings
        self._changed = changed
        self._servers: ToolSource | None = None
        closed = (data_dir(override=settings.data_dir), config_file(), config_file().parent / MCP_FILE)
        ripgrep = shutil.which("rg")
        past = Past(current)
        self._own = default_tools(
            Workspace(directory, closed),
            past.search,
            read_past=past.read,
            secret=secret,
            ripgrep=Path(ripgrep) if ripgrep else None,
            keeper=KeptChanges(current, secret),
        )

    def start(self) -> None:
        """Start the MCP servers that are configured; returns at once.

        Raises:
            ConfigInvalid: the list of servers cannot be understood.
        """
        from tui_agent.agent.tools.mcp_config import load_servers

        listed = load_servers(config_file().parent / MCP_FILE)
        if listed:
            from tui_agent.agent.tools.mcp import McpServers

            servers = McpServers(listed, log_dir(override=self._settings.data_dir), changed=self._changed)
            servers.start()
            self._servers = servers

    def tools(self) -> dict[str, Tool]:
        """All tools that can be called now, by name."""
        return {**self._own, **(self._servers.tools() if self._servers else {})}

    def states(self) -> tuple[ServerState, ...]:
        """How the MCP servers are doing."""
        return self._servers.states() if self._servers else ()

    async def close(self) -> None:
        """Stop the MCP servers."""
        if self._servers is not None:
            await self._servers.close()
