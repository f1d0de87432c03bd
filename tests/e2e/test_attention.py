"""Being called back: only while the terminal is not in front, only when something waits, only in the way set."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.pty_app import GAUGE, KEYS, PtyApp, environment
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says

pytestmark = pytest.mark.slow
AWAY, BACK = b"\x1b[O", b"\x1b[I"
TITLE, OSC_9, BELL = b"\x1b]0;tui-agent: ", b"\x1b]9;tui-agent: ", b"\x07"
_OTHER_SEQUENCES = re.compile(rb"\x1b\](?!0;tui-agent: |9;tui-agent: )[^\x07\x1b]*\x07")
"""What ends with a bell and rings none."""

WRITE = Call("write_file", {"path": "note.txt", "content": "milk"})


@contextmanager
def opened(server: ModelServer, home: Path, way: str, **settings: object) -> Iterator[PtyApp]:
    environ = environment(home, server, notify=way, keep_recent=0, **settings)
    with PtyApp(environ=environ, cwd=home) as app:
        app.until(lambda: bool(GAUGE.search(app.text)), "no session was opened")
        yield app
        app.press("ctrl+q")
        assert app.ends() == 0
        assert app.is_restored() == []


def called(app: PtyApp) -> bytes:
    """What was written since the last look."""
    app.settle()
    written = bytes(app.terminal.written)
    app.terminal.written.clear()
    return _OTHER_SEQUENCES.sub(b"", written)


def press_and_go(app: PtyApp, key: str) -> None:
    """Press a key and turn to another window; a key that is pressed later says that one is back."""
    app.send(KEYS.get(key, key).encode() + AWAY)


def ask_and_wait(app: PtyApp, server: ModelServer, text: str, answer: str, *, go_away: bool = True) -> None:
    server.script(says(answer))
    app.type(text)
    app.sees(text)
    app.send(b"\r" + (AWAY if go_away else b""))
    app.sees(answer)
    app.sees_no("Esc stops")


@pytest.mark.parametrize(("way", "sign"), [("bell", BELL), ("title", TITLE), ("desktop", OSC_9)])
def test_the_end_of_a_turn_an_approval_and_a_summary_call(tmp_path: Path, way: str, sign: bytes) -> None:
    with ModelServer() as server, opened(server, tmp_path, way, notify_after=0, compaction_mode="ask") as app:
        ask_and_wait(app, server, "with you here", "in front", go_away=False)
        assert sign not in called(app)
        ask_and_wait(app, server, "while you are away", "from afar")
        written = called(app)
        assert sign in written
        if way != "bell":
            assert sign + b"the turn has ended\x07" in written
        server.script(calls(WRITE))
        app.type("write it down")
        app.sees("write it down")
        press_and_go(app, "enter")
        app.sees("Write this?")
        written = called(app)
        assert sign in written
        if way != "bell":
            assert sign + b"a tool waits for your approval\x07" in written
        server.script(says("not written"))
        app.press("n")
        app.send(AWAY)
        app.sees("not written")
        app.sees_no("Esc stops")
        called(app)
        server.script(says("- it was asked"))
        press_and_go(app, "f4")
        app.sees("it was asked")
        written = called(app)
        assert sign in written
        if way != "bell":
            assert sign + b"a summary waits for you\x07" in written
        app.press("escape")
        app.sees_no("Proposed summary")
        app.send(BACK)
        written = called(app)
        assert (b"\x1b[23;0t" in written) == (way == "title")
        ask_and_wait(app, server, "back again", "welcome", go_away=False)
        assert sign not in called(app)


def test_a_short_turn_is_worth_no_call(tmp_path: Path) -> None:
    with ModelServer() as server, opened(server, tmp_path, "bell", notify_after=3600) as app:
        ask_and_wait(app, server, "quick", "done")
        assert BELL not in called(app)


def test_off_is_off(tmp_path: Path) -> None:
    with ModelServer() as server, opened(server, tmp_path, "off", notify_after=0) as app:
        ask_and_wait(app, server, "quiet", "silence")
        written = called(app)
        assert BELL not in written
        assert TITLE not in written
        assert OSC_9 not in written


def test_the_title_is_given_back_on_leaving(tmp_path: Path) -> None:
    with ModelServer() as server, opened(server, tmp_path, "title", notify_after=0) as app:
        ask_and_wait(app, server, "tell me", "told")
        assert TITLE in called(app)
        app.press("ctrl+q")
        assert app.ends() == 0
        assert b"\x1b[23;0t" in bytes(app.terminal.written)
