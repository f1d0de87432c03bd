"""Opens a path without following a single link, so that what was resolved and approved is what is opened.

On Linux the kernel does the walk in one step (`openat2`); elsewhere, and where a sandbox forbids that call, each
component is opened in turn.
"""

import errno
import os
import struct
import sys
from pathlib import Path

CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Without the last link, without waiting for a pipe's other end, without a terminal becoming ours."""

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC

_OPENAT2 = 437
"""Its number on every architecture of Linux but alpha (include/uapi/asm-generic/unistd.h)."""

_NO_MAGIC_LINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
"""Flags of `open_how.resolve` (include/uapi/linux/openat2.h)."""


def open_without_links(path: Path, flags: int) -> int:
    """A descriptor of an absolute path that has no links in it.

    Raises:
        OSError: it cannot be opened; ELOOP or ENOTDIR when there is a link in it after all.
    """
    if sys.platform == "linux":
        try:
            return open_in_kernel(path, flags)
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.EPERM):
                raise
    return open_stepwise(path, flags)


def open_in_kernel(path: Path, flags: int) -> int:
    """One system call of Linux 5.6 and later.

    Raises:
        OSError: ENOSYS where the call does not exist, EPERM where a sandbox forbids it, and as usual.
    """
    import ctypes  # takes time and memory, and most starts open nothing by this way

    root = os.open("/", _STEP)
    try:
        how = struct.pack("QQQ", flags | CAREFULLY, 0, _BENEATH | _NO_MAGIC_LINKS | _NO_SYMLINKS)
        libc = ctypes.CDLL(None, use_errno=True)
        relative = os.fsencode(os.path.relpath(path, "/"))
        descriptor = libc.syscall(_OPENAT2, root, relative, how, len(how))
        if descriptor < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
        return int(descriptor)
    finally:
        os.close(root)


def open_stepwise(path: Path, flags: int) -> int:
    """Component by component, each without following a link.

    Raises:
        OSError: as usual; ELOOP or ENOTDIR at a link.
    """
    *directories, name = Path(os.path.relpath(path, "/")).parts or (".",)
    here = os.open("/", _STEP)
    try:
        for directory in directories:
            step = os.open(directory, _STEP | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = step
        return os.open(name, flags | CAREFULLY, dir_fd=here)
    finally:
        os.close(here)
