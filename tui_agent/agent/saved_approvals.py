"""The approvals that outlive a session, in one private file of the data directory; never in a project."""

import asyncio
import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tui_agent.agent.approval import Grant
from tui_agent.errors import ConfigInvalid


class SavedApprovals:
    """A list of grants on disk. Two windows may change it at the same time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def load(self) -> tuple[Grant, ...]:
        """The grants, oldest first.

        Raises:
            ConfigInvalid: the file cannot be read as a list of grants; nothing is allowed then.
        """
        return await asyncio.to_thread(self._read)

    async def add(self, grant: Grant) -> None:
        """Saves a grant. Saving it twice is no error.

        Raises:
            ConfigInvalid: the file cannot be read or written.
        """
        await asyncio.to_thread(self._change, lambda grants: tuple(dict.fromkeys((*grants, grant))))

    async def remove(self, grant: Grant) -> None:
        """Forgets a grant. One that is not there is no error.

        Raises:
            ConfigInvalid: the file cannot be read or written.
        """
        await asyncio.to_thread(self._change, lambda grants: tuple(each for each in grants if each != grant))

    def _read(self) -> tuple[Grant, ...]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            return tuple(Grant(str(each["tool"]), str(each["directory"]), str(each["binding"])) for each in stored)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigInvalid(
                f"The saved approvals in {self._path} cannot be read: {error}.",
                "Everything will be asked again.",
                "Repair or delete the file.",
            ) from error

    def _change(self, change: Callable[[tuple[Grant, ...]], Sequence[Grant]]) -> None:
        try:
            with self._locked():
                text = json.dumps([asdict(grant) for grant in change(self._read())], indent=1)
                self._write(text.encode("ascii"))
        except OSError as error:
            raise ConfigInvalid(f"The approval could not be saved in {self._path}: {error}.") from error

    def _write(self, data: bytes) -> None:
        temporary = self._path.with_suffix(".new")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, self._path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
