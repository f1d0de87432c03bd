"""What the database driver raises, as the errors of this program; and the transaction that leaves nothing half done."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from tui_agent.archive.rows import DamagedRow
from tui_agent.errors import ArchiveDamaged, ArchiveUnavailable, NotSaved
from tui_agent.language import N_, _

_DAMAGED = (apsw.CorruptError, apsw.NotADBError, DamagedRow, UnicodeDecodeError)
"""The driver says so, or what it read is no text or of another kind than was written."""

_REASONS: tuple[tuple[type[apsw.Error], str, str], ...] = (
    (apsw.FullError, N_("the disk is full"), N_("Free some space, then try again.")),
    (apsw.ReadOnlyError, N_("the archive is read-only"), N_("Check the permissions of the data directory.")),
    (apsw.BusyError, N_("another process kept the archive locked"), N_("Try again; close other windows if it stays.")),
    (apsw.LockedError, N_("the archive is locked"), N_("Try again.")),
    (
        apsw.CantOpenError,
        N_("the archive's files cannot be opened"),
        N_("Check the data directory and its permissions."),
    ),
    (
        apsw.IOError,
        N_("the disk reported an error"),
        N_("Check the disk, its quota and its free space, then try again."),
    ),
    (apsw.NoMemError, N_("memory ran out"), N_("Close other programs, then try again.")),
)

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_WRITTEN = (apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE)


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """All of the block's writes, or none of them.

    The write lock is taken at the start: a lock taken at the first write inside a reading transaction could not be
    waited for.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some errors (a full disk) have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def as_write_errors(path: Path) -> Iterator[None]:
    """The driver's errors during a write as `NotSaved`, or as `ArchiveDamaged` when the file is corrupt."""
    try:
        yield
    except _DAMAGED as error:
        raise damaged(path) from error
    except (apsw.Error, OSError) as error:
        reason, todo = _why(error)
        raise NotSaved(_("Not saved: {reason}.").format(reason=reason), _("Nothing of it was kept."), todo) from error


@contextmanager
def as_read_errors(path: Path) -> Iterator[None]:
    """The driver's errors during a read as `ArchiveUnavailable`, or as `ArchiveDamaged` when the file is corrupt."""
    try:
        yield
    except _DAMAGED as error:
        raise damaged(path) from error
    except (apsw.Error, OSError) as error:
        raise unavailable(path, error) from error


def is_damage(error: BaseException) -> bool:
    """Whether the driver says that the file itself is corrupt."""
    return isinstance(error, _DAMAGED)


def is_full(error: BaseException) -> bool:
    """Whether a write failed for want of room, a quota's included; nothing was committed then."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    return isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) in _NOT_WRITTEN


def damaged(path: Path) -> ArchiveDamaged:
    """The error for a corrupt file."""
    return ArchiveDamaged(
        _("The archive {path} is damaged.").format(path=path),
        _("What is still whole can be saved."),
        _("Restart the program with no other window open: it keeps a copy of the file and saves every whole entry."),
    )


def damaged_entry(what: str) -> ArchiveDamaged:
    """The error for corrupt entries in a file that can be read."""
    return ArchiveDamaged(
        what,
        _("The others are whole."),
        _(
            "Restart the program with no other window open: it keeps a copy of the file and puts a notice in their "
            "place."
        ),
    )


def unavailable(path: Path, error: apsw.Error | OSError) -> ArchiveUnavailable:
    """The error for a file that cannot be opened or read at all."""
    reason, todo = _why(error)
    return ArchiveUnavailable(
        _("The archive {path} cannot be used: {reason}.").format(path=path, reason=reason),
        _("Sessions can be neither read nor saved."),
        todo,
    )


def _why(error: apsw.Error | OSError) -> tuple[str, str]:
    if is_full(error):
        return _("the disk is full"), _("Free some space, then try again.")
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower(), _("Check the data directory, its permissions and its disk.")
    for kind, reason, todo in _REASONS:
        if isinstance(error, kind):
            return _(reason), _(todo)
    return _("the database reported {name}").format(name=type(error).__name__), _("Try again.")
