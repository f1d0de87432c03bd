"""What is drawn in terminals that have less: a C locale, no colours, a reader instead of eyes."""

import re
from pathlib import Path

import pytest

from tests.e2e.pty_app import GAUGE, LARGE, SMALL, USUAL, PtyApp, environment
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

pytestmark = pytest.mark.slow

ANSWER = "Three things:\n\n- one\n- two\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n"
_COLOUR = re.compile(rb"\x1b\[[0-9;]*?[34]8;2;(\d+);(\d+);(\d+)")


def talk_and_compact(app: PtyApp, server: ModelServer, *, answer: str, summarised: str = "it was asked") -> None:
    """A session through the screens that draw most."""
    app.until(lambda: bool(GAUGE.search(app.text)) or "tokens" in app.text, "no session was opened")
    server.script(says(answer))
    app.say("tell me")
    app.sees("Three things")
    app.sees_no("Esc stops")
    server.script(says(f"- {summarised} for three things"))
    app.press("f4")
    app.sees(summarised)
    app.press("a")
    app.sees("old messages merged")
    for key, words in (("f1", "Everywhere"), ("f2", "z away"), ("f9", "Changes are written"), ("ctrl+p", "/help")):
        app.press(key)
        app.sees(words)
        app.press("escape")
        app.sees_no(words)


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL], ids=str)
@pytest.mark.parametrize("variable", ["LANG", "LC_ALL"])
def test_in_a_c_locale_every_byte_is_ascii(tmp_path: Path, size: tuple[int, int], variable: str) -> None:
    with ModelServer() as server:
        environ = {**environment(tmp_path, server, keep_recent=0, tools="false"), variable: "C"}
        with PtyApp(environ=environ, size=size, cwd=tmp_path) as app:
            talk_and_compact(app, server, answer=ANSWER)
            app.press("ctrl+q")
            assert app.ends() == 0
            assert app.is_restored() == []
            assert app.terminal.written.isascii()


def test_what_was_written_in_other_letters_is_shown_in_a_c_locale_all_the_same(tmp_path: Path) -> None:
    with ModelServer() as server:
        environ = {**environment(tmp_path, server, tools="false"), "LANG": "C"}
        with PtyApp(environ=environ, cwd=tmp_path) as app:
            app.until(lambda: bool(GAUGE.search(app.text)), "no session was opened")
            server.script(says("naïve"))
            app.say("tell me")
            app.sees("naïve")
            app.sees_no("Esc stops")
            app.press("ctrl+q")
            assert app.ends() == 0


@pytest.mark.parametrize(("value", "is_grey"), [("1", True), ("", False)])
def test_no_color_makes_it_grey_only_when_it_says_something(tmp_path: Path, value: str, is_grey: bool) -> None:
    with ModelServer() as server:
        environ = {**environment(tmp_path, server, keep_recent=0, tools="false"), "NO_COLOR": value}
        environ["COLORTERM"] = "truecolor"
        with PtyApp(environ=environ, cwd=tmp_path) as app:
            talk_and_compact(app, server, answer=ANSWER)
            app.press("ctrl+q")
            assert app.ends() == 0
            colours = _COLOUR.findall(bytes(app.terminal.written))
            assert colours
            assert all(len(set(colour)) == 1 for colour in colours) is is_grey


def test_plain_reads_from_top_to_bottom(tmp_path: Path) -> None:
    with ModelServer() as server:
        environ = environment(tmp_path, server, keep_recent=0, tools="false", context_window=8192)
        with PtyApp("--plain", environ=environ, cwd=tmp_path) as app:
            talk_and_compact(app, server, answer=ANSWER)
            app.sees("of 8,192 tokens")
            lines = [line for line in app.text.split("\n") if line.strip()]
            order = ("tell me", "Three things", "Ask something", "of 8,192 tokens")
            places = [next(at for at, line in enumerate(lines) if words in line) for words in order]
            assert places == sorted(places)
            assert not re.search(r"[|+]$|^\s*[|+]|-{3}", "\n".join(lines), re.MULTILINE)
            app.press("ctrl+q")
            assert app.ends() == 0
            assert app.terminal.written.isascii()
