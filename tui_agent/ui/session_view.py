"""What the chat shows of its session: events become lines, words and measures. It starts nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from tui_agent.agent import background
from tui_agent.agent.changes import kept_details
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import exceeded
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    DetailKept,
    Entry,
    Logged,
    Pinned,
    TitleSet,
    Unpinned,
    UserSaid,
)
from tui_agent.core.events import (
    AnswerRestarted,
    Appended,
    CommandStarted,
    CompactionEnded,
    CompactionStarted,
    ContextMoved,
    Event,
    ReasoningArrived,
    RequestSent,
    RetryScheduled,
    SummaryArrived,
    TextArrived,
    ToolStarted,
    TurnEnded,
)
from tui_agent.core.readings import deed_of, lacking, typed_text
from tui_agent.language import N_, _, ngettext, sentences
from tui_agent.ui.commands import as_said
from tui_agent.ui.plain import mark
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.theme import FAINT
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.gauge import REPAINT_SECONDS
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.sidebar import Memory, PinRow, Sidebar
from tui_agent.ui.widgets.status_bar import Status, StatusBar
from tui_agent.ui.words import word

COMPACTION = "compaction"
"""The group of what shows a preview of a compaction and applies it."""

STOP_HINT = N_("Esc stops")


class SessionView:
    """The widgets of the chat, and the session they show."""

    def __init__(self, screen: ChatScreen, services: Services) -> None:
        self._screen = screen
        self._services = services
        self._transcript = screen.transcript
        self._activity = screen.query_one(ActivityLine)
        screen.prompt.chip_above = services.settings.paste_chip
        self.session: Session | None = None
        self.last_seq = 0
        """The newest entry that was shown."""

        self.oldest = 1
        """The oldest entry that the transcript has."""

        self._streamed = ""
        """What has arrived of the answer that is being written."""

        self._measuring: Timer | None = None

    # ── a session ────────────────────────────────────────────────────────────

    def show_session(self, session: Session, entries: Sequence[Logged], versions: Sequence[Logged]) -> None:
        """Show another session, with the newest of its entries. A preview for the one that is left goes away."""
        self._screen.workers.cancel_group(self._screen, COMPACTION)
        self.session = session
        self.last_seq = session.checkpoint.seq
        self._streamed = ""
        self.oldest = entries[0].seq if entries else 1
        self._screen.is_empty = not entries
        transcript = self._transcript
        transcript.load(entries, more_above=self.oldest > 1)
        transcript.apply(session.moved())
        self.show_title()
        self.show_memory(versions)
        self.measure()

    def prepend(self, session: Session, older: Sequence[Logged]) -> None:
        """Show older entries of the session above those that are shown, if it is still this one."""
        if session is self.session and older and older[-1].seq < self.oldest:
            self.oldest = older[0].seq
            self._transcript.prepend(older, more_above=self.oldest > 1)

    def show_title(self) -> None:
        """Name the session in the title row."""
        title = self.session.title if self.session else ""
        name = Content.styled("tui-agent", "bold $primary")
        rest = Content.styled(mark(" ─ ", ": "), FAINT) + content(title, single_line=True, strict=True) if title else ""
        self._screen.query_one("#title", Static).update(name + rest)

    def show_memory(self, versions: Sequence[Logged]) -> None:
        """Show the summary that stands, its versions, the pins and the details."""
        session = self.session
        if session is None:
            return
        pins = tuple(PinRow(pin.seq, pin.text, pin.source) for pin in session.checkpoint.pins)
        memory = Memory(session.live_summary(), tuple(versions), pins, kept_details(session), self._made_ahead(session))
        self._screen.query_one(Sidebar).show_memory(memory)

    def show_status(self) -> None:
        """Name the model and the modes."""
        bench = self._services.bench
        bar = self._screen.query_one(StatusBar)
        if bench is None:
            settings = self._services.settings
            bar.show_status(Status(safe(settings.model, single_line=True), approval=settings.approval))
            return
        bar.show_status(
            Status(
                model=safe(bench.connection.model, single_line=True, strict=True),
                place=safe(word(bench.connection.place), single_line=True, strict=True),
                ready=True,
                approval=bench.rulebook.mode,
                mode=bench.mode,
                note=" · ".join(note for note in (self._ready_note(bench), _(bench.tools_note)) if note),
            )
        )

    def _ready_note(self, bench: Workbench) -> str:
        return "" if self.session is None or background.ready(bench, self.session) is None else _("summary ready")

    def _made_ahead(self, session: Session) -> int | None:
        """The tokens that a summary made ahead has taken, while it waits to be used; None when none does."""
        bench = self._services.bench
        proposal = background.ready(bench, session) if bench is not None else None
        if proposal is None:
            return None
        usage = proposal.compacted.usage
        return usage.prompt + usage.completion if usage is not None else 0

    # ── measures ─────────────────────────────────────────────────────────────

    def measure_soon(self) -> None:
        """Measure within a tenth of a second, however often it is asked for."""
        if self._measuring is None:
            self._measuring = self._screen.set_timer(REPAINT_SECONDS, self.measure)

    def measure(self) -> None:
        """Show the context's measure, with the unsent text and what has streamed in."""
        self._measuring = None
        if self.session is None:
            return
        gauge = self.session.gauge(self._screen.query_one(Prompt).message, self._streamed)
        paused = self._paused(self.session)
        gauge = replace(gauge, paused=True) if paused else gauge
        self._screen.query_one(StatusBar).show_gauge(gauge)
        # In a frame of its own: beside the prompt, Textual would paint all that lies between the two places.
        self._screen.call_after_refresh(self._screen.query_one(Sidebar).show_gauge, gauge, paused)

    def _paused(self, session: Session) -> str:
        """Why automatic compaction waits although it is due; "" while it does not, or is not wanted."""
        bench, checkpoint = self._services.bench, session.checkpoint
        if not checkpoint.stalls.count or bench is None or bench.mode not in ("auto", "ask"):
            return ""
        from tui_agent.context.policy import pause, pause_in_short  # nothing waits in most sessions

        gauge, limits = session.gauge(), session.measures.limits
        is_waiting = exceeded(gauge, limits) is not None and bool(pause(checkpoint, gauge, limits))
        return pause_in_short(checkpoint, gauge.parts) if is_waiting else ""

    # ── events ───────────────────────────────────────────────────────────────

    def happened(self, event: Event) -> bool:
        """Show an event; whether the panel's rows have to be read again."""
        self._transcript.apply(event)
        self._say(event)
        self.measure_soon()
        match event:
            case Appended(logged):
                self._screen.is_empty = False
                self.last_seq = max(self.last_seq, logged.seq)
                return self._appended(logged)
            case CommandStarted():
                self._screen.is_empty = False
            case TextArrived(text) | ReasoningArrived(text):
                self._streamed += text
            case AnswerRestarted(text, reasoning):
                self._streamed = text + reasoning
            case ContextMoved():
                return True
        return False

    def _appended(self, logged: Logged) -> bool:
        match logged.entry:
            case AssistantSaid():
                self._streamed = ""
            case TitleSet():
                self.show_title()
            case Compacted() | Pinned() | Unpinned() | DetailKept():
                return True
        return False

    def _say(self, event: Event) -> None:
        activity = self._activity
        match event:
            case RequestSent(model):
                activity.start(_("waiting for {model}").format(model=safe(model, single_line=True)), _(STOP_HINT))
            case TextArrived():
                activity.start(_("answering"), _(STOP_HINT))
            case ReasoningArrived():
                activity.start(_("thinking"), _(STOP_HINT))
            case RetryScheduled(attempt, seconds, reason):
                words = _("{reason} · trying again in {seconds:.0f} s (attempt {attempt})").format(
                    reason=safe(reason, single_line=True), seconds=seconds, attempt=attempt
                )
                activity.start(words, _(STOP_HINT))
            case ToolStarted(call):
                activity.start(
                    _("running {name}").format(name=safe(call.name, single_line=True, strict=True)), _(STOP_HINT)
                )
            case CommandStarted():
                activity.start(_("running your command"), _(STOP_HINT))
            case CompactionStarted(folded):
                words = ngettext("writing a summary of {n} message", "writing a summary of {n} messages", folded)
                activity.start(words.format(n=folded), _(STOP_HINT))
            case SummaryArrived():
                pass
            case CompactionEnded(applied):
                activity.start(_("continuing"), _(STOP_HINT))
                if applied:
                    self._tell_of_compaction()
            case TurnEnded():
                activity.stop()

    def _tell_of_compaction(self) -> None:
        from tui_agent.context.policy import shortfall  # was loaded with the turn that compacted

        session = self.session
        live = session.live_summary() if session is not None else None
        made = live.entry if live is not None and isinstance(live.entry, Compacted) else None
        left_out = lacking(made) if made is not None else 0
        words = _("Old messages are in the summary now: F3 shows it, F8 undoes it.")
        if left_out:
            words = ngettext(
                "Old messages are in the summary now, {n} exact detail is not: F5 lists it, F8 undoes it.",
                "Old messages are in the summary now, {n} exact details are not: F5 lists them, F8 undoes it.",
                left_out,
            ).format(n=left_out)
        short = shortfall(made, session.gauge()) if made is not None and session is not None else ""
        words = sentences((words, short))
        if made is not None and not made.model:
            words = sentences((words, _("It was made without a model, from the messages' own words.")))
        severity: Literal["information", "warning"] = "warning" if left_out or short else "information"
        self._screen.notify(words, title=_("Compacted"), severity=severity, markup=False)


def said_before(entries: Sequence[Logged]) -> list[str]:
    """What the user said, oldest first, for the prompt's history."""
    return [text for logged in entries if (text := _typed(logged.entry))]


def _typed(entry: Entry) -> str:
    """What has to be typed to make such an entry again; "" for one that nothing was typed for."""
    deed = deed_of(entry)
    if deed is not None:
        return f"!{deed.subject}" if deed.kind == "command" else ""
    return as_said(typed_text(entry)) if isinstance(entry, UserSaid) else ""
