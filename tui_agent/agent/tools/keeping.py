"""Keeping what a file holds before a tool changes it: all that the tools know of their keeper."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

NOT_KEPT = "What it held before holds the endpoint's key and was not kept: /undo-files cannot take this change back."


class Keeper(Protocol):
    """Keeps what a file holds before it is changed."""

    def keeping(self, path: Path, before: bytes | None, after: bytes) -> AbstractAsyncContextManager[bool]:
        """Keep `before` (None: there is no file) while the change to `after` is made; given up when that fails.

        Gives whether it could be kept. Raises ToolFailed when the change must not be made.
        """
        ...


class KeepsNothing:
    """Where there is no session whose changes could be taken back."""

    @asynccontextmanager
    async def keeping(self, path: Path, before: bytes | None, after: bytes) -> AsyncIterator[bool]:
        yield True
