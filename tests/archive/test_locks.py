"""Locks on files, taken and given back by many at once."""

import os
import subprocess
import sys
import threading
from pathlib import Path, PosixPath

import pytest

from tui_agent.archive.lease import FileLock, _is_still_at, _owner, busy, session_lock
from tui_agent.errors import SessionBusy


def test_never_do_two_hold_a_lock_however_often_it_changes_hands(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holders = 0
    overlaps = 0
    taken = 0
    count = threading.Lock()

    def contend() -> None:
        nonlocal holders, overlaps, taken
        for _ in range(300):
            lock = FileLock.take(path)
            if lock is None:
                continue
            with count:
                holders += 1
                overlaps += holders > 1
                taken += 1
            with count:
                holders -= 1
            lock.release()

    threads = [threading.Thread(target=contend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken > 0
    assert overlaps == 0
    assert not path.exists()


def test_a_shared_lock_becomes_exclusive_only_when_nobody_shares_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = FileLock.take(path, shared=True)
    second = FileLock.take(path, shared=True)
    assert first is not None
    assert second is not None
    assert not first.claim()
    assert FileLock.take(path) is None
    second.release(remove=False)
    second.release(remove=False)
    assert first.claim()
    assert FileLock.take(path, shared=True) is None
    assert first.share()
    third = FileLock.take(path, shared=True)
    assert third is not None
    third.release(remove=False)
    first.release()
    assert not first.claim()
    assert not first.share()
    assert not path.exists()


_CLAIMING = """
import sys
from pathlib import Path
from tui_agent.archive.lease import FileLock

lock = FileLock.take(Path(sys.argv[1]), shared=True)
print("shared", flush=True)
sys.stdin.readline()
print(sum(lock.claim() for _ in range(5000)), flush=True)
sys.stdin.readline()
print(lock.claim(), flush=True)
"""


class Claiming(subprocess.Popen[str]):
    """A process that shares a lock and claims it when it is told to go on."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", _CLAIMING, str(path)]
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def said(self) -> str:
        return self.stdout.readline().strip() if self.stdout is not None else ""

    def go_on(self) -> None:
        assert self.stdin is not None
        self.stdin.write("\n")


@pytest.mark.slow
def test_two_processes_that_claim_at_the_same_time_both_go_on_sharing(tmp_path: Path) -> None:
    with Claiming(tmp_path / "lock") as one, Claiming(tmp_path / "lock") as other:
        assert (one.said(), other.said()) == ("shared", "shared")
        one.go_on()
        other.go_on()
        assert (one.said(), other.said()) == ("0", "0")
        one.go_on()
        assert one.said() == "False"
        one.wait()
        other.go_on()
        assert other.said() == "True"


def test_a_lock_that_was_let_go_does_nothing_any_more(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    assert lock is not None
    lock.release()
    lock.write_owner()
    assert not lock.share()
    assert not lock.claim()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_locked_is_an_error_and_leaves_nothing_open(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="directory"):
        FileLock.take(tmp_path)
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_lock_file_without_a_readable_owner_still_says_busy(tmp_path: Path) -> None:
    lock = session_lock(tmp_path / "locks", "one")
    (file,) = (tmp_path / "locks").iterdir()
    file.write_bytes(b"")
    with pytest.raises(SessionBusy, match="another window"):
        session_lock(tmp_path / "locks", "one")
    lock.release()


@pytest.mark.parametrize("session_id", ["../../etc/passwd", "a/b", "", "nul\x00", "\ud83d", "長い" * 200])
def test_any_session_id_has_a_lock_of_its_own_inside_the_directory(tmp_path: Path, session_id: str) -> None:
    directory = tmp_path / "locks"
    lock, other = session_lock(directory, session_id), session_lock(directory, "other")
    assert len(list(directory.iterdir())) == 2
    assert list(tmp_path.iterdir()) == [directory]
    lock.release()
    other.release()


def test_an_owner_that_cannot_be_read_is_nobody(tmp_path: Path) -> None:
    assert _owner(tmp_path / "gone") == ""
    assert "another window." in str(busy("one", ""))


def test_a_lock_file_that_was_removed_meanwhile_is_not_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    assert _is_still_at(path, descriptor)
    path.unlink()
    assert not _is_still_at(path, descriptor)
    path.touch()
    assert not _is_still_at(path, descriptor)
    os.close(descriptor)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no file that is always full")
def test_a_lock_holds_though_there_is_no_room_for_its_owner() -> None:
    lock = FileLock(Path("/dev/full"), os.open("/dev/full", os.O_RDWR))
    lock.write_owner()
    assert lock.share()
    lock.release(remove=False)


class _GoneForAMoment(PosixPath):
    """A path at which there is nothing when it is looked at for the second time."""

    looks = 0

    def __fspath__(self) -> str:
        self.looks += 1
        return f"{self}-gone" if self.looks == 2 else str(self)


def test_a_lock_on_a_file_that_its_last_owner_removed_meanwhile_is_taken_again(tmp_path: Path) -> None:
    path = _GoneForAMoment(tmp_path / "lock")
    before = len(os.listdir("/dev/fd"))
    lock = FileLock.take(path)
    assert lock is not None
    assert path.looks == 4
    assert len(os.listdir("/dev/fd")) == before + 1
    assert FileLock.take(tmp_path / "lock") is None
    lock.release()
