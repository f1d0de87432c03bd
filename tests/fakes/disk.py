"""Disks that fail, that are full, and that remember every write: layers between SQLite and real files."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import apsw

_NAMES = (f"fake-disk-{number}" for number in count())


@dataclass(slots=True)
class Fault:
    """When and how writes fail. Every write, sync and truncation counts as one call."""

    error: type[Exception] = apsw.FullError
    at: int | None = None
    """The number of the call that fails, counted from 1; None while all is well."""

    forever: bool = False
    """Whether all later calls fail too."""

    calls: int = 0

    def count(self) -> None:
        """Count a call, and fail it when its time has come."""
        self.calls += 1
        if self.at is not None and (self.calls == self.at or (self.forever and self.calls > self.at)):
            raise self.error("the fake disk fails")

    def begin(self, at: int | None, error: type[Exception], *, forever: bool = False) -> None:
        """Count anew and fail the call `at`."""
        self.calls, self.at, self.error, self.forever = 0, at, error, forever

    def heal(self) -> None:
        """No call fails any more."""
        self.at = None


class _FaultyFile(apsw.VFSFile):
    def __init__(self, fault: Fault, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._fault = fault

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        self._fault.count()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._fault.count()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._fault.count()
        super().xTruncate(size)


class _FaultyDisk(apsw.VFS):
    def __init__(self, name: str, fault: Fault) -> None:
        super().__init__(name, "")
        self._fault = fault

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _FaultyFile(self._fault, name, flags)


@contextmanager
def faulty_disk() -> Iterator[tuple[str, Fault]]:
    """The name of a disk that fails when told to, and what tells it."""
    fault = Fault()
    name = next(_NAMES)
    disk = _FaultyDisk(name, fault)
    try:
        yield name, fault
    finally:
        disk.unregister()


class _SmallFile(apsw.VFSFile):
    def __init__(self, room: "Room", name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._room = room

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        growth = offset + len(data) - super().xFileSize()
        if growth > 0 and growth > self._room.left():
            raise apsw.FullError("the fake disk is full")
        super().xWrite(data, offset)


class _SmallDisk(apsw.VFS):
    def __init__(self, name: str, room: "Room") -> None:
        super().__init__(name, "")
        self._room = room

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _SmallFile(self._room, name, flags)


@dataclass(slots=True)
class Room:
    """How much the files of a directory may hold together."""

    directory: Path
    bytes: int | None = None
    """None while there is no end of it."""

    def left(self) -> int:
        used = sum(file.stat().st_size for file in self.directory.rglob("*") if file.is_file())
        return sys.maxsize if self.bytes is None else self.bytes - used

    def fill(self) -> None:
        """From here on there is room for nothing more."""
        self.bytes = 0
        self.bytes = -self.left()


@contextmanager
def small_disk(directory: Path) -> Iterator[tuple[str, Room]]:
    """The name of a disk on which this directory's files are all there is, and how much fits on it."""
    room = Room(directory)
    name = next(_NAMES)
    disk = _SmallDisk(name, room)
    try:
        yield name, room
    finally:
        disk.unregister()


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes that were written, not necessarily to stay."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncation:
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """All that was done to the file before is on the disk for good."""

    file: str


@dataclass(frozen=True, slots=True)
class Deletion:
    file: str


Deed = Write | Truncation | Sync | Deletion


@dataclass(slots=True)
class DiskLog:
    """Everything that was done to files, in order."""

    deeds: list[Deed] = field(default_factory=list)


class _RecordedFile(apsw.VFSFile):
    def __init__(self, log: DiskLog, name: Any, flags: list[int]) -> None:
        self._log = log
        self._name = str(name.filename() if isinstance(name, apsw.URIFilename) else name)
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        self._log.deeds.append(Write(self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._log.deeds.append(Sync(self._name))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._log.deeds.append(Truncation(self._name, size))
        super().xTruncate(size)


class _RecordingDisk(apsw.VFS):
    def __init__(self, name: str, log: DiskLog) -> None:
        super().__init__(name, "")
        self._log = log

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _RecordedFile(self._log, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self._log.deeds.append(Deletion(filename))


@contextmanager
def recording_disk() -> Iterator[tuple[str, DiskLog]]:
    """The name of a disk that remembers, and what it remembers."""
    log = DiskLog()
    name = next(_NAMES)
    disk = _RecordingDisk(name, log)
    try:
        yield name, log
    finally:
        disk.unregister()
