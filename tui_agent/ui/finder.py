"""Finds words in a whole session: letter by letter in what is loaded, by the archive's index in what is not."""

from tui_agent.agent.services import Services
from tui_agent.ui.further_up import FurtherUp
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.session_view import SessionView
from tui_agent.ui.widgets.find_bar import FindBar

_MOST = 1000
"""Hits looked up in what is not loaded."""


class Finder:
    """Answers the find bar. Older entries are loaded when a step leads to them."""

    def __init__(
        self,
        screen: ChatScreen,
        services: Services,
        view: SessionView,
        further_up: FurtherUp,
    ) -> None:
        self._screen = screen
        self._services = services
        self._view = view
        self._further_up = further_up
        self._words = ""
        self._older: list[int] = []
        """Entries with hits that were not loaded when they were looked up, newest first."""

    async def find(self, words: str) -> None:
        """Find other words from here on."""
        self._words, self._older = words, []
        self._screen.transcript.find(words)
        self._show_count()
        session = self._view.session
        if not words.strip() or session is None or not session.stored or self._view.oldest <= 1:
            return
        hits = await self._services.search(words, session.id, limit=_MOST)
        if words == self._words and session is self._view.session:
            self._older = sorted((hit.seq for hit in hits if 0 < hit.seq < self._view.oldest), reverse=True)
            self._show_count()

    async def step(self, step: int) -> None:
        """Show the next hit (1) or the one before (-1)."""
        transcript = self._screen.transcript
        waiting = [seq for seq in self._older if seq < self._view.oldest]
        if waiting and transcript.is_at_last_hit(step):
            await self._go_to(waiting[0] if step < 0 or not any(transcript.hits) else waiting[-1])
        elif step > 0:
            transcript.find_next()
            self._show_count()
        else:
            transcript.find_previous()
            self._show_count()

    async def _go_to(self, seq: int) -> None:
        """Load what lies between, and show the hit in an entry, unless something else is sought by then."""
        session, words = self._view.session, self._words
        while session is not None and self._view.oldest > seq and await self._further_up.read(session, seq):
            if session is not self._view.session or words != self._words:
                return
        transcript = self._screen.transcript
        if not transcript.find_in(self._words, seq):
            # The index knows words, not places: its words stand there apart, or in a summary, told of in the next line.
            _ = transcript.jump_to(seq) or transcript.jump_to(seq + 1)
        self._show_count()

    def _show_count(self) -> None:
        count, at = self._screen.transcript.hits
        older = sum(1 for seq in self._older if seq < self._view.oldest)
        self._screen.query_one(FindBar).show_count(count, older, at)
