"""The chat: empty, without a model, filled, busy, in trouble, and what opens in it."""

import asyncio
from dataclasses import replace

from tests.ui.pictures import GAUGE, logged, said
from tests.ui.scenes.scene import Scene, state
from tui_agent.context.checkpoint import Checkpoint, Stalls
from tui_agent.context.policy import pause_in_short
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import (
    ApprovalAsked,
    AssistantSaid,
    Failed,
    ImagePart,
    Interrupted,
    Reasoning,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.events import (
    Appended,
    CommandProgressed,
    CommandStarted,
    GaugeParts,
    ReasoningArrived,
    RequestSent,
    TextArrived,
)
from tui_agent.errors import NotSaved, UsageError
from tui_agent.language import _
from tui_agent.ui.safekeeping import Safekeeping
from tui_agent.ui.tour import STEPS
from tui_agent.ui.unsent import Unsent
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.sidebar import Memory, Sidebar
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.widgets.status_bar import Status, StatusBar
from tui_agent.ui.words import word

# ── before anything was said ─────────────────────────────────────────────────


@state(is_filled=False)
async def empty_chat(scene: Scene) -> None:
    scene.chat.query_one(StatusBar).show_status(Status("qwen2.5-0.5b", word("embedded"), ready=True))


@state(is_filled=False)
async def looking_for_a_model(scene: Scene) -> None:
    scene.chat.query_one(ActivityLine).start(_("looking for a local model server"))


@state(is_filled=False)
async def start_card(scene: Scene) -> None:
    scene.chat.query_one(StartCard).explain(
        _("No model is configured."),
        _("There is no key in OPENAI_API_KEY, no local server answers, and the embedded model is not installed."),
        command='/home/ana/parser/.venv/bin/python -m pip install -e "/home/ana/parser[local]"',
        todo="",
    )
    scene.chat.is_unconfigured = True
    await scene.pilot.pause()
    await scene.press("tab")


# ── something was said ───────────────────────────────────────────────────────


@state()
async def chat(scene: Scene) -> None:
    await scene.press(*scene.story.typed)


@state()
async def long_answer(scene: Scene) -> None:
    scene.apply(
        Appended(logged(11, said(scene.story.typed), 55)), Appended(logged(12, AssistantSaid(scene.story.long), 56))
    )


@state()
async def scrolled_up(scene: Scene) -> None:
    await scene.press("ctrl+home")
    scene.apply(Appended(logged(11, said(scene.story.typed), 55)), Appended(logged(12, AssistantSaid("OK."), 56)))


@state()
async def message_cursor(scene: Scene) -> None:
    await scene.press("alt+up", "alt+up", "alt+up")


@state()
async def tools_opened(scene: Scene) -> None:
    thought = Reasoning(scene.story.partial.replace("*", "") + " …")
    card = ToolCall("call-2", "run_command", '{"command": "go test ./playground"}')
    scene.apply(
        Appended(logged(11, AssistantSaid("", reasoning=thought, tool_calls=(card,)), 54)),
        Appended(logged(12, ToolReturned("call-2", "exit 1\n--- FAIL: TestZero (0.00s)", failed=True), 55)),
    )
    await scene.press("ctrl+o")


@state(density="compact")
async def compact_chat(scene: Scene) -> None:
    scene.chat.transcript.density = "compact"


# ── something is going on ────────────────────────────────────────────────────


@state()
async def waiting_for_an_answer(scene: Scene) -> None:
    scene.apply(Appended(logged(11, said(scene.story.typed), 55)), RequestSent("qwen2.5-0.5b"))
    scene.has_been(_("waiting for {model}").format(model="qwen2.5-0.5b"))


@state()
async def answering(scene: Scene) -> None:
    scene.apply(Appended(logged(11, said(scene.story.typed), 55)), RequestSent("qwen2.5-0.5b"))
    scene.apply(ReasoningArrived(scene.story.typed), TextArrived(scene.story.partial))
    scene.has_been(_("answering"))
    scene.prompt_area.show_waiting(scene.story.waiting)
    await scene.sees(scene.story.partial.split("*")[0].strip())


@state()
async def own_commands(scene: Scene) -> None:
    test = DeedPart("command", "go test ./playground", "--- FAIL: TestZero (0.00s)\nFAIL\n[exit code 1]", failed=True)
    back = DeedPart("files put back", "playground/clamp.go\nplayground/clamp_test.go")
    scene.apply(*(Appended(logged(seq, UserSaid((deed,)), 55)) for seq, deed in enumerate((test, back), 40)))
    scene.apply(CommandStarted("git log --oneline"), CommandProgressed("3fa1c02 Clamp\n"))
    scene.chat.prompt.write("!git status")


@state()
async def approval_pending(scene: Scene) -> None:
    call = ToolCall("call-3", "write_file", '{"path": "playground/zero_test.go"}')
    scene.apply(
        Appended(logged(11, AssistantSaid("", tool_calls=(call,)), 55)),
        Appended(logged(12, ApprovalAsked("call-3", "write playground/zero_test.go"), 55)),
    )
    scene.chat.query_one(StatusBar).allow_compaction(False)


# ── the prompt ───────────────────────────────────────────────────────────────


@state()
async def completion(scene: Scene) -> None:
    await scene.press(*"/co")


@state()
async def files_offered(scene: Scene) -> None:
    await scene.press(*"@cl")
    scene.prompt_area.offer_files("cl", ("playground/clamp.go", "playground/clamp_test.go", "docs/为什么 clamp.md"))


@state()
async def attachments(scene: Scene) -> None:
    prompt = scene.chat.prompt
    prompt.add(f"{scene.story.typed} ")
    prompt.add_file("playground/clamp.go", "func Clamp() {}\n" * 40)
    prompt.add("words " * 500)
    Unsent(prompt).attach(ImagePart("data:image/png;base64,", "screen.png"))


@state()
async def editing_an_earlier_message(scene: Scene) -> None:
    Unsent(scene.chat.prompt).edit(7, "\n".join([scene.story.typed] * 4))


# ── what opens in it ─────────────────────────────────────────────────────────


@state()
async def panel(scene: Scene) -> None:
    scene.chat.show_panel(True)


@state()
async def panel_without_a_summary(scene: Scene) -> None:
    scene.chat.query_one(Sidebar).show_memory(Memory())
    scene.chat.show_panel(True)


@state()
async def find(scene: Scene) -> None:
    bar = scene.chat.query_one(FindBar)
    bar.add_class("-open")
    bar.begin(scene.story.sought)
    await scene.settle()  # the bar takes a row from the transcript, which is looked through as it stands then
    bar.show_count(scene.chat.transcript.find(scene.story.sought), older=2)


@state()
async def tour(scene: Scene) -> None:
    scene.chat.coach(_(STEPS[0]))


# ── trouble ──────────────────────────────────────────────────────────────────


@state()
async def failed_turn(scene: Scene) -> None:
    words = Failed(
        _("No connection to {place}: connection refused.").format(place="127.0.0.1:8080"),
        _("Nothing listens there."),
        _("Start the server, or choose another endpoint."),
    )
    scene.apply(
        Appended(logged(11, said(scene.story.typed), 55)),
        Appended(logged(12, AssistantSaid(scene.story.partial, finish=None), 55)),
        Appended(logged(13, Interrupted(), 55)),
        Appended(logged(14, said(scene.story.typed), 56)),
        Appended(logged(15, words, 56)),
    )


@state()
async def not_saved(scene: Scene) -> None:
    never = asyncio.Event()

    async def save() -> None:
        await never.wait()

    full = NotSaved(
        _("Not saved: {reason}.").format(reason=_("the disk is full")),
        _("Nothing of it was kept."),
        _("Free some space, then try again."),
    )
    Safekeeping(scene.chat, save, lambda: None).failed(full)


@state()
async def toasts(scene: Scene) -> None:
    scene.chat.tell(_("Old messages are in the summary now: F3 shows it, F8 undoes it."), title=_("Compacted"))
    refused = UsageError(
        _("{path} cannot be read: {reason}.").format(path="[/x].go", reason="No such file or directory")
    )
    scene.chat.notify(str(refused), severity="warning", markup=False)


@state()
async def over_the_window(scene: Scene) -> None:
    bar, panel_ = scene.chat.query_one(StatusBar), scene.chat.query_one(Sidebar)
    full = replace(GAUGE, tokens=8_420, characters=31_000, messages=19, trigger_share=1.3, freed=4_800)
    status = Status("a-model-with-a-long-name-70b-instruct", "api.example.org", ready=True, approval="all", mode="off")
    bar.show_status(status)
    bar.show_gauge(full)
    panel_.show_gauge(full)


@state()
async def compaction_paused(scene: Scene) -> None:
    waiting = replace(GAUGE, tokens=7_120, trigger_share=1.09, paused=True)
    scene.chat.query_one(StatusBar).show_gauge(waiting)
    said = pause_in_short(Checkpoint(stalls=Stalls(2)), GaugeParts(tail=5_000))
    scene.chat.query_one(Sidebar).show_gauge(waiting, said)
