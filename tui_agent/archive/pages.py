"""A database file read page by page, without trusting anything that says where a page belongs. For salvage only.

Only what the file format fixes is used: a table's rows stand in leaf pages, a long row goes on in overflow pages, and
a WAL holds newer versions of pages. Whoever reads the rows has to know genuine ones from rubbish.
"""

import mmap
import os
from collections.abc import Iterator
from pathlib import Path

Value = int | float | str | bytes | None

_TABLE_LEAF = 0x0D
_HEADER_BYTES = 100
_WAL_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_WAL_MAGIC = (0x377F0682, 0x377F0683)
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
"""Bytes of an integer by its serial type."""

_LONGEST_ROW = 1 << 30


class Pages:
    """The pages of a file as its WAL leaves them."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            # Not read at once: an archive may be larger than the memory there is. An empty file cannot be mapped.
            is_empty = file.seek(0, os.SEEK_END) == 0
            self._data = b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._size = _page_bytes(self._data[:_HEADER_BYTES])
        self._newer = _wal_pages(path.with_name(f"{path.name}-wal"), self._size)
        self._count = max([-(-len(self._data) // self._size), *self._newer])

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Every row of every table leaf, the row's own number first. Rows that cannot be read are left out."""
        for number in range(1, self._count + 1):
            yield from self._leaf_rows(number, self._page(number))

    def _page(self, number: int) -> bytes:
        newer = self._newer.get(number)
        if newer is not None:
            return newer
        # The last page of a file that was cut holds rows in what is left of it.
        return self._data[(number - 1) * self._size : number * self._size].ljust(self._size, b"\0")

    def _leaf_rows(self, number: int, page: bytes) -> Iterator[tuple[Value, ...]]:
        start = _HEADER_BYTES if number == 1 else 0
        if page[start] != _TABLE_LEAF:
            return
        cells = int.from_bytes(page[start + 3 : start + 5], "big")
        for index in range(min(cells, self._size // 4)):
            at = start + 8 + 2 * index
            try:
                yield self._row(page, int.from_bytes(page[at : at + 2], "big"))
            except (IndexError, ValueError, OverflowError):
                continue

    def _row(self, page: bytes, at: int) -> tuple[Value, ...]:
        length, at = _varint(page, at)
        row_id, at = _varint(page, at)
        if not 0 < length < _LONGEST_ROW:
            raise ValueError("no row is that long")
        local = self._local_bytes(length)
        payload = page[at : at + local]
        if local < length:
            payload += self._overflow(int.from_bytes(page[at + local : at + local + 4], "big"), length - local)
        if len(payload) != length:
            raise ValueError("the row ends too early")
        return (row_id, *_values(payload))

    def _local_bytes(self, length: int) -> int:
        """How much of a row stands in its leaf, by the rules of the file format (no page has reserved bytes)."""
        most = self._size - 35
        if length <= most:
            return length
        least = (self._size - 12) * 32 // 255 - 23
        wanted = least + (length - least) % (self._size - 4)
        return wanted if wanted <= most else least

    def _overflow(self, number: int, length: int) -> bytes:
        parts = []
        while length > 0:
            page = self._page(number) if 0 < number <= self._count else b""
            part = page[4 : 4 + min(length, self._size - 4)]
            if not part:
                raise ValueError("an overflow page is missing")
            parts.append(part)
            length -= len(part)
            number = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def _page_bytes(header: bytes) -> int:
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    is_possible = 512 <= size <= 65_536 and size & (size - 1) == 0
    return size if header.startswith(b"SQLite format 3\0") and is_possible else 4_096


def _wal_pages(path: Path, size: int) -> dict[int, bytes]:
    """The newest committed version of each page in a WAL."""
    try:
        data = path.read_bytes()
    except OSError:
        return {}
    if len(data) < _WAL_HEADER_BYTES or int.from_bytes(data[:4], "big") not in _WAL_MAGIC:
        return {}
    salt = data[16:24]
    committed: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    for at in range(_WAL_HEADER_BYTES, len(data) - _FRAME_HEADER_BYTES - size + 1, _FRAME_HEADER_BYTES + size):
        if data[at + 8 : at + 16] != salt:  # left over from before the WAL was begun anew
            break
        page = data[at + _FRAME_HEADER_BYTES : at + _FRAME_HEADER_BYTES + size]
        pending[int.from_bytes(data[at : at + 4], "big")] = page
        if data[at + 4 : at + 8] != b"\0\0\0\0":
            committed.update(pending)
            pending = {}
    return committed


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    value = value << 8 | data[at]
    return (value - (1 << 64) if value >= 1 << 63 else value), at + 1


def _values(payload: bytes) -> Iterator[Value]:
    header_end, at = _varint(payload, 0)
    kinds = []
    while at < header_end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    at = header_end
    for kind in kinds:
        value, at = _value(payload, kind, at)
        yield value


def _value(payload: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind < len(_INTEGER_BYTES):
        end = at + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if kind in (8, 9):
        return kind - 8, at
    if kind < 12:
        raise ValueError("no column of the archive holds this kind of value")
    end = at + (kind - 12) // 2
    part = payload[at:end]
    return (part if kind % 2 == 0 else part.decode("utf-8")), end
