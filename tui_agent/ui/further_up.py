"""What of a session lies above what is loaded: read page by page as far as it is wanted."""

from tui_agent.agent.session import Session
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
        """Show an entry of this session, loading older ones until it is there."""
        session = self._view.session
        while not self._screen.transcript.jump_to(seq):
            if session is None or not await self.read(session, seq):
                self._screen.tell(_("There is no message #{seq} in this session.").format(seq=seq))
                return
            if session is not self._view.session:
                return
