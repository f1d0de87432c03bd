"""Pictures of what the user does without the model: a command, a running command, changes of files taken back."""

from typing import Any

from tests.ui.pictures import PictureApp, logged
from tests.ui.support import USUAL
from tests.ui.test_pictures import after_filling, every_size, in_modal, utc
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import UserSaid
from tui_agent.core.events import Appended, CommandProgressed, CommandStarted
from tui_agent.ui.screens.diff_question import DiffQuestion
from tui_agent.ui.theme import LIGHT

__all__ = ["utc"]

DIFF = """\
--- playground/clamp.go
+++ playground/clamp.go
@@ -1,4 +1,4 @@
 func Clamp(v, lo, hi int) int {
-\tif v <= lo { return lo }
+\tif v < lo { return lo }
 }
--- playground/clamp_test.go
+++ /dev/null
@@ -1 +0,0 @@
-package playground
"""
ABOUT = (
    "The files are put back as they were before the agent's turn changed them. Only changes made with write_file and "
    "edit_file are known here, not what commands did."
)


@every_size
def test_changes_of_files_are_taken_back(snap_compare: Any, size: tuple[int, int]) -> None:
    app = PictureApp(DiffQuestion("Take these changes back?", ABOUT, DIFF))
    assert snap_compare(app, terminal_size=size, run_before=in_modal())


def did(app: PictureApp) -> None:
    test = DeedPart("command", "go test ./playground", "--- FAIL: TestZero (0.00s)\nFAIL\n[exit code 1]", failed=True)
    back = DeedPart("files put back", "playground/clamp.go\nplayground/clamp_test.go")
    for seq, deed in enumerate((test, back), 40):
        app.chat.transcript.apply(Appended(logged(seq, UserSaid((deed,)), 55)))
    app.chat.transcript.apply(CommandStarted("git log --oneline"))
    app.chat.transcript.apply(CommandProgressed("3fa1c02 Clamp\n"))
    app.chat.prompt.write("!git status")


@every_size
def test_own_commands(snap_compare: Any, size: tuple[int, int]) -> None:
    assert snap_compare(PictureApp(), terminal_size=size, run_before=after_filling(then=did))


def test_own_commands_in_the_light(snap_compare: Any) -> None:
    assert snap_compare(PictureApp(theme=LIGHT.name), terminal_size=USUAL, run_before=after_filling(then=did))
