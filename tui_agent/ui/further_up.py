"""What of a session lies above what is loaded: read page by page as far as it is wanted."""

from tui_agent.agent.session import Session
from tui_agent.core.entries import Compacted, Entry, Pinned
from tui_agent.language import _
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.session_view import SessionView

PAGE = 200
"""Entries read from the archive at a time."""


class FurtherUp:
    """Loads older entries into the transcript."""

    def __init__(self, screen: ChatScreen, view: SessionView) -> None:
        self._screen = screen
        self._view = view

    async def read(self, session: Session, wanted: int) -> bool:
        """Load a page of older entries; False when there can be none with the sequence number `wanted`."""
        before = self._view.oldest
        older = await session.page(before=before, limit=PAGE) if wanted < before else []
        self._view.prepend(session, older)
        return bool(older)

    async def jump_to(self, seq: int) -> None:
        """Show an entry of this session, loading older ones until it is there; what has no line of its own, by its
        text or by what it is about."""
        session, transcript = self._view.session, self._screen.transcript
        while not transcript.jump_to(seq):
            if session is None or not await self.read(session, seq):
                break
            if session is not self._view.session:
                return
        else:
            return
        match await self._entry(session, seq) if session is not None else None:
            case Compacted():
                transcript.jump_to(seq + 1)  # the line that tells of it
                await self._screen.command("read-summary", str(seq))
            case Pinned(source=int() as source):
                await self.jump_to(source)
            case _:
                self._screen.tell(_("There is no message #{seq} in this session.").format(seq=seq))

    async def _entry(self, session: Session, seq: int) -> Entry | None:
        found = await session.page(before=seq + 1, limit=1)
        return found[0].entry if found and found[0].seq == seq else None
