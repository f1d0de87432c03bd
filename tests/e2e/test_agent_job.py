"""The agent's main job at a terminal: read, edit and run with approval, compact in between, take that back, go on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pty_app import LARGE, USUAL, PtyApp, opened
from tests.e2e.records import only_session
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tests.fakes.valid import problems

pytestmark = pytest.mark.slow

SOURCE = "def clamp(value, low, high):\n    return min(low, max(value, high))\n"
TEST = "from clamp import clamp\n\nassert clamp(5, 0, 3) == 3\nassert clamp(-1, 0, 3) == 0\nprint('all good')\n"
NOTES = "Run the test with python3.\nThe deploy password is periwinkle-7.\n"
EDIT = Call(
    "edit_file",
    {"path": "clamp.py", "old_text": "min(low, max(value, high))", "new_text": "max(low, min(value, high))"},
)
COMMAND = Call("run_command", {"command": "python3 test_clamp.py && echo ran > ran.txt"})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


@pytest.fixture
def work(tmp_path: Path) -> Path:
    directory = tmp_path / "work"
    directory.mkdir()
    for name, text in (("clamp.py", SOURCE), ("test_clamp.py", TEST), ("NOTES.md", NOTES)):
        (directory / name).write_text(text)
    return directory


def read_three_files(app: PtyApp, server: ModelServer) -> None:
    """In two rounds, without anybody being asked."""
    server.script(
        calls(Call("read_file", {"path": "clamp.py"}), Call("read_file", {"path": "test_clamp.py"})),
        calls(Call("read_file", {"path": "NOTES.md"})),
        says("The bounds are mixed up."),
    )
    app.say("what is wrong with clamp?")
    app.sees("The bounds are mixed up.")
    for name in ("clamp.py", "test_clamp.py", "NOTES.md"):
        assert f"read_file {name}" in app.text


def edit_one(app: PtyApp, server: ModelServer, work: Path) -> None:
    server.script(calls(EDIT, text="I will put them right."), says("Edited."))
    app.say("mend it")
    app.sees("Write this?")
    app.sees("-    return min(low, max(value, high))")
    app.sees("+    return max(low, min(value, high))")
    assert (work / "clamp.py").read_text() == SOURCE, "nothing is written before it is allowed"
    app.settle(0.5)
    app.press("end")  # a long path pushes the end of it out of sight
    app.sees_no("There is more below")
    app.press("y")
    app.sees("Edited.")
    assert "max(low, min(value, high))" in (work / "clamp.py").read_text()


def compact(app: PtyApp, server: ModelServer) -> None:
    server.script(says("- clamp.py had its bounds mixed up and was edited [1]"))
    app.press("f4")
    app.sees("clamp.py had its bounds")
    app.press("a")
    app.sees_no("Proposed summary")
    app.sees("old messages merged into 1 summary]")


def run_the_test(app: PtyApp, server: ModelServer, work: Path) -> None:
    server.script(calls(COMMAND), says("The test passes."))
    app.say("now run the test")
    app.sees("Run this command?")
    app.sees("python3 test_clamp.py && echo ran > ran.txt")
    assert not (work / "ran.txt").exists(), "nothing is run before it is allowed"
    app.settle(0.5)
    app.press("1")
    app.sees("The test passes.")
    assert (work / "ran.txt").read_text() == "ran\n"


def take_the_edit_back(app: PtyApp, server: ModelServer, work: Path) -> None:
    """The file as it was before, in another run of the program, and a command to see it."""
    app.say("/undo-files")
    app.sees("Take these changes back?")
    app.sees("-    return max(low, min(value, high))")
    app.sees("+    return min(low, max(value, high))")
    assert (work / "clamp.py").read_text() != SOURCE, "nothing is written before a yes"
    app.press("y")
    app.sees("The agent's changes of these files were taken back:")
    assert (work / "clamp.py").read_text() == SOURCE
    app.say("!grep -c min clamp.py")
    app.sees("$ grep -c min clamp.py  ✓")
    server.script(says("I see that you did."))
    app.say("look at it")
    app.sees("I see that you did.")
    told = [message["content"] for message in server.requests[-1].messages[-3:-1]]
    assert told[0].startswith("I took your changes of these files back")
    assert told[1].startswith("I ran a command myself:\n```\ngrep -c min clamp.py\n```\nIt printed:\n```\n1\n```")


def ends_and_is_restored(app: PtyApp) -> None:
    app.sees_no("Esc stops")
    app.press("ctrl+q")
    assert app.ends() == 0
    assert app.is_restored() == []


def results_of(messages: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages if message["role"] == "tool"]


@pytest.mark.parametrize("size", [LARGE, USUAL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_read_edit_compact_run_undo_go_on(
    server: ModelServer, tmp_path: Path, work: Path, size: tuple[int, int]
) -> None:
    with opened(server, tmp_path, size=size, cwd=work, keep_recent=2, background_share=0) as app:
        read_three_files(app, server)
        edit_one(app, server, work)
        before = server.requests[-1].messages
        assert len(results_of(before)) == 4
        compact(app, server)

        run_the_test(app, server, work)
        compacted = server.requests[-1].messages
        assert "was edited" in str(compacted[1])
        assert not any("def clamp" in text for text in results_of(compacted)), "the readings are folded"
        assert "all good" in results_of(compacted)[-1]

        app.press("f8")
        app.sees("was undone")
        server.script(says("All is done."))
        app.say("anything left?")
        app.sees("All is done.")
        undone = server.requests[-1].messages
        assert undone[: len(before)] == before, "every reading stands again as it was sent first"
        assert results_of(undone) == [*results_of(before), *results_of(compacted)[-1:]]
        ends_and_is_restored(app)

    with opened(server, tmp_path, "-c", size=size, cwd=work, background_share=0) as app:
        app.sees("All is done.")
        server.script(says("Good bye."))
        app.say("thanks")
        app.sees("Good bye.")
        assert server.requests[-1].messages[: len(undone)] == undone
        take_the_edit_back(app, server, work)
        ends_and_is_restored(app)
    assert all(problems(request.messages) == [] for request in server.requests)
    archive = only_session(tmp_path / "data")["archive"]
    answers = [entry["decision"] for entry in archive if entry["type"] == "ApprovalAnswered"]
    assert answers == ["once", "once"]


def test_what_is_denied_in_words_is_not_done_and_the_model_is_told(
    server: ModelServer, tmp_path: Path, work: Path
) -> None:
    with opened(server, tmp_path, size=USUAL, cwd=work) as app:
        server.script(calls(COMMAND), says("Then I will not."))
        app.say("run the test")
        app.sees("Run this command?")
        app.settle(0.5)
        app.type("not on this machine")
        app.sees("not on this machine")
        app.press("enter")
        app.sees("Then I will not.")
        assert "not on this machine" in results_of(server.requests[-1].messages)[-1]
        assert not (work / "ran.txt").exists()
        ends_and_is_restored(app)
