"""Where in a database file the bytes of each entry stand, so that damage can be told from what it did not touch.

Written from the description of the file format alone: what reads damaged files for the user must not be its own judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

Place = tuple[int, int]
"""Of a part of a row: the first byte and the one behind the last, in the file."""

_LEAF, _INTERIOR = 13, 5
_FILE_HEADER = 100


@dataclass(frozen=True, slots=True)
class _Varint:
    value: int
    end: int


def _varint(data: bytes, at: int) -> _Varint:
    value = 0
    for place in range(at, at + 8):
        value = (value << 7) | (data[place] & 127)
        if not data[place] & 128:
            return _Varint(value, place + 1)
    return _Varint((value << 8) | data[at + 8], at + 9)


def _number(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "big")


class Table:
    """The rows of one table of a whole file that has no WAL."""

    def __init__(self, data: bytes, root: int) -> None:
        self._data = data
        self._page = _number(data, 16, 2)
        self._root = root

    def rows(self) -> Iterator[tuple[int, list[Place]]]:
        """Each row's number, and every place where a part of it stands, what leads to that part included."""
        yield from self._below(self._root)

    def _below(self, page: int) -> Iterator[tuple[int, list[Place]]]:
        start = (page - 1) * self._page
        header = start + (_FILE_HEADER if page == 1 else 0)
        kind, cells = self._data[header], _number(self._data, header + 3, 2)
        pointers = header + (12 if kind == _INTERIOR else 8)
        places = [pointers + 2 * index for index in range(cells)]
        if kind == _INTERIOR:
            for pointer in places:
                yield from self._below(_number(self._data, start + _number(self._data, pointer, 2), 4))
            yield from self._below(_number(self._data, header + 8, 4))
            return
        assert kind == _LEAF
        for pointer in places:
            number, parts = self._row(start + _number(self._data, pointer, 2))
            # A leaf whose header is damaged is lost with all its rows; so is a row nothing points to.
            yield number, [(header, header + 1), (header + 3, header + 5), (pointer, pointer + 2), *parts]

    def _row(self, cell: int) -> tuple[int, list[Place]]:
        length = _varint(self._data, cell)
        number = _varint(self._data, length.end)
        most = self._page - 35
        local = length.value
        if local > most:
            least = (self._page - 12) * 32 // 255 - 23
            local = least + (length.value - least) % (self._page - 4)
            local = local if local <= most else least
        end = number.end + local
        if local == length.value:
            return number.value, [(cell, end)]
        return number.value, [(cell, end + 4), *self._chain(_number(self._data, end, 4), length.value - local)]

    def _chain(self, page: int, left: int) -> Iterator[Place]:
        while left > 0:
            start = (page - 1) * self._page
            part = min(left, self._page - 4)
            yield start, start + 4 + part
            page, left = _number(self._data, start, 4), left - part


def changed(before: bytes, after: bytes) -> list[Place]:
    """The places in which two contents differ, in order and apart from each other."""
    if len(after) < len(before):
        return [*changed(before[: len(after)], after), (len(after), len(before))]
    step = 512
    blocks = [at for at in range(0, len(before), step) if before[at : at + step] != after[at : at + step]]
    bytes_ = [at for block in blocks for at in range(block, min(block + step, len(before))) if before[at] != after[at]]
    starts = [at for left, at in pairwise([-2, *bytes_]) if at != left + 1]
    ends = [at + 1 for at, right in pairwise([*bytes_, -2]) if right != at + 1]
    return list(zip(starts, ends, strict=True))


def touched(places: list[Place], damage: list[Place]) -> bool:
    """Whether any of the places is damaged."""
    return any(start < stop and begin < end for start, end in places for begin, stop in damage)
