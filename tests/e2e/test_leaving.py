"""What is left on the terminal: how to go on with what was said, and nothing when nothing was."""

import re
import shlex
from pathlib import Path

import pytest

from tests.e2e.pty_app import GAUGE, PtyApp, environment
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

pytestmark = pytest.mark.slow


def printed_after(app: PtyApp) -> str:
    """What was printed on the screen that the program was started from, whatever its width."""
    app.settle()
    return app.terminal.written.rpartition(b"\x1b[?1049l")[2].decode()


def test_the_hint_on_leaving_opens_the_same_session(tmp_path: Path) -> None:
    place = tmp_path / "my data"
    with ModelServer() as server:
        environ = environment(tmp_path, server, data_dir=None)
        with PtyApp(f"--data-dir={place}", environ=environ, cwd=tmp_path) as app:
            app.until(lambda: bool(GAUGE.search(app.text)), "no session was opened")
            server.script(says("periwinkle"))
            app.say("name a colour")
            app.sees("periwinkle")
            app.sees_no("Esc stops")
            app.press("ctrl+q")
            assert app.ends() == 0
            assert app.is_restored() == []
            left = printed_after(app)
        hint = re.search(r"Go on with: (tui-agent .* -r \S+)", left)
        assert hint is not None, left
        assert "-c)" not in left, "a bare -c would look in another place"
        with PtyApp(*shlex.split(hint[1])[1:], environ=environ, cwd=tmp_path) as app:
            app.sees("periwinkle")
            app.press("ctrl+q")
            assert app.ends() == 0


def test_the_last_answer_stays_in_the_terminal_where_the_settings_want_it(tmp_path: Path) -> None:
    with ModelServer(says("It is **periwinkle**.\n\x1b[2JThat is all.")) as server:
        environ = environment(tmp_path, server, print_answer="true")
        with PtyApp(environ=environ, cwd=tmp_path) as app:
            app.until(lambda: bool(GAUGE.search(app.text)), "no session was opened")
            app.say("name a colour")
            app.sees("That is all.")
            app.sees_no("Esc stops")
            app.press("ctrl+q")
            assert app.ends() == 0
            assert app.is_restored() == []
            left = printed_after(app)
        assert re.search(r"It is \*\*periwinkle\*\*\.\r\n[^\x1b\n]*That is all\.\r\n\r\nGo on with: ", left), left
        assert left.rstrip().endswith("(or -c)")


def test_nothing_is_left_when_nothing_was_said(tmp_path: Path) -> None:
    with ModelServer() as server, PtyApp(environ=environment(tmp_path, server), cwd=tmp_path) as app:
        app.until(lambda: bool(GAUGE.search(app.text)), "no session was opened")
        app.type("not sent")
        app.sees("not sent")
        app.press("ctrl+q")
        assert app.ends() == 0
        assert "Go on with" not in app.settle()
