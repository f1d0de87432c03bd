"""Reads files that a person writes by hand."""

import errno
import os
import stat
from functools import cache
from pathlib import Path
from typing import BinaryIO

from tui_agent.language import _

LARGEST = 1_000_000
"""Bytes of such a file; a settings file with everything in it has some ten thousand."""

_WRITER_SECONDS = 3.0
"""How long a named pipe is given until somebody writes into it."""


def read_by_hand(path: Path, writer_seconds: float = _WRITER_SECONDS) -> bytes:
    """All of the file; one without an end takes no more memory than the largest.

    Raises:
        OSError: it cannot be read, is larger than `LARGEST`, or is a pipe into which nobody writes in that time.
    """
    if stat.S_ISFIFO(path.stat().st_mode):
        return _read_once(path, writer_seconds)
    with path.open("rb") as file:
        return _all_of(file, path)


@cache
def _read_once(path: Path, writer_seconds: float) -> bytes:
    """What came out of a pipe, such as a shell's `<(...)`: it gives it once, and settings are read more than once."""
    import select  # settings hardly ever come through a pipe

    # Without the flag, opening it would wait for a writer, for ever.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        is_begun = bool(select.select([file], [], [], writer_seconds)[0])
        first = file.raw.read(1)  # None while somebody has it open and writes nothing yet
        if first == b"" and not is_begun:
            raise OSError(errno.EPIPE, _("nobody writes into it"))
        os.set_blocking(file.fileno(), True)
        return (first or b"") + _all_of(file, path)


def _all_of(file: BinaryIO, path: Path) -> bytes:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
