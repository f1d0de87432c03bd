"""Keeps, beside the session a turn is made in, what files hold before tools change them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tui_agent.agent.files import digest_of, missing_above, mode_of
from tui_agent.agent.session import Session
from tui_agent.agent.tools.left_out import SHORTEST_KEY
from tui_agent.archive import NO_FILE, KeptFile
from tui_agent.core.entries import Rewound
from tui_agent.core.readings import is_spoken
from tui_agent.errors import NotSaved, ToolFailed


class KeptChanges:
    """The tools' keeper. Contents that hold the endpoint's key never get into the archive."""

    def __init__(self, current: Callable[[], Session | None], secret: Callable[[], str]) -> None:
        self._current = current
        self._secret = secret
        self._turn = ("", 0)
        """The session and the number of the turn that changed a file last."""

    @asynccontextmanager
    async def keeping(self, path: Path, before: bytes | None, after: bytes) -> AsyncIterator[bool]:
        """Keep `before` while the change is made; forget it when that fails.

        Raises:
            ToolFailed: it could not be kept, so that the change could never be taken back.
        """
        session = self._current()
        if session is None:
            yield True
            return
        is_kept = before is None or not self._holds_key(before)
        digest = NO_FILE if before is None else digest_of(before)
        mode = None if before is None else await asyncio.to_thread(mode_of, path)
        content = before if is_kept else None
        made = await asyncio.to_thread(missing_above, path) if before is None else 0
        kept = KeptFile(self._turn_of(session), str(path), content, digest, digest_of(after), mode=mode, made=made)
        try:
            number = await session.archive.keep_file(session.id, kept)
        except NotSaved as error:
            raise ToolFailed(f"{path} was not changed: what it holds now could not be kept. {error.what}") from error
        try:
            yield is_kept
        except ToolFailed:
            await session.archive.forget_file(session.id, number)
            raise

    def _holds_key(self, content: bytes) -> bool:
        secret = self._secret()
        return len(secret) >= SHORTEST_KEY and secret.encode() in content

    def _turn_of(self, session: Session) -> int:
        """Higher in every turn; a retry is a turn of its own. What began it may be folded by now."""
        began = [each.seq for each in session.tail if is_spoken(each.entry) or isinstance(each.entry, Rewound)]
        known = self._turn[1] if self._turn[0] == session.id else 0
        self._turn = session.id, max([known, *began])
        return self._turn[1]
