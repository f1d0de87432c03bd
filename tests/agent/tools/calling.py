"""Calls a tool the way a turn does: first what it would do, then doing it."""

from collections.abc import Sequence
from pathlib import Path

from tui_agent.agent.tools.base import Tool, ToolResult
from tui_agent.agent.tools.search_past_messages import PastHit, Scope
from tui_agent.errors import ToolFailed


async def call(tool: Tool, **arguments: object) -> ToolResult:
    """What the tool gives back for these arguments, everything approved."""
    return await tool.run(await tool.intent(arguments), lambda _: None)


async def refusal(tool: Tool, **arguments: object) -> str:
    """What the tool says when it refuses; fails when it does not."""
    try:
        outcome = await call(tool, **arguments)
    except ToolFailed as failed:
        return str(failed)
    raise AssertionError(f"not refused: {outcome}")


async def find_nothing(query: str, scope: Scope, limit: int) -> Sequence[PastHit]:
    """An archive that holds nothing."""
    return ()


def names_in(directory: Path) -> list[str]:
    """What lies in the directory, temporary files included."""
    return sorted(path.name for path in directory.iterdir())
