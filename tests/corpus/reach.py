"""Whether a fact can be found again with one search, once the context holds it no more."""

from pathlib import Path

from tests.archive.samples import make_session
from tests.corpus.sessions import Fact, Session
from tui_agent.archive import Archive
from tui_agent.core.entries import AssistantSaid, Entry
from tui_agent.core.readings import said_text

RESULTS = 5


async def unreachable(sessions: tuple[Session, ...], path: Path) -> list[tuple[str, Fact]]:
    """The facts that a search for their own words does not find among the first results of their session."""
    archive = await Archive.open(path)
    missing = []
    for session in sessions:
        await make_session(archive, session.name, "/", "2031-01-01T00:00:00.000Z", title=session.name)
        await archive.append(session.name, session.log, {"seq": session.log[-1].seq})
        entries = {logged.seq: logged.entry for logged in session.log}
        for fact in session.facts:
            query = fact.exact if '"' in fact.exact else f'"{fact.exact}"'
            hits = await archive.search(query, session_id=session.name, limit=RESULTS)
            if not any(fact.exact in _text(entries[hit.seq]) for hit in hits if hit.seq):
                missing.append((session.name, fact))
    await archive.close()
    return missing


def _text(entry: Entry) -> str:
    arguments = "".join(call.arguments for call in entry.tool_calls) if isinstance(entry, AssistantSaid) else ""
    return said_text(entry) + arguments
