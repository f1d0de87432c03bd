"""Reads files that a person writes by hand."""

import errno
import os
import stat
from functools import cache
from pathlib import Path

LARGEST = 1_000_000
"""Bytes of such a file; a settings file with everything in it has some ten thousand."""


def read_by_hand(path: Path) -> bytes:
    """All of the file; one without an end takes no more memory than the largest.

    Raises:
        OSError: it cannot be read, or is larger than `LARGEST`.
    """
    return _read_once(path) if stat.S_ISFIFO(path.stat().st_mode) else _read(path)


@cache
def _read_once(path: Path) -> bytes:
    """What came out of a pipe, such as a shell's `<(...)`: it gives it once, and settings are read more than once."""
    return _read(path)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
