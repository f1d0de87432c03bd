"""Windows that endpoints named when they refused a request as too long: kept for the next start, and told of."""

from contextlib import suppress

from tui_agent.agent.connection import Connection
from tui_agent.archive import Archive
from tui_agent.core.entries import Noticed
from tui_agent.errors import ContextOverflow, NotSaved
from tui_agent.language import _

_LEARNT = "learnt windows"


async def recall_window(archive: Archive, connection: Connection) -> None:
    """Take over what the endpoint named in an earlier run, while it claims what it claimed then, or still nothing."""
    kept = await archive.recall(_LEARNT)
    match kept.get(_name(connection)) if isinstance(kept, dict) else None:
        case [claimed, int(limit)] if claimed == connection.claimed_window:
            connection.learn(limit)


async def learn_window(archive: Archive, connection: Connection, overflow: ContextOverflow) -> None:
    """Go by the window that the endpoint has named, now and in later runs."""
    connection.learn(overflow.limit)
    if connection.window.tokens == overflow.limit and connection.embedded is None:
        learnt = {_name(connection): [connection.claimed_window, overflow.limit]}
        with suppress(NotSaved):  # it would be named again
            await archive.revise(_LEARNT, lambda kept: {**(kept or {}), **learnt})


def too_large_a_setting(chosen: int | None, overflow: ContextOverflow) -> Noticed | None:
    """What to tell when a window that the user has set, which is obeyed, is larger than the endpoint accepts."""
    if chosen is None or overflow.limit is None or overflow.limit >= chosen:
        return None
    words = _(
        "The endpoint accepts {limit:,} tokens, but context_window is set to {chosen:,}, and longer requests are "
        "refused. Set it lower, or take it out."
    )
    return Noticed(words.format(limit=overflow.limit, chosen=chosen), "warning")


def _name(connection: Connection) -> str:
    return f"{connection.endpoint.base_url} {connection.model}"
