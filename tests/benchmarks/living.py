"""Sessions in memory and in an archive, as the program holds them while they are open."""

from tests.benchmarks.sessions import entries, logged, store
from tui_agent.agent.session import Measures, Session
from tui_agent.archive import Archive
from tui_agent.context.fold import Surroundings
from tui_agent.context.gauge import Limits

WINDOW = 200_000


def surroundings() -> Surroundings:
    return Surroundings(date="2026-11-30", window=WINDOW)


def measures(window: int = WINDOW) -> Measures:
    """What a session is measured with when its model has this window."""
    return Measures(surroundings, Limits(window, "setting", reserve=1_024))


async def opened(archive: Archive, session_id: str, count: int, *, unfolded: int, window: int = WINDOW) -> Session:
    """A session of so many messages, made and opened; all but the newest `unfolded` are in a summary."""
    await store(archive, session_id, logged(entries(count, unfolded=unfolded)))
    return await Session.open(archive, session_id, measures(window))
