"""How the archive's file is opened: permissions, durability, version, and what to do when one of them is wrong."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path

import apsw

from tui_agent.archive import book, schema
from tui_agent.archive.faults import damaged, is_damage, is_full, unavailable
from tui_agent.archive.lease import FileLock
from tui_agent.archive.reserve import Reserve
from tui_agent.archive.rows import is_utf8
from tui_agent.errors import ArchiveUnavailable
from tui_agent.language import _
from tui_agent.paths import private_directory
from tui_agent.values import frozen, mutable

_BUSY_MILLISECONDS = 5_000

_SMALLEST_PAGE = 512

_BESIDE = frozenset({"log", "config.toml", "mcp.json"})
"""What else of this program's may lie in the directory of the archive."""

_MOUNTS = Path("/proc/self/mounts")
"""Where Linux says what is mounted."""

_NETWORK_FILE_SYSTEMS = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)


@mutable
class Opened:
    """A file that is ready for use."""

    connection: apsw.Connection
    presence: FileLock | None
    """Held as long as the file is open, so that nobody replaces it meanwhile; None for a read-only archive."""

    read_only: bool = False
    is_short: bool = False
    """Whether it took the reserve to open it."""

    notices: list[str] = field(default_factory=list)


def open_file(
    path: Path,
    *,
    vfs: str | None = None,
    migrations: Sequence[str] = schema.MIGRATIONS,
    busy: int = _BUSY_MILLISECONDS,
    writable: bool | None = None,
    mounts: Path = _MOUNTS,
) -> Opened:
    """Open the archive, making, migrating or salvaging its file where needed.

    `busy` is how many milliseconds another process's write is waited for; `writable` is found out unless given;
    `mounts` is the table that tells what is on another machine's disk.

    Raises:
        ArchiveUnavailable, ArchiveTooNew, ArchiveDamaged
    """
    newest = len(migrations)
    if not is_utf8(str(path)):
        raise ArchiveUnavailable(
            _("The path of the archive is not UTF-8: {path}.").format(path=path),
            "",
            _("Choose another data directory."),
        )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _close_to_others(path)
        if path.is_file():
            schema.refuse_newer_file(path, newest)
        if not (_is_writable(path) if writable is None else writable):
            return _open_read_only(path, newest, _("The archive {path} is read-only: nothing can be saved."))
        return _open_in_need(path, newest, lambda: _open_writable(path, vfs, migrations, busy, mounts))
    except (OSError, apsw.Error) as error:
        raise unavailable(path, error) from error


def _open_in_need(path: Path, newest: int, attempt: Callable[[], Opened]) -> Opened:
    """Open for writing; on a full disk with the reserve's room, and if there is none, for reading."""
    try:
        return attempt()
    except (OSError, apsw.Error) as error:
        if not is_full(error):
            raise
        if not Reserve(path).spend():
            if not path.exists() or path.stat().st_size < _SMALLEST_PAGE:
                raise
            notice = _(
                "The disk is full: the archive {path} can be read, but nothing can be saved until the program is "
                "restarted."
            )
            return _open_read_only(path, newest, notice)
    opened = attempt()
    opened.is_short = True
    return opened


def _is_writable(path: Path) -> bool:
    if not path.exists():
        return os.access(path.parent, os.W_OK | os.X_OK)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def _open_writable(path: Path, vfs: str | None, migrations: Sequence[str], busy: int, mounts: Path) -> Opened:
    notices = _make_private(path)
    presence = FileLock.take(_beside(path, "open"), shared=True)
    if presence is None:
        raise ArchiveUnavailable(
            _("The archive {path} is being repaired by another window.").format(path=path),
            "",
            _("Wait until it is done, then try again."),
        )
    try:
        connection = _Opening(path, vfs, migrations, busy, mounts, presence, notices).connection()
    except BaseException:
        presence.release(remove=False)
        raise
    return Opened(connection, presence, notices=notices)


