"""Names of files in a directory, for completion: what one would name, not what tools and caches keep there."""

import asyncio
import os
from collections.abc import Callable, Iterator
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic

MOST_FILES = 5000
"""In a larger tree the rest is not offered; it can still be attached by its path."""

_MOST_OFFERED = 20

FRESH_SECONDS = 10.0
"""For so long a list of files is taken for the present one, while one goes on typing and something in it fits."""

_STILL_FRESH_SECONDS = 1.0
"""For so long even if nothing in it fits: a large tree takes its time."""

_PASSED_OVER = {"node_modules", "__pycache__", "venv", "build", "dist", "target"}


class WorkspaceFiles:
    """The files of a directory, listed anew when the list is no longer fresh."""

    def __init__(self, directory: Path, clock: Callable[[], float] = monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._paths: list[str] = []
        self._listed_at: float | None = None

    async def matching(self, typed: str) -> list[str]:
        """The files that what was typed may mean, best first."""
        if self._age > (FRESH_SECONDS if typed else _STILL_FRESH_SECONDS):
            await self._list()
        found = _matching(self._paths, typed)
        if not found and self._age > _STILL_FRESH_SECONDS:  # a file may be there since
            await self._list()
            found = _matching(self._paths, typed)
        return found

    @property
    def _age(self) -> float:
        return inf if self._listed_at is None else self._clock() - self._listed_at

    async def _list(self) -> None:
        self._paths = await asyncio.to_thread(list_files, self._directory)
        self._listed_at = self._clock()


def list_files(directory: Path) -> list[str]:
    """Paths relative to the directory, with `/`, nearest first. Unreadable directories are passed over."""
    found = islice(_walk(directory), MOST_FILES)
    return sorted(found, key=lambda path: (path.count("/"), path.casefold()))


def _walk(directory: Path) -> Iterator[str]:
    for root, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith(".") and name not in _PASSED_OVER]
        for name in names:
            if not name.startswith("."):
                yield Path(root, name).relative_to(directory).as_posix()


def _matching(files: list[str], typed: str) -> list[str]:
    """The files whose name begins with what was typed, then those whose path contains it."""
    wanted = typed.casefold()
    beginning = [path for path in files if path.rsplit("/", 1)[-1].casefold().startswith(wanted)]
    containing = [path for path in files if wanted in path.casefold() and path not in beginning]
    return [*beginning, *containing][:_MOST_OFFERED]
