"""A disk that is full while the program runs: said for as long as it lasts, nothing sent, nothing lost."""

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pty_app import PtyApp, opened
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
        gate.wait_until_reached()
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
        gate.wait_until_reached()
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
