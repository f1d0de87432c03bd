"""Keeps what has arrived of an answer while more of it is awaited, so that a crash costs next to nothing of it."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from tui_agent.agent.session import Session
from tui_agent.core.codec import entry_to_json
from tui_agent.core.entries import AssistantSaid
from tui_agent.errors import ArchiveError

FLUSH_SECONDS = 0.25
"""How far the archive may lag behind a streamed answer: what a power cut can cost at most."""


class PartialKeeper:
    """Saves beside the stream, which does not wait for the disk; the last piece before a silence too."""

    def __init__(self, session: Session, answer: Callable[[], AssistantSaid]) -> None:
        """`answer` is what has arrived so far."""
        self._session = session
        self._answer = answer
        self._is_due = self._has_kept = False
        self._saved_at = 0.0
        self._saving: asyncio.Task[None] | None = None

    def arrived(self) -> None:
        """Save soon: more has arrived."""
        self._is_due = True
        if self._saving is None:
            self._saving = asyncio.create_task(self._save())

    async def stop(self) -> None:
        """Save no more: the answer is logged, or given up. What is being saved is saved before that."""
        saving, self._saving = self._saving, None
        if saving is not None:
            saving.cancel()
            await asyncio.wait((saving,))

    async def _save(self) -> None:
        while self._is_due:
            await asyncio.sleep(max(self._saved_at + FLUSH_SECONDS - time.monotonic(), 0.0))
            self._is_due, self._saved_at = False, time.monotonic()
            # A failing disk is told of when the whole answer cannot be kept; the stream goes on until then.
            with suppress(ArchiveError):
                await self._keep(self._answer())
        self._saving = None

    async def _keep(self, answer: AssistantSaid) -> None:
        archive, session_id = self._session.archive, self._session.id
        if answer.text or answer.reasoning:
            self._has_kept = True
            await archive.save_partial(session_id, entry_to_json(answer))
        elif self._has_kept:  # it begins anew
            self._has_kept = False
            await archive.clear_partial(session_id)
