"""The chat as it is painted first: its parts, its keys, and the way on for what they cannot do themselves."""

from collections import deque
from typing import ClassVar, Protocol

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.worker import Worker

from tui_agent.errors import TuiAgentError
from tui_agent.language import _
from tui_agent.ui.bindings import bindings, first_key_of
from tui_agent.ui.messages import ApprovalShown, Happened, QueueChanged, Told
from tui_agent.ui.notices import Notices
from tui_agent.ui.painting import Painter
from tui_agent.ui.plain import is_plain
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.typing_anywhere import TypingAnywhere
from tui_agent.ui.second_press import AGAIN_SECONDS, SecondPress
from tui_agent.ui.theme import NARROW
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.prompt_area import PromptArea
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.sidebar import MemoryList, Sidebar
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.widgets.status_bar import CompactButton, Status, StatusBar
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.ui.widgets.welcome import welcome

SAVE_SECONDS = 0.5
"""Unsent text is saved at most so long after it was typed, however fast the typing goes on."""


class Acting(Protocol):
    """What acts on what the chat hears. It is loaded after the first paint."""

    async def command(self, name: str, argument: str = "") -> None:
        """Carry out a command."""
        ...

    async def heard(self, message: Message) -> None:
        """Act on a widget message about sessions and turns."""
        ...

    def stop(self) -> bool:
        """Stop what is going on; whether there was anything."""
        ...

    async def save_unsent(self) -> None:
        """Keep what stands in the prompt."""
        ...


