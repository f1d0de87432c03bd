"""The tools that come with the program, by name."""

from collections.abc import Callable
from pathlib import Path

from tui_agent.agent.tools.base import Tool
from tui_agent.agent.tools.edit_file import EditFile
from tui_agent.agent.tools.keeping import Keeper
from tui_agent.agent.tools.list_files import ListFiles
from tui_agent.agent.tools.read_file import ReadFile
from tui_agent.agent.tools.run_command import RunCommand
from tui_agent.agent.tools.search_files import SearchFiles
from tui_agent.agent.tools.search_past_messages import ReadPast, SearchPast, SearchPastMessages
from tui_agent.agent.tools.seen_files import SeenFiles
from tui_agent.agent.tools.write_file import WriteFile
from tui_agent.agent.workspace import Workspace


def default_tools(
    workspace: Workspace,
    search: SearchPast,
    *,
    read_past: ReadPast | None = None,
    secret: Callable[[], str] = str,
    ripgrep: Path | None = None,
    keeper: Keeper | None = None,
) -> dict[str, Tool]:
    """Every tool that comes with the program, in the order it is offered.

    `secret` tells a value, the API key, that no child process may see. `ripgrep` is the program's path when it
    is installed; without it searches run in Python. `keeper` keeps what files hold before they are changed.
    """
    seen = SeenFiles()
    tools: tuple[Tool, ...] = (
        ReadFile(workspace, seen),
        ListFiles(workspace),
        SearchFiles(workspace, ripgrep),
        EditFile(workspace, seen, keeper),
        WriteFile(workspace, seen, keeper),
        RunCommand(workspace, secret),
        SearchPastMessages(search, read_past),
    )
    return {tool.spec.name: tool for tool in tools}
