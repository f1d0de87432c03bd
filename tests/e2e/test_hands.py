"""What the program leaves to others: the mouse to the terminal, long texts to an editor, where one wants that."""

from pathlib import Path

import pytest

from tests.e2e.pty_app import opened
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

pytestmark = pytest.mark.slow

MOUSE = {1000, 1002, 1003, 1006, 1015}
"""The private modes in which a terminal sends mouse events instead of selecting text itself."""


def test_the_mouse_is_taken_unless_it_is_to_be_left_alone(tmp_path: Path) -> None:
    with ModelServer() as server:
        with opened(server, tmp_path) as app:
            assert app.terminal.modes & MOUSE
        with opened(server, tmp_path, "--no-mouse") as app:
            assert not app.terminal.modes & MOUSE


def test_the_prompt_is_edited_in_the_editor_of_the_environment(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed \'s/draft/letter/\' "$1" > "$1.new"\nmv "$1.new" "$1"\n')
    editor.chmod(0o700)
    with ModelServer(says("Noted.")) as server, opened(server, tmp_path, extra={"EDITOR": str(editor)}) as app:
        app.type("a draft of two words")
        app.sees("a draft of two words")
        app.press("ctrl+g")
        app.sees("a letter of two words")
        app.press("enter")
        app.sees("Noted.")
        assert server.requests[-1].body["messages"][-1]["content"] == "a letter of two words"


@pytest.mark.parametrize(
    ("editor", "told"), [("false", "The editor ended with 1"), ("no-such-editor", "could not be started")]
)
def test_an_editor_that_fails_leaves_the_prompt_as_it_was(tmp_path: Path, editor: str, told: str) -> None:
    with ModelServer() as server, opened(server, tmp_path, extra={"EDITOR": editor}) as app:
        app.type("a draft")
        app.sees("a draft")
        app.press("ctrl+g")
        app.sees(told)
        app.sees("a draft")
