"""The one compaction of a session that is under way: whoever wants another waits for it, or is shown that very one."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from tui_agent.agent.proposals import Proposed, Proposing, Wish
from tui_agent.core.events import Event
from tui_agent.errors import CompactionError
from tui_agent.language import _


class Writing:
    """A proposal that is being written, for all who want to see it: each sees it from its beginning."""

    def __init__(self, propose: Proposing, wish: Wish) -> None:
        self.wish = wish
        self.wanted: Wish | None = None
        """What the user wishes who has asked for a compaction meanwhile; None while nobody has."""

        self._written: list[Event | Proposed] = []
        self._more = asyncio.Event()
        """Set, and replaced, when there is more to see."""

        self._task = asyncio.create_task(self._write(propose(wish)))
        self._task.add_done_callback(lambda _task: self._tell())

    async def events(self, *, unseen: bool = False) -> AsyncGenerator[Event | Proposed, None]:
        """What a proposal yields; with `unseen`, until somebody has asked to see it.

        Raises:
            CompactionError: it was stopped.
            Others: what the proposal raises.
        """
        place = 0
        while not (unseen and self.wanted is not None):
            more = self._more
            if place < len(self._written):
                place += 1
                yield self._written[place - 1]
            elif not self._task.done():
                await more.wait()
            elif self._task.cancelled():
                raise CompactionError(_("Writing this summary was stopped."), _("Nothing was replaced."))
            else:
                self._task.result()
                return

    def show(self, wish: Wish) -> None:
        """The user has asked for a compaction: from here on it is the user who decides."""
        self.wanted = wish
        self._tell()

    def shown(self, propose: Proposing) -> tuple[Proposing, Wish]:
        """What the preview is opened with: this proposal, or, for a wish of the user's own, another in its place."""
        if self.wanted is not None and not self.wanted.is_plain:
            self.stop()
            return propose, self.wanted
        follows = True

        def proposing(wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
            nonlocal follows
            if follows:
                follows = False
                return self.events()
            self.stop()
            return propose(wish)

        return proposing, self.wish

    def stop(self) -> None:
        """Let it not be written any further; nothing happens when it is."""
        self._task.cancel()

    async def ended(self) -> None:
        """Stop it, and wait for that."""
        self.stop()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.exception()  # who followed it has been told

    async def _write(self, proposing: AsyncGenerator[Event | Proposed, None]) -> None:
        async with aclosing(proposing) as events:
            async for event in events:
                self._written.append(event)
                self._tell()

    def _tell(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class Underway:
    """Sees to it that a session is compacted by one at a time: a preview, or a turn."""

    def __init__(self) -> None:
        self.alone = asyncio.Lock()
        """Held from the first look at what would be folded until it is folded, or is not to be."""

        self.is_asked = False
        """Whether a turn has put its summary before the user."""

        self._writing: Writing | None = None

    @property
    def ahead(self) -> Writing | None:
        """The summary that is being made ahead of need."""
        writing = self._writing
        return writing if writing is not None and writing.wish.trigger == "background" else None

    def show(self, wish: Wish) -> bool:
        """Have the compaction that a turn is writing shown by that turn; whether there is one, or it is shown."""
        if self.is_asked or self._writing is None or self.ahead is not None:
            return self.is_asked
        self._writing.show(wish)
        return True

    @asynccontextmanager
    async def writing(self, propose: Proposing, wish: Wish) -> AsyncIterator[Writing]:
        """Have a proposal written; it is stopped when nobody is left who wants it."""
        writing = self._writing = Writing(propose, wish)
        try:
            yield writing
        finally:
            if self._writing is writing:
                self._writing = None
            await writing.ended()
