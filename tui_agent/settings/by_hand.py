"""Reads files that a person writes by hand."""

import errno
import os
from pathlib import Path

LARGEST = 1_000_000
"""Bytes of such a file; a settings file with everything in it has some ten thousand."""


def read_by_hand(path: Path) -> bytes:
    """All of the file; one without an end takes no more memory than the largest.

    Raises:
        OSError: it cannot be read, or is larger than `LARGEST`.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
