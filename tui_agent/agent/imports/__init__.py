"""Sessions coming into the archive: this program's own exports, ChatGPT's and Claude's."""

import asyncio
from pathlib import Path

from tui_agent.agent.imports.logs import Imported
from tui_agent.agent.imports.reading import read_file
from tui_agent.agent.services import Services
from tui_agent.agent.session import new_session_id
from tui_agent.archive import NewSession, SessionInfo
from tui_agent.context.checkpoint import checkpoint_of, checkpoint_to_json

__all__ = ["import_file", "read_file"]


async def import_file(services: Services, path: Path) -> list[SessionInfo]:
    """Make a new session of each that a file holds: of all of them or, when one is broken, of none.

    Raises:
        ImportRefused: the file holds nothing that can be taken over; the text says what was expected.
        NotSaved
    """
    sessions = [_new(each, str(services.directory)) for each in await asyncio.to_thread(read_file, path)]
    await services.archive.add_sessions(sessions)
    return [await services.archive.session(session.id) for session in sessions]


def _new(imported: Imported, here: str) -> NewSession:
    checkpoint = checkpoint_of(imported.entries)
    return NewSession(
        id=new_session_id(),
        directory=imported.directory or here,
        created=imported.created,
        title=checkpoint.title or imported.title,
        entries=imported.entries,
        checkpoint=checkpoint_to_json(checkpoint),
    )
