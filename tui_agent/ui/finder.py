"""Finds words in a whole session: letter by letter in what is loaded, by the archive's index in what is not."""

from collections.abc import Awaitable, Callable

from textual.message import Message

from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
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
        read_older: Callable[[Session, int], Awaitable[bool]],
    ) -> None:
        """
        Args:
            screen: whose bar and transcript they are.
            services: the archive is searched through them.
            view: knows what is loaded.
            read_older: loads a page of older entries; False when there are none down to a wanted one.
        """
        self._screen = screen
        self._services = services
        self._view = view
        self._read_older = read_older
        self._words = ""
        self._older: list[int] = []
        """Entries with hits that were not loaded when they were looked up, newest first."""

    async def heard(self, message: Message) -> None:
        """Other words are to be found, or the next hit."""
        match message:
            case FindBar.Changed(words):
                await self._begin(words)
            case FindBar.Stepped(step):
                await self._step(step)

    async def _begin(self, words: str) -> None:
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

    async def _step(self, step: int) -> None:
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
        """Load what lies between, and show the hit in an entry."""
        session = self._view.session
        while session is not None and session is self._view.session and self._view.oldest > seq:
            if not await self._read_older(session, seq):
                break
        transcript = self._screen.transcript
        if not transcript.find_in(self._words, seq):
            transcript.jump_to(seq)  # the index knows words, not places: its words stand there apart
        self._show_count()

    def _show_count(self) -> None:
        count, at = self._screen.transcript.hits
        older = sum(1 for seq in self._older if seq < self._view.oldest)
        self._screen.query_one(FindBar).show_count(count, older, at)