@frozen
class _Opening:
    """What is needed on the way from a path to a connection."""

    path: Path
    vfs: str | None
    migrations: Sequence[str]
    busy: int
    mounts: Path
    presence: FileLock
    notices: list[str]

    def connection(self) -> apsw.Connection:
        """A connection to the file, or to what could be saved of it."""
        if _is_cut_to_nothing(self.path):
            suspect(self.path)
        if not _beside(self.path, "suspect").exists():
            try:
                return self._connect()
            except apsw.Error as error:
                if not is_damage(error):
                    raise
                suspect(self.path)
        self._rescue()
        try:
            return self._connect()
        except apsw.Error as error:
            raise (damaged(self.path) if is_damage(error) else error) from error

    def _rescue(self) -> None:
        if not self.presence.claim():
            self.notices.append(
                _("The archive is damaged; it will be repaired at the next start with no other window open.")
            )
            return
        from tui_agent.archive import salvage  # hardly any run needs it

        try:
            self.notices.append(salvage.salvage(self.path).sentence())
            _beside(self.path, "suspect").unlink(missing_ok=True)
        finally:
            self.presence.share()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), vfs=self.vfs)
        try:
            # A file that is refused must not be changed by closing it either.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(self.busy)
            version = schema.version_of(connection, self.path, len(self.migrations))
            is_remote = on_network_file_system(self.path, self.mounts)
            _configure(connection, is_remote, has_shared_memory=self.vfs is None)
            self._migrate(connection, version)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            if is_remote:
                self.notices.append(
                    _(
                        "The archive {path} is on a network file system: use it from one machine at a time, or "
                        "choose a local data directory."
                    ).format(path=self.path)
                )
            # A look at what every use needs, so that damage there is found now and not in the middle of a turn.
            connection.execute("SELECT count(*), max(change) FROM session").fetchall()
            connection.execute("SELECT max(id) FROM entry").fetchall()
            if book.sweep_is_due(connection):
                book.sweep_or_postpone(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: apsw.Connection, version: int) -> None:
        newest = len(self.migrations)
        if version in (0, newest):
            schema.migrate(connection, self.path, self.migrations)
            return
        if not self.presence.claim():
            raise ArchiveUnavailable(
                _("The archive {path} must be brought up to date, and another window has it open.").format(
                    path=self.path
                ),
                "",
                _("Close the other window, then try again."),
            )
        try:
            schema.migrate(connection, self.path, self.migrations)
        finally:
            self.presence.share()
        self.notices.append(
            _("The archive was brought from version {version} to {newest}; a copy was kept.").format(
                version=version, newest=newest
            )
        )


def _is_cut_to_nothing(path: Path) -> bool:
    """Whether the file is empty and its WAL is not, which never happens by itself; SQLite would drop the WAL."""
    wal = path.with_name(f"{path.name}-wal")
    return path.stat().st_size < _SMALLEST_PAGE and wal.exists() and wal.stat().st_size > 0


def suspect(path: Path) -> None:
    """Leave a mark that damage was found in the file; it is salvaged when it is opened next."""
    with suppress(OSError):
        _beside(path, "suspect").touch(mode=0o600)


def _configure(connection: apsw.Connection, is_remote: bool, *, has_shared_memory: bool) -> None:
    if not has_shared_memory:
        connection.pragma("locking_mode", "EXCLUSIVE")
    # A WAL needs memory shared between the processes that use the file, which no network offers.
    connection.pragma("journal_mode", "DELETE" if is_remote else "WAL")
    connection.pragma("synchronous", "FULL")
    # On macOS fsync alone does not reach the disk; elsewhere these two change nothing.
    connection.pragma("fullfsync", "ON")
    connection.pragma("checkpoint_fullfsync", "ON")
    connection.pragma("secure_delete", "ON")
    connection.pragma("foreign_keys", "ON")
    connection.pragma("trusted_schema", "OFF")


def _open_read_only(path: Path, newest: int, notice: str) -> Opened:
    if not path.exists():
        raise ArchiveUnavailable(
            _("The data directory {parent} cannot be written.").format(parent=path.parent),
            _("Sessions cannot be saved there."),
            _("Change its permissions, or choose another data directory."),
        )
    notices = [notice.format(path=path)]
    # Only an immutable file can be read where no lock file may be made; what stands in a WAL is then left out.
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists() and wal.stat().st_size > 0:
        notices.append(_("The newest entries may be missing until it can be written again."))
    uri = path.absolute().as_uri() + "?mode=ro&immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        version = schema.version_of(connection, path, newest)
        if version < newest:
            raise ArchiveUnavailable(
                _(
                    "The archive {path} was written by an older version and cannot be brought up to date: it is "
                    "read-only."
                ).format(path=path)
            )
    except BaseException:
        connection.close()
        raise
    return Opened(connection, None, read_only=True, notices=notices)


def _close_to_others(path: Path) -> None:
    """Make the directory its owner's alone, unless something else lies in it: that may be for others.

    The files in it are private by themselves, so where this cannot be done nothing stops.
    """
    with suppress(OSError):
        if all(name.startswith(path.name) or name in _BESIDE for name in os.listdir(path.parent)):
            private_directory(path.parent)


def _make_private(path: Path) -> list[str]:
    """See that the file exists and is its owner's alone; SQLite gives its other files the same mode."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        status = os.fstat(descriptor)
        if status.st_mode & 0o077 == 0 or status.st_uid != os.geteuid():
            return []
        os.fchmod(descriptor, 0o600)
        return [_("The archive {path} could be read by other users of this machine; now it cannot.").format(path=path)]
    finally:
        os.close(descriptor)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")


def on_network_file_system(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether the file is on another machine's disk, as far as this system says."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        resolved = path.resolve()
    except OSError:
        return False
    best, kind = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        where = fields[1].replace("\\040", " ")
        if len(where) >= len(best) and resolved.is_relative_to(where):
            best, kind = where, fields[2]
    return kind in _NETWORK_FILE_SYSTEMS
