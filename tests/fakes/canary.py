"""A key that every test's program is given and none may leave behind anywhere: how it is looked for."""

import base64
import zlib
from collections.abc import Iterator
from pathlib import Path

from tui_agent.archive.pages import Pages
from tui_agent.archive.rows import plain_json

CANARY = "-".join(("sk", "canary", "of", "all", "tests", "5f1c0b7e93"))
"""The key of every endpoint of a test that names no other; put together, so that this file does not hold it."""

_FORMS = (CANARY.encode(), base64.b64encode(CANARY.encode())[:-4], CANARY[3:].encode(), CANARY.encode("utf-16-le"))
_LARGEST = 64 * 1024 * 1024
_LARGEST_ARCHIVE = 8 * 1024 * 1024
_EMPTY_BY_NATURE = (".reserve", ".gguf")


def holds_canary(data: bytes) -> bool:
    """Whether the key stands in some bytes, in any of its forms."""
    return any(form in data for form in _FORMS)


def canaries_under(*directories: Path) -> list[str]:
    """The files in which the key stands, also packed in an archive's rows, and those named by it."""
    return [str(path) for directory in directories for path in sorted(directory.rglob("*")) if _has_canary(path)]


def _has_canary(path: Path) -> bool:
    if holds_canary(path.name.encode("utf-8", "surrogateescape")):
        return True
    try:
        if path.is_symlink() or not path.is_file() or path.suffix in _EMPTY_BY_NATURE:
            return False
        size = path.stat().st_size
        if not 0 < size < _LARGEST:
            return False
        data = path.read_bytes()
    except OSError:  # gone, or made unreadable by the test
        return False
    if holds_canary(data):
        return True
    is_archive = data.startswith(b"SQLite format 3") and size < _LARGEST_ARCHIVE
    return is_archive and any(map(holds_canary, _unpacked(path)))


def _unpacked(path: Path) -> Iterator[bytes]:
    """What stands compressed in the rows of an archive."""
    for row in Pages(path).rows():
        for value in row:
            if isinstance(value, bytes) and value[:1] == b"x":
                try:
                    yield plain_json(value)
                except zlib.error:
                    continue
