"""Two processes, one archive: one writer per session, none that waits for a dead one."""

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from tests.archive.samples import AT, logged, make_session, said
from tui_agent.archive import Archive
from tui_agent.core.entries import Compacted, Noticed
from tui_agent.errors import NotSaved, SessionBusy

_OTHER_WINDOW = """
import asyncio, sys
from pathlib import Path
from tui_agent.archive import Archive
from tui_agent.core.entries import Logged, Noticed
from tui_agent.errors import ArchiveError, NotSaved

async def patiently(attempt):
    while True:  # where the machine has much else to do, the lock may be waited for in vain: nothing was kept then
        try:
            return await attempt()
        except NotSaved as error:
            assert "kept the archive locked" in str(error), error

async def main(path, session_id, role):
    archive = await Archive.open(Path(path))
    if role == "hold":
        await archive.acquire(session_id)
        print("held", flush=True)
        sys.stdin.readline()
    elif role in ("even", "odd"):
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(50):
            added = [role, number]
            await patiently(lambda: archive.revise("kept", lambda kept: [*(kept or []), added]))
        print("done", flush=True)
    else:
        added = refused = 0
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(50):
            seq = await archive.count(session_id) + 1
            try:
                entries = [Logged(seq, role, Noticed(role))]
                await patiently(lambda: archive.append(session_id, entries, {"seq": seq}))
                added += 1
            except ArchiveError as error:
                refused += 1
                assert type(error).__name__ == "SessionBusy", error
        print(added, refused, flush=True)
    await archive.close()

asyncio.run(main(*sys.argv[1:]))
"""

_ROOT = Path(__file__).parents[2]


async def _patiently(attempt: Callable[[], Awaitable[None]]) -> None:
    """Do it in spite of others that keep the archive locked longer than is waited for."""
    while True:
        try:
            return await attempt()
        except NotSaved as error:
            if "kept the archive locked" not in str(error):
                raise


def _window(path: Path, session_id: str, role: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _OTHER_WINDOW, str(path), session_id, role],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )


def _line(window: "subprocess.Popen[str]") -> str:
    assert window.stdout is not None
    return window.stdout.readline().strip()


def _go(window: "subprocess.Popen[str]") -> None:
    assert window.stdin is not None
    window.stdin.write("\n")
    window.stdin.flush()


async def test_the_second_window_is_told_who_writes_and_can_read_and_fork(archive: Archive, path: Path) -> None:
    await archive.append("one", [said(1, "a")], {"seq": 1})
    with _window(path, "one", "hold") as other:
        assert _line(other) == "held"
        with pytest.raises(SessionBusy, match=str(other.pid)) as told:
            await archive.acquire("one")
        assert "fork" in str(told.value)
        with pytest.raises(SessionBusy):
            await archive.append("one", [said(2, "b")], {"seq": 2})
        with pytest.raises(SessionBusy):
            await archive.delete("one")
        assert await archive.load("one") == [said(1, "a")]
        await archive.copy_prefix("one", 1, "fork", AT, checkpoint={"seq": 1})
        await archive.append("fork", [said(2, "b")], {"seq": 2})
        _go(other)
    lease = await archive.acquire("one")
    await archive.append("one", [said(2, "b")], {"seq": 2})
    lease.release()


async def test_a_killed_window_blocks_nobody(archive: Archive, path: Path) -> None:
    with _window(path, "one", "hold") as other:
        assert _line(other) == "held"
        other.send_signal(signal.SIGKILL)
        other.wait()
    with await archive.acquire("one"):
        await archive.append("one", [said(1, "a")], {})


async def test_a_lease_is_exclusive_within_a_process_too(archive: Archive, path: Path) -> None:
    lease = await archive.acquire("one")
    with pytest.raises(SessionBusy):
        await archive.acquire("one")
    second = await Archive.open(path)
    with pytest.raises(SessionBusy):
        await second.acquire("one")
    with pytest.raises(SessionBusy):
        await second.append("one", [said(1, "a")], {})
    lease.release()
    lease.release()
    with await second.acquire("one"):
        await second.append("one", [said(1, "a")], {})
    await second.close()
    await archive.append("one", [said(2, "b")], {})


async def test_who_gave_a_session_up_cannot_write_into_what_another_has_taken(archive: Archive, path: Path) -> None:
    other = await Archive.open(path)
    (await archive.acquire("one")).release()
    taken = await other.acquire("one")
    with pytest.raises(SessionBusy):
        await archive.append("one", [said(1, "late")], {})
    await other.append("one", [said(1, "mine")], {})
    taken.release()
    await archive.append("one", [said(2, "now")], {})
    assert await archive.load("one") == [said(1, "mine"), said(2, "now")]
    await other.close()


async def test_closing_releases_every_lease(path: Path, archive: Archive) -> None:
    other = await Archive.open(path)
    await other.acquire("one")
    await other.close()
    (await archive.acquire("one")).release()
    assert list((path.parent / "archive.db.locks").iterdir()) == []


async def test_two_windows_that_write_one_session_at_once_mix_up_nothing(archive: Archive, path: Path) -> None:
    await archive.append("one", [said(1, "a")], {"seq": 1})
    with _window(path, "one", "first") as first, _window(path, "one", "second") as second:
        assert _line(first) == _line(second) == "ready"
        _go(first)
        _go(second)
        compacted = refused = 0
        for _ in range(20):
            seq = await archive.count("one") + 1
            try:
                entry = logged(seq, Compacted(None, 1, (), "s"))
                await _patiently(partial(archive.append, "one", [entry], {"seq": seq}))
                compacted += 1
            except SessionBusy:
                refused += 1
        results = [[int(word) for word in _line(window).split()] for window in (first, second)]
    assert [sum(result) for result in results] == [50, 50]
    entries = await archive.load("one")
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    by_role = [entry.at for entry in entries if isinstance(entry.entry, Noticed)]
    assert [by_role.count("first"), by_role.count("second")] == [result[0] for result in results]
    assert len(await archive.compactions("one")) == compacted
    assert await archive.checkpoint("one") == {"seq": len(entries)}


async def test_two_windows_that_add_to_one_value_lose_nothing(archive: Archive, path: Path) -> None:
    with _window(path, "one", "even") as first, _window(path, "one", "odd") as second:
        assert _line(first) == _line(second) == "ready"
        _go(first)
        _go(second)
        assert _line(first) == _line(second) == "done"
    kept = await archive.recall("kept")
    for role in ("even", "odd"):
        assert [number for who, number in kept if who == role] == list(range(50))


async def test_a_value_stays_as_it_was_when_its_change_fails(archive: Archive) -> None:
    await archive.remember("kept", [1])

    def fail(kept: object) -> object:
        raise LookupError(kept)

    with pytest.raises(LookupError):
        await archive.revise("kept", fail)
    assert await archive.revise("kept", lambda kept: [*kept, 2]) == [1, 2]
    assert await archive.recall("kept") == [1, 2]


async def test_two_windows_writing_two_sessions_wait_for_each_other(archive: Archive, path: Path) -> None:
    await make_session(archive, "two", "/", AT)
    with _window(path, "two", "other") as other:
        assert _line(other) == "ready"
        _go(other)
        for seq in range(1, 51):
            await _patiently(partial(archive.append, "one", [said(seq, "a")], {"seq": seq}))
        assert _line(other) == "50 0"
    assert await archive.count("one") == await archive.count("two") == 50
