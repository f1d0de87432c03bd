"""A disk that is full or read-only: said for as long as it lasts, nothing sent, nothing lost."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pty_app import PtyApp, environment, opened, program
from tests.e2e.records import only_session
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, says

pytestmark = pytest.mark.slow


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


def fill_disk(app: PtyApp) -> None:
    """From here on no file of the program's can grow."""
    _, hard = resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (1, hard))


def free_disk(app: PtyApp) -> None:
    _, hard = resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (hard, hard))


def entries_of(home: Path, kind: str) -> list[str]:
    archive = only_session(home / "data")["archive"]
    return [str(entry.get("text") or entry.get("parts")) for entry in archive if entry["type"] == kind]


def test_a_message_waits_until_it_can_be_saved(server: ModelServer, tmp_path: Path) -> None:
    server.script(says("first answer"), says("second answer"))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.sees("first answer")
        app.sees_no("Esc stops")
        fill_disk(app)
        app.say("second question")
        app.sees("NOT SAVED")
        app.settle(0.5, 3.0)
        assert "NOT SAVED" in app.text
        assert "second question" in app.text
        assert len(server.requests) == 1
        free_disk(app)
        app.sees_no("NOT SAVED")
        if "│ second question" in app.text:
            app.press("enter")
        app.sees("second answer")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0
    assert len(entries_of(tmp_path, "UserSaid")) == 2
    assert entries_of(tmp_path, "AssistantSaid") == ["first answer", "second answer"]


def test_an_answer_that_cannot_be_saved_is_kept_until_it_can(server: ModelServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script(says("an answer that came while the disk was full", hold=gate, hold_after=3))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.reaches(gate)
        app.sees("an answer that")
        fill_disk(app)
        gate.open()
        app.sees("the disk was full")
        app.sees("NOT SAVED")
        free_disk(app)
        app.sees_no("NOT SAVED")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0
    assert entries_of(tmp_path, "AssistantSaid") == ["an answer that came while the disk was full"]


@pytest.mark.parametrize("way", ["stop", "quit", "signal"])
def test_nobody_has_to_wait_for_the_disk(server: ModelServer, tmp_path: Path, way: str) -> None:
    gate = Gate()
    server.script(says("an answer that came while the disk was full", hold=gate, hold_after=3))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.reaches(gate)
        fill_disk(app)
        gate.open()
        app.sees("NOT SAVED")
        match way:
            case "stop":
                app.press("escape")
                app.sees_no("Esc stops")
                app.press("ctrl+q")
                assert app.ends() == 0
            case "quit":
                app.press("ctrl+q")
                app.sees("Quit?")
                app.press("y")
                assert app.ends() == 0
            case _:
                app.process.send_signal(signal.SIGTERM)
                assert app.ends() == 143
        assert app.is_restored() == []
    assert len(entries_of(tmp_path, "UserSaid")) == 1


# ── a disk of its own ────────────────────────────────────────────────────────


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A data directory on a file system of 10 MB."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", data], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield data
    subprocess.run(["umount", "-l", data], check=True)


def fill(data: Path) -> Path:
    """Fill the file system to its last byte; the file that does it."""
    filler = data / "filler"
    with filler.open("wb", buffering=0) as file:
        left = os.statvfs(data)
        while left.f_bavail:
            file.write(bytes(left.f_bavail * left.f_frsize))
            left = os.statvfs(data)
    return filler


def test_a_full_disk_holds_the_next_message_and_still_takes_the_answer_that_was_begun(
    server: ModelServer, tmp_path: Path, small_disk: Path
) -> None:
    gate = Gate()
    answer = "word " * 20_000
    pieces = tuple(answer[at : at + 5_000] for at in range(0, len(answer), 5_000))
    server.script(says(pieces=pieces, hold=gate, hold_after=3), says("second answer"))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.reaches(gate)
        filler = fill(small_disk)
        gate.open()
        app.sees("NOT SAVED: the disk is full")
        app.sees_no("Esc stops")
        app.say("second question")
        app.settle(0.5, 3.0)
        assert len(server.requests) == 1
        app.process.kill()
        app.process.wait()
    assert entries_of(tmp_path, "AssistantSaid") == [answer]

    with opened(server, tmp_path, "-c", tools="false") as app:
        app.sees("second question")
        filler.unlink()
        app.sees_no("NOT SAVED")
        app.press("enter")
        app.sees("second answer")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0
    assert (small_disk / "archive.sqlite3.reserve").exists()


