"""Questions that lie over the chat: approvals, confirmations, a line to write."""

from dataclasses import replace
from pathlib import Path

from tests.ui import pictures
from tests.ui.scenes.scene import Scene, state
from tui_agent.agent.approval import ApprovalRequest
from tui_agent.agent.instructions import Offer
from tui_agent.language import _
from tui_agent.ui.screens.approval import DEAF_SECONDS, ApprovalScreen
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.diff_question import DiffQuestion
from tui_agent.ui.screens.instructions import InstructionsScreen
from tui_agent.ui.screens.session_rows import SessionRow
from tui_agent.ui.screens.sessions import delete_question
from tui_agent.ui.screens.text_prompt import TextPromptScreen

CHANGES = """\
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


async def asked(scene: Scene, request: ApprovalRequest) -> None:
    """An approval, shown long enough to be answered."""
    moments = iter((0.0,))
    await scene.open(ApprovalScreen(request, clock=lambda: next(moments, 2 * DEAF_SECONDS)))


@state()
async def approval_of_a_command(scene: Scene) -> None:
    await asked(scene, pictures.COMMAND)


@state()
async def approval_of_a_change(scene: Scene) -> None:
    await asked(scene, pictures.DIFF)


@state()
async def approval_of_a_long_change(scene: Scene) -> None:
    lines = "".join(f"+\tcheck({number})\n" for number in range(60))
    intent = replace(pictures.DIFF.intent, body=f"@@ -1,0 +1,60 @@\n{lines}", outside=True, binding="/etc/clamp.go")
    await asked(scene, replace(pictures.DIFF, intent=intent))
    await scene.press("1")


@state()
async def approval_refused_in_words(scene: Scene) -> None:
    intent = replace(pictures.COMMAND.intent, sensitive=True)
    await asked(scene, replace(pictures.COMMAND, intent=intent))
    await scene.press("tab", *scene.story.refusal)


@state()
async def changes_taken_back(scene: Scene) -> None:
    about = _(
        "This puts the files back as they were before the agent's turn. It covers what write_file and edit_file "
        "changed, not what commands did."
    )
    await scene.open(DiffQuestion(_("Take these changes back?"), about, CHANGES))


@state()
async def instructions_offered(scene: Scene) -> None:
    text = "# Parser\n\nRun the tests with `make check`.\n\n\tTabs, and a \x1b[31mhidden\x1b[0m code, are shown.\n" * 3
    await scene.open(InstructionsScreen(Offer(Path("/home/ana/parser/AGENTS.md"), text, "", 1_240)))


@state()
async def key_to_enter(scene: Scene) -> None:
    about = _("It goes to {place} only. Once it works, you can choose to keep it.").format(place="api.openai.com")
    await scene.open(TextPromptScreen(_("Enter a key"), about, secret=True))
    await scene.press(*"sk-0123456789")


@state()
async def deleting_a_session(scene: Scene) -> None:
    await scene.open(delete_question(SessionRow("a", "Refactor the parser", "", 14)))


@state()
async def smaller_window(scene: Scene) -> None:
    said = _("{name} answers from now on.").format(name="qwen2.5-0.5b")
    windows = _("Its window is {window:,} tokens; this session's context has about {tokens:,}.").format(
        window=8192, tokens=9_300
    )
    offer = _("Old messages can be folded into a summary now; you see it before it is used.")
    await scene.open(
        ConfirmScreen(_("Smaller window"), f"{said} {windows}\n\n{offer}", yes=_("Compact"), no=_("Not now"))
    )
