"""The program's main job, from the first message to taking a compaction back, as a person at a terminal does it."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pty_app import SMALL, USUAL, PtyApp, environment, opened, program
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, says
from tests.fakes.valid import problems

pytestmark = pytest.mark.slow

FACT = "Remember: the deploy password is periwinkle-7."
FILLER = ("and so on and so forth " * 14).strip()
FIFTH = f"fifth question, {FILLER}"
TRIGGER: dict[str, Any] = {"max_history_chars": 2000, "keep_recent": 4, "tools": "false", "background_share": 0}
NO_TRIGGER = {**TRIGGER, "max_history_chars": 100_000}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


def talk_until_compacted(app: PtyApp, server: ModelServer) -> None:
    """Five turns; before the last is answered, the trigger is passed and the old messages are folded."""
    server.script(*(says(f"Answer {place}, {FILLER}") for place in range(4)))
    for place, text in enumerate((FACT, "second question", "third question", "fourth question")):
        app.say(text)
        app.sees(f"Answer {place}")
        app.sees_no("Esc stops")
    server.script(says("- the user gave a deploy password, periwinkle-7 [1]"), says("Answer 4"))
    app.say(FIFTH)
    app.sees("Answer 4")
    app.sees_no("Esc stops")


def test_chat_compact_edit_ask_quit_continue_undo(server: ModelServer, tmp_path: Path) -> None:
    with opened(server, tmp_path, **TRIGGER) as app:
        talk_until_compacted(app, server)
        app.sees("[history compaction: ")
        app.sees("old messages merged into 1 summary]")
        automatic = server.requests[-1].messages
        assert "periwinkle-7" in str(automatic)
        assert "second question" not in str(automatic[1:-3])

        gate = Gate()
        server.script(says("- the third and the fourth question were asked", hold=gate, hold_after=4))
        app.press("f4")
        app.reaches(gate)
        app.sees("the third and")
        assert "were asked" not in app.text
        gate.open()
        app.sees("were asked")
        app.press("e")
        app.sees("Esc done")
        app.type("EDITED BY HAND. ")
        app.sees("EDITED BY HAND.")
        app.press("escape")
        app.sees("(edited)")
        app.press("a")
        app.sees_no("Proposed summary")
        app.sees("EDITED BY HAND.")

        server.script(says("It is periwinkle-7."))
        app.say("what is the deploy password?")
        app.sees("It is periwinkle-7.")
        before = server.requests[-1].messages
        assert "EDITED BY HAND." in str(before)
        assert "periwinkle-7" in str(before)
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert app.ends() == 0
        assert app.is_restored() == []

    with opened(server, tmp_path, "-c", **NO_TRIGGER) as app:
        app.sees("It is periwinkle-7.")
        server.script(says("Answer 6"))
        app.say("are you still there?")
        app.sees("Answer 6")
        again = server.requests[-1].messages
        assert again[:-2] == before
        assert again[-2:] == [
            {"role": "assistant", "content": "It is periwinkle-7."},
            {"role": "user", "content": "are you still there?"},
        ]
        app.press("f8")
        app.sees("was undone")
        server.script(says("Answer 7"))
        app.say("and now?")
        app.sees("Answer 7")
        app.sees_no("Esc stops")
        undone = server.requests[-1].messages
        assert "EDITED BY HAND." not in str(undone)
        start = next(place for place, message in enumerate(automatic) if message == {"role": "user", "content": FIFTH})
        assert undone[: start + 1] == automatic
        app.press("ctrl+q")
        assert app.ends() == 0
    assert all(problems(request.messages) == [] for request in server.requests)


@pytest.mark.parametrize("size", [USUAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_smaller_terminals_show_the_chat_the_gauge_and_the_preview(
    server: ModelServer, tmp_path: Path, size: tuple[int, int]
) -> None:
    with opened(server, tmp_path, size=size, **TRIGGER) as app:
        talk_until_compacted(app, server)
        if "old messages merged" not in app.settle():
            app.press("pageup")
        app.sees("old messages merged")
        server.script(says("- the questions went on"))
        app.press("f4")
        app.sees("the questions went on")
        app.press("a")
        app.sees_no("Proposed summary")
        app.sees("Ask something")
        app.press("f8")
        app.sees("was undone")
        app.press("ctrl+q")
        assert app.ends() == 0
        assert app.is_restored() == []


class Shell:
    """Runs the program without a screen."""

    def __init__(self, environ: dict[str, str], cwd: Path) -> None:
        self._environ = environ
        self._cwd = cwd
        self.err = ""

    def run(self, *argv: str) -> str:
        done = subprocess.run(
            [*program(), *argv],
            env=self._environ,
            cwd=self._cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.err = done.stderr
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *argv: str) -> Any:
        return json.loads(self.run(*argv))


def test_the_same_without_a_screen(server: ModelServer, tmp_path: Path) -> None:
    shell = Shell(environment(tmp_path, server, **TRIGGER), tmp_path)
    server.script(says(f"Answer 0, {FILLER}"))
    session = shell.json("-p", FACT, "--output", "json")["session"]

    def say(text: str) -> str:
        return shell.run("-p", text, "--session", session)

    server.script(*(says(f"Answer {place}, {FILLER}") for place in range(1, 4)))
    for text in ("second question", "third question", "fourth question"):
        say(text)
    server.script(says("- the user gave a deploy password, periwinkle-7 [1]"), says("Answer 4"))
    assert say(FIFTH) == "Answer 4\n"
    assert "old messages merged into 1 summary]" in shell.err
    automatic = server.requests[-1].messages
    server.script(says("- the third and the fourth question were asked"))
    done = shell.json("compact", session, "--keep", "2", "--json")
    assert done["applied"] is True
    shell = Shell(environment(tmp_path, server, **NO_TRIGGER), tmp_path)
    server.script(says("It is periwinkle-7."), says("Answer 6"), says("Answer 7"))
    assert say("what is the deploy password?") == "It is periwinkle-7.\n"
    before = server.requests[-1].messages
    assert "periwinkle-7" in str(before[:-1])
    say("are you still there?")
    assert server.requests[-1].messages[:-2] == before
    shell.run("undo", session)
    say("and now?")
    assert server.requests[-1].messages[: len(automatic)] == automatic
    shown = shell.json("sessions", "show", session, "--json")
    assert problems(shown["context"]) == []
    assert FACT in str(shown["archive"])
