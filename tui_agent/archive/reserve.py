"""Room kept back on the disk. When the disk is full it is given up, so that what cannot wait can still be saved."""

import os
from contextlib import suppress
from pathlib import Path

BYTES = 4 * 1024 * 1024
"""Enough for the last answers of every window and for deleting a session."""


class Reserve:
    """A file beside the archive's that holds nothing but its place."""

    def __init__(self, archive: Path) -> None:
        self._path = archive.with_name(f"{archive.name}.reserve")

    def fill(self) -> bool:
        """Keep the room back; False when the disk has not twice as much, for then it would be full by this."""
        with suppress(OSError):
            if self._path.stat().st_size >= BYTES:
                return True
        try:
            disk = os.statvfs(self._path.parent)
            if disk.f_bavail * disk.f_frsize < 2 * BYTES:
                return False  # pragma: no cover - tests/e2e/test_full_disk.py has such a disk
            _take(self._path)
        except OSError:  # a quota, or a limit on the size of files
            self.spend()
            return False
        return True

    def spend(self) -> bool:
        """Give the room up; whether there was any."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True


def _take(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, BYTES)
        else:  # pragma: no cover - where the system has no such call
            os.write(descriptor, bytes(BYTES))
    finally:
        os.close(descriptor)
