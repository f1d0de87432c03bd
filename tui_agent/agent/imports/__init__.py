"""Sessions coming into the archive: this program's own exports, ChatGPT's and Claude's."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tui_agent.agent.imports.logs import NO_RESULT, Imported, measured
from tui_agent.agent.imports.reading import read_file
from tui_agent.agent.pending import closing
from tui_agent.agent.services import Services
from tui_agent.agent.session import new_session_id
from tui_agent.archive import NewSession, SessionInfo
from tui_agent.context.checkpoint import Checkpoint, checkpoint_of, checkpoint_to_json
from tui_agent.core.entries import Logged
from tui_agent.values import frozen

__all__ = ["import_file", "read_file"]


async def import_file(services: Services, path: Path) -> list[SessionInfo]:
    """Make a new session of each that a file holds: of all of them or, when one is broken, of none.

    Raises:
        ImportRefused: the file holds nothing that can be taken over; the text says what was expected.
        NotSaved
    """
    sessions = await asyncio.to_thread(_read, path, str(services.directory))
    await services.archive.add_sessions(sessions)
    return [await services.archive.session(session.id) for session in sessions]


def _read(path: Path, here: str) -> list[NewSession]:
    """The sessions of a file; in a thread, for there may be years of them."""
    return [_new(each, here) for each in read_file(path)]


@frozen
class _Log:
    """A log as far as its open calls are looked for."""

    checkpoint: Checkpoint
    tail: Sequence[Logged]


def _new(imported: Imported, here: str) -> NewSession:
    entries = _closed(imported.entries)
    checkpoint = checkpoint_of(entries)
    return NewSession(
        id=new_session_id(),
        directory=imported.directory or here,
        created=imported.created,
        title=checkpoint.title or imported.title,
        entries=entries,
        checkpoint=checkpoint_to_json(checkpoint),
    )


def _closed(entries: tuple[Logged, ...]) -> tuple[Logged, ...]:
    """The entries, and a result for each call that waits in them: a session from a file asks for nothing to be run."""
    results = closing(_Log(checkpoint_of(entries), entries), NO_RESULT.strip("()"))
    added = (measured(seq, entries[-1].at, result) for seq, result in enumerate(results, len(entries) + 1))
    return (*entries, *added)