def test_a_disk_that_has_room_again_is_noticed_and_what_waited_can_be_sent(
    server: ModelServer, tmp_path: Path, small_disk: Path
) -> None:
    server.script(says("first answer"), says("second answer"))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.sees("first answer")
        app.sees_no("Esc stops")
        filler = fill(small_disk)
        app.say("second question")
        app.sees("NOT SAVED: the disk is full")
        app.settle(0.5, 6.0)
        assert "NOT SAVED" in app.text
        assert len(server.requests) == 1
        filler.unlink()
        app.sees_no("NOT SAVED")
        if "│ second question" in app.text:
            app.press("enter")
        app.sees("second answer")
        app.press("ctrl+q")
        app.ends()
    assert (small_disk / "archive.sqlite3.reserve").exists()


def a_first_answer(server: ModelServer, tmp_path: Path) -> None:
    """A run in which a question was answered and everything could be saved."""
    server.script(says("first answer"))
    with opened(server, tmp_path, tools="false") as app:
        app.say("first question")
        app.sees("first answer")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0


def test_a_start_on_a_full_disk_uses_the_reserve_and_says_so(
    server: ModelServer, tmp_path: Path, small_disk: Path
) -> None:
    a_first_answer(server, tmp_path)
    fill(small_disk)
    with opened(server, tmp_path, "-c", tools="false") as app:
        app.sees("first answer")
        app.sees("NOT SAVED: the disk is full")
        app.type("not sent yet")
        app.settle(1.0, 3.0)
        app.press("ctrl+q")
        assert app.ends() == 0
    assert not (small_disk / "archive.sqlite3.reserve").exists()
    with opened(server, tmp_path, "-c", tools="false") as app:
        app.sees("first answer")
        app.sees("not sent yet")


def test_a_start_on_a_disk_without_any_room_shows_what_there_is(
    server: ModelServer, tmp_path: Path, small_disk: Path
) -> None:
    a_first_answer(server, tmp_path)
    (small_disk / "archive.sqlite3.reserve").unlink()
    fill(small_disk)
    with opened(server, tmp_path, "-c", tools="false") as app:
        app.sees("first answer")
        app.sees("NOT SAVED")
        app.press("ctrl+q")
        assert app.ends() == 0


# ── a disk that cannot be written ────────────────────────────────────────────

_WITHOUT_PRIVILEGES = (
    "import ctypes, os, sys\n"
    "for capability in (1, 2): ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)
"""Permissions hold for root too when it may neither override them nor read what it must not."""


@pytest.fixture
def read_only_data(server: ModelServer, tmp_path: Path) -> Iterator[Path]:
    """A data directory with a session, which nobody may write."""
    server.script(says("an answer from before"))
    with opened(server, tmp_path, tools="false") as app:
        app.say("a question from before")
        app.sees("an answer from before")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0
    data = tmp_path / "data"
    paths = [data, *data.rglob("*")]
    modes = {path: path.stat().st_mode & 0o777 for path in paths}
    for path in paths:
        path.chmod(modes[path] & 0o555)
    yield data
    for path, before in modes.items():
        path.chmod(before)


def test_a_read_only_start_says_so_for_as_long_as_it_lasts_and_shows_what_there_is(
    server: ModelServer, tmp_path: Path, read_only_data: Path
) -> None:
    before = {path: path.read_bytes() for path in read_only_data.rglob("*") if path.is_file()}
    command = [sys.executable, "-c", _WITHOUT_PRIVILEGES, *program(), "-c"]
    with PtyApp(environ=environment(tmp_path, server, tools="false"), cwd=tmp_path, command=command) as app:
        app.sees("an answer from before")
        app.sees("NOT SAVED")
        app.say("is anybody there?")
        app.settle(0.5, 6.0)
        assert "NOT SAVED" in app.text
        assert "is anybody there?" in app.text
        assert len(server.requests) == 1
        app.press("ctrl+q")
        assert app.ends() == 0
        assert app.is_restored() == []
    assert {path: path.read_bytes() for path in read_only_data.rglob("*") if path.is_file()} == before
