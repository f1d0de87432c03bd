"""Reads and replaces files by their real path, following no link on the way and touching nothing but regular files.

Every function blocks; callers run them in a thread.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from tui_agent.agent.no_links import CAREFULLY, open_without_links
from tui_agent.agent.workspace import reason_of
from tui_agent.digests import sha256
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

_PERMISSIONS = 0o777
PRIVATE = 0o600
"""The mode of a file that only its owner may read and write."""


@frozen
class FileContent:
    """A file as it was read."""

    data: bytes
    """Its bytes, or only the first of them; then `size` is larger."""

    size: int
    digest: str
    """SHA-256 of `data`, in hexadecimal."""

    mode: int
    """Who may read, write and run it: its permission bits."""

    @property
    def is_writable(self) -> bool:
        """Whether its mode lets anyone write it."""
        return bool(self.mode & 0o222)

    @property
    def is_complete(self) -> bool:
        return len(self.data) == self.size


def digest_of(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(data)


def read_file(path: Path, limit: int) -> FileContent:
    """At most `limit` bytes from the beginning of a regular file.

    Raises:
        FileNotFoundError: there is none.
        ToolFailed: it is no regular file, or cannot be read.
    """
    with _errors_about(path), _opened(path, os.O_RDONLY) as descriptor:
        status = _regular(path, descriptor)
        data = _read(descriptor, limit)
        size = max(status.st_size, len(data)) if len(data) == limit else len(data)
        return FileContent(data, size, digest_of(data), status.st_mode & _PERMISSIONS)


@contextmanager
def opened_for_reading(path: Path) -> Iterator[int]:
    """A descriptor of a regular file, for files too large to be read at once.

    Raises:
        FileNotFoundError: there is none.
        ToolFailed: it is no regular file, or cannot be read.
    """
    with _errors_about(path), _opened(path, os.O_RDONLY) as descriptor:
        _regular(path, descriptor)
        yield descriptor


@contextmanager
def opened_directory(path: Path) -> Iterator[int]:
    """A descriptor of a directory.

    Raises:
        FileNotFoundError: there is none.
        ToolFailed: it is no directory, or cannot be opened.
    """
    with _errors_about(path), _opened(path, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        yield descriptor


def mode_of(path: Path) -> int | None:
    """Permission bits of a regular file; None when there is none, or none that can be read."""
    with suppress(OSError, ToolFailed), opened_for_reading(path) as descriptor:
        return os.fstat(descriptor).st_mode & _PERMISSIONS
    return None


def replace_file(path: Path, data: bytes, before: str | None, mode: int | None = None) -> None:
    """Put `data` in the place of the file with digest `before` (None: of no file) in one step, keeping its mode.

    A new file gets the permission bits `mode`, or else those the process gives new ones. Missing directories are made.
    A crash leaves the old file or the new one, never a part.

    Raises:
        ToolFailed: the file is not what it was, or cannot be written; nothing has changed then.
    """
    with _errors_about(path, missing=True), _opened(path.parent, os.O_RDONLY | os.O_DIRECTORY, make=True) as directory:
        status = _unchanged(path, directory, before)
        temporary = f".{os.urandom(8).hex()}.tmp"
        try:
            _write_new(directory, temporary, data, status, mode)
            _put(directory, temporary, path.name, replace=status is not None)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=directory)
        os.fsync(directory)


def remove_file(path: Path, before: str) -> None:
    """Remove the file with digest `before`; its directory stays.

    Raises:
        ToolFailed: the file is not what it was, or cannot be removed; nothing has changed then.
    """
    with _errors_about(path, missing=True), _opened(path.parent, os.O_RDONLY | os.O_DIRECTORY) as directory:
        _unchanged(path, directory, before)
        os.unlink(path.name, dir_fd=directory)
        os.fsync(directory)


def missing_above(path: Path) -> int:
    """How many directories have to be made for a file to lie there."""
    return sum(1 for _ in takewhile(lambda directory: not os.path.lexists(directory), path.parents))


def remove_if_empty(directory: Path) -> None:
    """Remove a directory in which there is nothing; any other, and what is none, stays."""
    with suppress(OSError), _opened(directory.parent, os.O_RDONLY | os.O_DIRECTORY) as parent:
        os.rmdir(directory.name, dir_fd=parent)


def _unchanged(path: Path, directory: int, before: str | None) -> os.stat_result | None:
    """The state of the file that is to be replaced; None when there is none, as expected."""
    try:
        descriptor = os.open(path.name, os.O_RDONLY | CAREFULLY, dir_fd=directory)
    except FileNotFoundError:
        if before is not None:
            raise ToolFailed(f"{path} is gone.", "It existed when the change was shown; nothing was written.") from None
        return None
    try:
        status = _regular(path, descriptor)
        if before is None:
            raise ToolFailed(f"{path} exists by now.", "It did not when the change was shown; nothing was written.")
        if digest_of(_read(descriptor, status.st_size + 1)) != before:
            raise ToolFailed(
                f"{path} has changed since the change was shown.", "Nothing was written.", "Read it again."
            )
        return status
    finally:
        os.close(descriptor)


def _write_new(directory: int, name: str, data: bytes, like: os.stat_result | None, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    wanted = mode if like is None else stat.S_IMODE(like.st_mode)
    descriptor = os.open(name, flags, 0o666 if wanted is None else PRIVATE, dir_fd=directory)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None:
            with suppress(PermissionError):
                os.fchown(descriptor, like.st_uid, like.st_gid)
        if wanted is not None:
            os.fchmod(descriptor, wanted)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put(directory: int, temporary: str, name: str, replace: bool) -> None:
    if not replace:
        try:
            os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
            return
        except FileExistsError:
            raise
        except OSError:
            pass  # a file system without hard links: a plain rename has to do
    os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def _regular(path: Path, descriptor: int) -> os.stat_result:
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return status
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    raise ToolFailed(f"{path} is {kinds.get(stat.S_IFMT(status.st_mode), 'no regular file')}, not a file.")


def _read(descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


@contextmanager
def _errors_about(path: Path, missing: bool = False) -> Iterator[None]:
    """Turn what the system says into a sentence about the path; a missing file too only if `missing`."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not missing:
            raise
        swapped = error.errno in (errno.ELOOP, errno.EXDEV)
        why = "it became a link meanwhile" if swapped else reason_of(error)
        raise ToolFailed(f"{path} cannot be used: {why}.") from error


@contextmanager
def _opened(path: Path, flags: int, make: bool = False) -> Iterator[int]:
    descriptor = _open_or_make(path, flags) if make else open_without_links(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_or_make(path: Path, flags: int) -> int:
    try:
        return open_without_links(path, flags)
    except FileNotFoundError:
        with _opened(path.parent, os.O_RDONLY | os.O_DIRECTORY, make=True) as parent:
            with suppress(FileExistsError):
                os.mkdir(path.name, dir_fd=parent)
            return os.open(path.name, flags | CAREFULLY, dir_fd=parent)
