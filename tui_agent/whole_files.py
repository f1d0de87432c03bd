"""Files written so that what is there is always whole: the old one or the new one."""

import os
import stat
from pathlib import Path


def write_private(path: Path, text: str, *, replace: bool = False) -> None:
    """Write a file that only its owner reads; a new one that could not be written whole is removed again.

    Raises:
        OSError: it could not be written, among them FileExistsError unless it may `replace` one.
    """
    data = text.encode("utf-8", "replace")
    if replace:
        replace_file(path, data, 0o600)
        return
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write beside the file and put that in its place, so that there is always the old one or the new one, whole.

    A link stays a link. Without a `mode` the file keeps its own, and a new one is its owner's alone. What is no file,
    such as `/dev/stdout`, is written to.

    Raises:
        OSError: it could not be written; what was there still is.
    """
    target = os.path.realpath(path)
    try:
        before = os.stat(target).st_mode
    except FileNotFoundError:
        before = stat.S_IFREG | 0o600
    if not stat.S_ISREG(before):
        with open(target, "wb") as file:
            file.write(data)
        return
    import tempfile  # takes time, and most runs replace nothing

    handle, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".tui-agent-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, stat.S_IMODE(before) if mode is None else mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
