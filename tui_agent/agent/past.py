"""The archive as the model's search tool sees it: the present session, or all of them."""

from collections.abc import Callable, Sequence

from tui_agent.agent.session import Session
from tui_agent.agent.tools.search_past_messages import NAME, PastHit, PastMessage, Scope
from tui_agent.archive import Hit
from tui_agent.context.prune import stubs_of
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Logged, Pinned, ToolReturned, UserSaid
from tui_agent.core.readings import is_spoken, said_text
from tui_agent.errors import SessionNotFound

NEIGHBOURS = 1
"""Messages told on either side of a match."""

_TITLE = 0
"""The number under which a title is found."""

_OWN_HITS = 30
"""How many more matches are looked at, since the model's own searches are left out."""


class Past:
    """Search and reading for the session that `current` gives; None while there is no session."""

    def __init__(self, current: Callable[[], Session | None]) -> None:
        self._current = current

    async def search(self, query: str, scope: Scope, limit: int) -> Sequence[PastHit]:
        """Messages that hold the words, newest first, each with those next to it.

        What the running turn has in the context is left out, and so are the session's title and the model's searches:
        one that finds itself tells nothing, each time at greater length.
        """
        session = self._current()
        if session is None or (scope == "this" and not session.stored):
            return ()
        where = session.id if scope == "this" else None
        before = _before_the_model(session)
        told: list[PastHit] = []
        for hit in await session.archive.search(query, session_id=where, limit=limit + _OWN_HITS):
            if len(told) == limit:
                break
            is_here = hit.session_id == session.id
            if is_here and hit.seq in (_TITLE, *before):
                continue
            near: list[Logged] = []
            if hit.seq != _TITLE:
                near = await session.archive.neighbours(hit.session_id, hit.seq, NEIGHBOURS)
                near = [each for each in near if not (is_here and each.seq in before)]
            if not any(each.seq == hit.seq and _is_search(each.entry) for each in near):
                told.append(_told(session, hit, near))
        return told

    async def read(self, seq: int) -> PastMessage | None:
        """An entry of the present session; None when there is none of that number."""
        session = self._current()
        if session is None or not session.stored:
            return None
        try:
            return _message(await session.archive.entry(session.id, seq))
        except SessionNotFound:
            return None


def _told(session: Session, hit: Hit, near: Sequence[Logged]) -> PastHit:
    others = [each for each in near if each.seq != hit.seq and not _is_search(each.entry)]
    neighbours = tuple(told for each in others if (told := _message(each)) is not None)
    elsewhere = hit.session_id if hit.session_id != session.id else ""
    return PastHit(PastMessage(hit.seq, hit.kind, hit.text), neighbours, elsewhere, hit.session_title, hit.at)


def _before_the_model(session: Session) -> set[int]:
    """The numbers of what the running turn has in the context: from the question on, or all when that was folded.

    A result of which only a stub stands there is none of it.
    """
    question = next((each.seq for each in reversed(session.tail) if is_spoken(each.entry)), 0)
    return {each.seq for each in session.tail if each.seq >= question} - stubs_of(session.tail).keys()


def _is_search(entry: Entry) -> bool:
    """Whether an entry is an earlier search of the model, or what one found."""
    match entry:
        case AssistantSaid(text=text, tool_calls=calls):
            return not text.strip() and bool(calls) and all(call.name == NAME for call in calls)
        case ToolReturned(name=name):
            return name == NAME
        case _:
            return False


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