class ChatScreen(TypingAnywhere):
    """Transcript, prompt, context panel and status bar."""

    AUTO_FOCUS = "#prompt"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("chat"), *bindings("message")]

    _activity = query_one(ActivityLine)
    _find_bar = query_one(FindBar)
    is_empty: var[bool] = var(True, init=False)
    """Whether nothing was said in the session yet."""

    is_unconfigured: var[bool] = var(False, init=False)
    """Whether there is no model to ask, so that the start card is shown."""

    def __init__(self, *, animated: bool = True, status: Status | None = None) -> None:
        super().__init__()
        self._compositor = Painter()
        self._animated = animated
        self._status = status or Status()
        self._acting: Acting | None = None
        self._early: deque[Message | tuple[str, str]] = deque()
        """What was heard, and the commands that were given, before anyone could act on them."""

        self.notices = Notices()
        self._saving: Timer | None = None
        self._panel_in_wide, self._panel_in_narrow = True, False
        self._again = SecondPress()
        self._was_shown = False

    def compose(self) -> ComposeResult:
        yield Static(Content.styled("tui-agent", "bold $primary"), id="title")
        with Horizontal(id="body"):
            with Vertical(id="chat"):
                yield Transcript(classes="-empty")
                yield Static(welcome(), id="welcome", classes="-open")
                yield StartCard()
                yield FindBar()
                yield Prose(id="coach")
                yield Prose(id="unsaved")
                yield ActivityLine(animated=self._animated)
                yield PromptArea()
            yield Sidebar(id="sidebar", classes="" if self._is_narrow else "-open")
        yield StatusBar(self._status)

    async def take(self, acting: Acting) -> None:
        """From here on `acting` acts, first on what was heard meanwhile: what comes while it does so waits its turn."""
        while self._early:
            each = self._early.popleft()
            if isinstance(each, Message):
                await acting.heard(each)
            else:
                await acting.command(*each)
        self._acting = acting

    # ── what others have it do ───────────────────────────────────────────────

    async def command(self, name: str, argument: str = "") -> None:
        """Have a command carried out."""
        if self._acting is None:
            self._early.append((name, argument))
        else:
            await self._acting.command(name, argument)

    def tell(self, words: str, title: str = "", *, seconds: float | None = None) -> None:
        """Say something at the top, for some seconds."""
        self.notify(safe(words), title=title, markup=False, timeout=seconds)

    def tell_error(self, error: TuiAgentError) -> None:
        """Say what could not be done, what it means, and what to do."""
        self.notify(safe(str(error)), severity="warning", timeout=12, markup=False)

    def coach(self, words: str) -> None:
        """Let these words stand over the prompt; "" for none."""
        coach = self.query_one("#coach", Static)
        coach.update(Content(words))
        coach.set_class(bool(words), "-open")
        self._show_what_is_due()

    def _show_what_is_due(self) -> None:
        """Show what was said, else how to begin, or why nobody can be asked."""
        # Each of them has a class of its own: for one of the screen's, everything on it would be styled again.
        self.transcript.set_class(self.is_empty, "-empty")
        self.query_one("#welcome").set_class(self.is_empty and not self.is_unconfigured, "-open")
        is_coached = self.query_one("#coach").has_class("-open")
        self.query_one(StartCard).set_class(self.is_unconfigured and not is_coached, "-open")

    watch_is_empty = watch_is_unconfigured = _show_what_is_due

    def show_panel(self, wanted: bool | None = None) -> bool:
        """Open or close the context panel (None: the other way); whether it is open."""
        is_open = not self._is_panel_open if wanted is None else wanted
        if self._is_narrow:
            self._panel_in_narrow = is_open
        else:
            self._panel_in_wide = is_open
        self._fit_panel()
        return is_open

    @property
    def is_panel_over_chat(self) -> bool:
        """Whether the context panel covers the chat."""
        return self._is_narrow and self._panel_in_narrow

    @property
    def _is_narrow(self) -> bool:
        return is_plain() or self.app.size.width < NARROW

    @property
    def _is_panel_open(self) -> bool:
        return self._panel_in_narrow if self._is_narrow else self._panel_in_wide

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Where it is shown for the first time, everything in it was styled a moment ago."""
        event.refresh_styles = self._was_shown
        self._was_shown = True

    def on_mount(self) -> None:
        self._fit_panel()

    def on_resize(self) -> None:
        self._fit_panel()

    def _fit_panel(self) -> None:
        # The first size may be told before there is a panel; `on_mount` comes after both.
        self.query(Sidebar).set_class(self._is_panel_open, "-open")

    # ── what is about sessions and turns ─────────────────────────────────────

    @on(Happened)
    @on(Told)
    @on(Worker.StateChanged)
    @on(Prompt.Submitted)
    @on(Transcript.OlderWanted)
    @on(PromptArea.FileSought)
    @on(FindBar.Changed)
    @on(FindBar.Stepped)
    async def _pass_on(self, message: Message) -> None:
        message.stop()
        if self._acting is None:
            self._early.append(message)
        else:
            await self._acting.heard(message)

    @on(Prompt.Edited)
    async def _edited(self, message: Prompt.Edited) -> None:
        await self._pass_on(message)
        self._save_soon()

    def _save_soon(self) -> None:
        if self._saving is None:
            self._saving = self.set_timer(SAVE_SECONDS, self._save)

    async def _save(self) -> None:
        self._saving = None
        if self._acting is not None:
            await self._acting.save_unsent()

    @on(CompactButton.Pressed)
    @on(MemoryList.SourceWanted)
    @on(MemoryList.CompareWanted)
    @on(MemoryList.RestoreWanted)
    @on(MemoryList.UnpinWanted)
    @on(MemoryList.PinEditWanted)
    @on(MemoryList.KeepWanted)
    @on(StartCard.Chosen)
    @on(Transcript.LinkChosen)
    @on(Prompt.ChipOpened)
    @on(Prompt.SearchWanted)
    @on(Prompt.EditorWanted)
    @on(PromptArea.FileChosen)
    async def _wanted(self, message: Message) -> None:
        """What a widget asks for is a command."""
        message.stop()
        match message:
            case CompactButton.Pressed():
                await self.command("compact")
            case MemoryList.SourceWanted(seq):
                await self.command("entry", str(seq))
            case MemoryList.CompareWanted(seq, other):
                await self.command("compare", f"{seq} {other or ''}".strip())
            case MemoryList.RestoreWanted(seq):
                await self.command("restore", str(seq))
            case MemoryList.UnpinWanted(seq):
                await self.command("unpin", str(seq))
            case MemoryList.PinEditWanted(seq):
                await self.command("edit-pin", str(seq))
            case MemoryList.KeepWanted(text):
                await self.command("keep-detail", text)
            case StartCard.Chosen(choice):
                await self.command("start", choice)
            case Transcript.LinkChosen(url):
                await self.command("link", url)
            case Prompt.ChipOpened(mark):
                await self.command("paste", mark)
            case Prompt.SearchWanted():
                await self.command("history")
            case Prompt.EditorWanted():
                await self.command("editor")
            case PromptArea.FileChosen(path):
                await self.command("attach", path)

    # ── what the screen does itself ──────────────────────────────────────────

    @on(QueueChanged)
    def _queue_changed(self, message: QueueChanged) -> None:
        self.query_one(PromptArea).show_waiting(message.waiting, message.until)
        self._save_soon()

    @on(ApprovalShown)
    def _approval_shown(self, message: ApprovalShown) -> None:
        self.query_one(StatusBar).allow_compaction(not message.is_open)
        self._activity.hold(_("waiting for your answer") if message.is_open else "")
        # What was said last stays in view over the question.
        covered = message.rows - self.query_one(PromptArea).size.height
        self.query_one(ActivityLine).styles.margin = (0, 0, max(covered, 0), 0)

    @on(Prompt.LeaveWanted)
    async def _leave_wanted(self, event: Prompt.LeaveWanted) -> None:
        event.stop()
        await self.command("quit")

    @on(Transcript.NewBelow)
    def _new_below(self, event: Transcript.NewBelow) -> None:
        event.stop()
        self._activity.new_below = event.count

    @on(ActivityLine.EndWanted)
    def _end_wanted(self, event: ActivityLine.EndWanted) -> None:
        event.stop()
        self.transcript.follow()

    @on(Transcript.CursorMoved)
    def _cursor_moved(self, event: Transcript.CursorMoved) -> None:
        event.stop()
        if event.current is None and self.transcript.has_focus:
            self.prompt.focus()

    @on(FindBar.EverywhereWanted)
    async def _find_everywhere(self, event: FindBar.EverywhereWanted) -> None:
        event.stop()
        self.close_find()
        await self.command("search-all", event.words)

    @on(FindBar.Closed)
    def _find_closed(self, event: FindBar.Closed) -> None:
        event.stop()
        self.close_find()

    def close_find(self) -> None:
        """Close the bar that finds words, and go on in the prompt."""
        self._find_bar.remove_class("-open")
        self.transcript.clear_find()
        self.prompt.focus()

    # ── keys ─────────────────────────────────────────────────────────────────

    def _go_to_prompt(self) -> None:
        super()._go_to_prompt()
        if self.is_panel_over_chat:
            self.show_panel(False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "scroll_page":
            return not isinstance(self.focused, OptionList)
        if action == "on_message":
            return self.focused is self.transcript and self.transcript.current is not None
        return True

    async def action_command(self, name: str) -> None:
        await self.command(name)

    async def action_on_message(self, what: str) -> None:
        await self.command("on-message", what)

    def action_move_cursor(self, step: int) -> None:
        if step < 0:
            self.transcript.cursor_up()
        else:
            self.transcript.cursor_down()
        if self.transcript.current is not None:
            self.transcript.focus()

    def action_fold_blocks(self) -> None:
        if not (self.prompt.has_focus and self.prompt.chip_at_cursor()):
            self.transcript.toggle_details()

    def action_scroll_page(self, step: int) -> None:
        if step < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    def action_scroll_edge(self, edge: int) -> None:
        if edge < 0:
            self.transcript.scroll_home(animate=False)
        else:
            self.transcript.follow()

    def action_redraw(self) -> None:
        self.refresh(layout=True)

    async def action_step_back(self) -> None:
        """Esc: close what is open; else stop; pressed twice while nothing happens: to an earlier message."""
        if self.query_one(PromptArea).close_completion():
            return
        if self.transcript.current is not None:
            self.transcript.clear_cursor()
            self.prompt.focus()
        elif self._find_bar.has_class("-open"):
            self.close_find()
        elif self.is_panel_over_chat:
            self.show_panel(False)
            self.prompt.focus()
        elif self._acting is not None and self._acting.stop():
            pass
        elif not self.prompt.has_focus:
            self.prompt.focus()
        elif self._again.is_second("escape"):
            await self.command("edit")

    async def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected; else stop; else clear the prompt; else, pressed twice, quit."""
        selected = self.prompt.selected_text or self.get_selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)
            self.clear_selection()
        elif self._acting is not None and self._acting.stop():
            pass
        elif self.prompt.text:
            self.prompt.remember([*self.prompt.remembered, self.prompt.message])
            self.prompt.write("")
            self.tell(_("The prompt was cleared; Up brings it back."))
        elif self._again.is_second("ctrl+c"):
            await self.command("quit")
        else:
            words = _("Press {key} again to quit.").format(key=first_key_of("interrupt"))
            self.tell(words, seconds=AGAIN_SECONDS)  # no longer than it is true
