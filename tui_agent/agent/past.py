"""The archive as the model's search tool sees it: the present session, or all of them."""

from collections.abc import Callable, Sequence

from tui_agent.agent.session import Session
from tui_agent.agent.tools.search_past_messages import PastHit, PastMessage, Scope
from tui_agent.archive import Hit
from tui_agent.core.entries import AssistantSaid, Compacted, Logged, Pinned, ToolReturned, UserSaid, said_text
from tui_agent.errors import SessionNotFound

NEIGHBOURS = 1
"""Messages told on either side of a match."""


class Past:
    """Search and reading for the session that `current` gives; None while there is no session."""

    def __init__(self, current: Callable[[], Session | None]) -> None:
        self._current = current

    async def search(self, query: str, scope: Scope, limit: int) -> Sequence[PastHit]:
        """Messages that hold the words, newest first, each with those next to it."""
        session = self._current()
        if session is None or (scope == "this" and not session.stored):
            return ()
        where = session.id if scope == "this" else None
        hits = await session.archive.search(query, session_id=where, limit=limit)
        return [await self._told(session, hit) for hit in hits]

    async def read(self, seq: int) -> PastMessage | None:
        """An entry of the present session; None when there is none of that number."""
        session = self._current()
        if session is None or not session.stored:
            return None
        try:
            return _message(await session.archive.entry(session.id, seq))
        except SessionNotFound:
            return None

    async def _told(self, session: Session, hit: Hit) -> PastHit:
        near: list[Logged] = []
        if hit.seq:
            near = await session.archive.neighbours(hit.session_id, hit.seq, NEIGHBOURS)
        neighbours = tuple(told for each in near if each.seq != hit.seq and (told := _message(each)) is not None)
        elsewhere = hit.session_id if hit.session_id != session.id else ""
        return PastHit(PastMessage(hit.seq, hit.kind, hit.text), neighbours, elsewhere, hit.session_title, hit.at)


def _message(logged: Logged) -> PastMessage | None:
    match logged.entry:
        case UserSaid():
            role = "user"
        case AssistantSaid():
            role = "assistant"
        case ToolReturned():
            role = "tool"
        case Compacted():
            role = "summary"
        case Pinned():
            role = "pin"
        case _:
            return None
    return PastMessage(logged.seq, role, said_text(logged.entry))
