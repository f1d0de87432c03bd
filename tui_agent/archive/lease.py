"""Who may write: one process per session, and no rebuilding of a file that others have open.

Locks are `flock`s: the kernel lets go of them when a process ends in whatever way, so none is ever left behind.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tui_agent.digests import blake2b
from tui_agent.errors import SessionBusy
from tui_agent.language import _


class FileLock:
    """A lock on a small file, held until `release` or the end of the process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self._turn: FileLock | None = None
        """Held with what was claimed."""

    @classmethod
    def take(cls, path: Path, *, shared: bool = False) -> "FileLock | None":
        """The lock, or None when somebody else has it."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        while True:
            with ExitStack() as undone:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
                undone.callback(os.close, descriptor)
                try:
                    fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                except BlockingIOError:
                    return None
                if _is_still_at(path, descriptor):
                    undone.pop_all()
                    return cls(path, descriptor)
                # Its last owner removed the file between our two calls: once more.

    def write_owner(self) -> None:
        """Leave this process's id in the file, for the others' messages."""
        if self._descriptor is not None:
            with suppress(OSError):  # a full disk: the lock holds all the same
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)

    def share(self) -> bool:
        """Turn an exclusive lock into a shared one, so that others may join."""
        if self._descriptor is None:
            return False
        fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        self._end_turn()
        return True

    def claim(self) -> bool:
        """Turn a shared lock into an exclusive one; False (and still shared) when others hold it too.

        The kernel lets go of a lock before it takes the other kind. So that nobody else claims it in between, claiming
        goes by turns.
        """
        if self._descriptor is None or self._turn is not None:
            return self._turn is not None
        self._turn = FileLock.take(self._path.with_name(f"{self._path.name}.turn"))
        if self._turn is None:
            return False
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.share()
            return False
        return True

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.release()
            self._turn = None

    def release(self, *, remove: bool = True) -> None:
        """Let go; the file goes too unless others may be sharing it."""
        if self._descriptor is None:
            return
        if remove:
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None
        self._end_turn()


def _is_still_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


class Lease:
    """The right to write one session, until released or the process ends."""

    def __init__(
        self, session_id: str, lock: FileLock | None = None, on_release: Callable[[], object] = lambda: None
    ) -> None:
        self.session_id = session_id
        self._lock = lock
        self._on_release = on_release

    def release(self) -> None:
        """Let another window write the session. Releasing twice is allowed."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
            self._on_release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def session_lock(directory: Path, session_id: str) -> FileLock:
    """The lock of a session.

    Raises:
        SessionBusy: another window, or another part of this process, has it.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    name = blake2b(session_id.encode("utf-8", "surrogatepass"), 12).hex()
    path = directory / f"{name}.lock"
    lock = FileLock.take(path)
    if lock is None:
        raise busy(session_id, _owner(path))
    lock.write_owner()
    return lock


def busy(session_id: str, owner: str = "") -> SessionBusy:
    """The error for a session that somebody else is writing."""
    who = _("another window (process {owner})").format(owner=owner) if owner else _("another window")
    return SessionBusy(
        _("Session {session_id} is open for writing in {who}.").format(session_id=session_id, who=who),
        _("Two writers would mix up its messages."),
        _("Close it there, or read or fork the session here."),
    )


def _owner(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
