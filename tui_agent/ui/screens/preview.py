"""The preview of a compaction: what goes, what stands for it, what would be lost. Nothing changes before Apply."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import ContentSwitcher, Static

from tui_agent.agent.proposals import Proposal, Proposed, Proposing, Reviewed, Wish
from tui_agent.context.ledger import left_out, lost
from tui_agent.context.ledger_around import as_put_back
from tui_agent.core.entries import Detail, Logged
from tui_agent.core.events import CompactionStarted, Event, Gauge, SummaryArrived, SummaryRestarted
from tui_agent.errors import ApprovalPending, NothingToFold, TuiAgentError
from tui_agent.language import _
from tui_agent.ui.bindings import bindings
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.screens.preview_lines import (
    carried_lines,
    changed_lines,
    figures,
    folded_lines,
    heading,
    hints,
    summary_lines,
    with_put_back,
)
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.theme import NARROW
from tui_agent.ui.widgets.lines_view import LinesView
from tui_agent.ui.widgets.lost_list import LostList
from tui_agent.ui.widgets.summary_editor import SummaryEditor
from tui_agent.values import frozen, posted

STREAM_SECONDS = 0.07
"""The summary is drawn again at most this often while it is being written."""

KEEP_STEP = 2
"""Messages by which one key changes how many are kept: a question and its answer."""


@frozen
class Material:
    """What the preview is told about the session when it opens."""

    tail: Sequence[Logged]
    """The entries that are not folded yet."""

    gauge: Gauge
    keep: int
    pins: tuple[str, ...] = ()
    waits_for: str = ""


class PreviewScreen(Modal[Reviewed | None]):
    """Gives what is to be applied, or None when it was cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("preview")]
    AUTO_FOCUS = "#proposed"

    shown: var[str] = var("summary")
    lost_only: var[bool] = var(False, toggle_class="-lost-only")

    @posted
    class _Happened(Message):
        attempt: int
        event: Event | Proposed | TuiAgentError

    def __init__(self, propose: Proposing, wish: Wish, material: Material) -> None:
        super().__init__()
        self._propose = propose
        self._wish = wish
        self._material = material
        self._attempt = 0
        """Which of the summaries that were asked for counts: of one before it, something may still arrive."""

        self._proposal: Proposal | None = None
        self._edited: str | None = None
        self._written = ""
        """The proposed summary so far, while it streams."""

        self._range = (0, 0)
        """The first and the last entry that go into it; zeros while that is not known."""

        self._put_back: tuple[Detail, ...] = ()
        """The details to put back, as they will be carried."""

        self._is_refused = False
        """Whether no summary came of it: what was written of one is shown, and used only if the user takes it."""

        self._state = _("The summary is being written")
        self._drawing = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog preview") as dialog:
            dialog.border_title = Content(_("Compact"))
            yield Static(id="preview-figures")
            with Horizontal(id="preview-body"):
                with Vertical(id="preview-main"):
                    yield Static(id="preview-heading", classes="panel-title")
                    with ContentSwitcher(initial="proposed"):
                        yield LinesView(id="proposed")
                        yield LinesView(id="changes")
                        yield LinesView(id="folded")
                        yield LinesView(id="carried")
                        yield SummaryEditor(id="edited", soft_wrap=True, compact=True)
                yield LostList()
            yield Static(id="preview-hints")

    def on_mount(self) -> None:
        self.query_one(LostList).show_pins(self._material.pins)
        self.begin(self._wish)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    # ── the proposal ─────────────────────────────────────────────────────────

    def begin(self, wish: Wish) -> None:
        """Have a summary written, or weigh the user's own; an earlier proposal is void."""
        self._wish = wish
        self._attempt += 1
        self._proposal, self._edited, self._written, self._range = None, None, wish.text or "", (0, 0)
        self._is_refused = False
        self._state = self._material.waits_for or _("The summary is being written")
        self.query_one("#proposed", LinesView).follow = True
        self._show_lost(None, _("shown when the summary is written"))
        self.shown = "summary"
        self._draw()
        self._write(self._propose(wish), self._attempt)

    @work(exclusive=True, group="proposal", exit_on_error=False)
    async def _write(self, proposing: AsyncGenerator[Event | Proposed, None], attempt: int) -> None:
        try:
            async with aclosing(proposing) as events_of_proposal:
                async for event in events_of_proposal:
                    self.post_message(self._Happened(attempt, event))
        except TuiAgentError as error:
            self.post_message(self._Happened(attempt, error))

    @on(_Happened)
    def _happened(self, message: _Happened) -> None:
        message.stop()
        if message.attempt != self._attempt:
            return
        match message.event:
            case CompactionStarted(first=first, upto=upto):
                self._range, self._state = (first, upto), _("The summary is being written")
                self._draw_soon()
            case SummaryArrived(text):
                self._written += text
                self._draw_soon()
            case SummaryRestarted(reason):
                self._written = ""
                if reason:
                    self._state = _("Writing again: {reason}").format(reason=safe(reason, single_line=True))
                self._draw_soon()
            case Proposed(proposal):
                self._proposal = proposal
                self._edited = proposal.compacted.text if self._wish.text is not None else None
                self._range = proposal.first, proposal.compacted.upto
                self.query_one("#proposed", LinesView).follow = False
                self._show_lost(proposal.lost)
                self._draw()
            case TuiAgentError() as error:
                self._stopped(error)

    def _stopped(self, error: TuiAgentError) -> None:
        said = _("Nothing to fold. {error}") if isinstance(error, NothingToFold) else _("No summary. {error}")
        self._state = said.format(error=error)
        self._is_refused = not isinstance(error, NothingToFold | ApprovalPending)
        self._show_lost(None, _("there is no summary"))
        self._draw()

    def _draw_soon(self) -> None:
        if not self._drawing:
            self._drawing = True
            self.set_timer(STREAM_SECONDS, self._draw)

    def _draw(self) -> None:
        self._drawing = False
        proposal, put_back = self._proposal, self._put_back
        state = "" if proposal is not None else self._state
        after = with_put_back(proposal.after, put_back) if proposal is not None else None
        self.query_one("#preview-figures", Static).update(
            figures(self._material.gauge, after, proposal, len(put_back), state)
        )
        items = proposal.compacted.items if proposal is not None else ()
        self.query_one("#proposed", LinesView).set_lines(summary_lines(self._text, items))
        if self.shown == "carried":
            carried = proposal.compacted.details if proposal is not None else ()
            self.query_one("#carried", LinesView).set_lines(
                carried_lines(carried, put_back, self._material.pins, lost=self._left_out)
            )
        is_unused = self._is_refused and bool(self._written)
        title = heading(self.shown, is_unused=is_unused, is_edited=self._edited is not None, items=items)
        self.query_one("#preview-heading", Static).update(title)
        self.query_one("#preview-hints", Static).update(
            hints(
                is_ready=proposal is not None,
                is_refused=self._is_refused,
                is_editing=self.shown == "edit",
                keep=self._keep,
                goes=bool(self._range[1]),
                carried=len(proposal.compacted.details) + len(put_back) if proposal is not None else 0,
                lost=self._left_out or 0,
                adds=after is not None and after.tokens > self._material.gauge.tokens,
                is_elsewhere=self.lost_only or self.shown != "summary",
                is_list_only=self.lost_only,
                width=self.query_one("#preview-hints").content_size.width,
            )
        )

    @property
    def _keep(self) -> int:
        return self._material.keep if self._wish.keep is None else self._wish.keep

    @property
    def _left_out(self) -> int | None:
        """How many details are left out as things stand; None while there is no summary to leave any out."""
        return self.query_one(LostList).left_out if self._proposal is not None else None

    @property
    def _text(self) -> str:
        """The summary as it would be applied now, or what is written of one so far."""
        if self._edited is not None:
            return self._edited
        return self._proposal.compacted.text if self._proposal is not None else self._written

    @property
    def edited(self) -> str | None:
        """The user's own text, still in the editor or taken from it; None where there is none."""
        if self.shown == "edit" and self._is_changed:
            return self.query_one(SummaryEditor).text
        return self._edited if self._edited is not None else self._wish.text

    @property
    def _is_changed(self) -> bool:
        """Whether the editor holds another text than it was given."""
        return self.query_one(SummaryEditor).text != safe(self._text)

    # ── views ────────────────────────────────────────────────────────────────

    def action_view(self, view: str) -> None:
        if view == "lost":
            self.lost_only = self.app.size.width < NARROW and not self.lost_only
            self.query_one(LostList).take_focus()
            return
        self.lost_only = False
        self.shown = "summary" if view == self.shown else view

    def watch_lost_only(self) -> None:
        if self.is_mounted:
            self._draw()

    def watch_shown(self, shown: str) -> None:
        if not self.is_mounted:
            return
        ids = {"summary": "proposed", "edit": "edited"}
        if shown == "changes":
            previous = self._proposal.previous_text if self._proposal is not None else ""
            self.query_one("#changes", LinesView).set_lines(changed_lines(previous, self._text))
        elif shown == "folded":
            self.query_one("#folded", LinesView).set_lines(folded_lines(self._folded()))
        self.query_one(ContentSwitcher).current = ids.get(shown, shown)
        self.query_one(f"#{ids.get(shown, shown)}").focus()
        self._draw()

    def _folded(self) -> list[Logged]:
        first, last = self._range
        return [logged for logged in self._material.tail if first <= logged.seq <= last]

    # ── what is lost ─────────────────────────────────────────────────────────

    @on(LostList.Changed)
    def _put_back_changed(self, event: LostList.Changed) -> None:
        event.stop()
        self._weigh_put_back()
        self._draw()

    def _show_lost(self, details: Sequence[Detail] | None, unknown: str = "") -> None:
        self.query_one(LostList).show_lost(details, unknown)
        self._weigh_put_back()

    def _weigh_put_back(self) -> None:
        """What is put back as it will be carried, and what of the others its words hold as well."""
        rows = self.query_one(LostList)
        self._put_back = as_put_back(rows.put_back, self._material.tail)
        still = set(left_out(rows.lost, self._put_back) if self._put_back else rows.lost)
        rows.show_held([detail for detail in rows.lost if detail not in still])

    def action_put_back(self) -> None:
        if self._shows_lost():
            self.query_one(LostList).toggle()

    def action_put_back_all(self) -> None:
        if self._shows_lost():
            self.query_one(LostList).toggle_kind()

    def _shows_lost(self) -> bool:
        """Whether the list is on the screen; if it is not, it comes, so that nobody puts back what they cannot see."""
        is_shown = self.query_one(LostList).display
        if not is_shown:
            self.action_view("lost")
        return is_shown

    # ── editing ──────────────────────────────────────────────────────────────

    def action_edit(self) -> None:
        if self._proposal is None and not self._is_refused:
            return
        editor = self.query_one(SummaryEditor)
        editor.load_text(safe(self._text))
        self.lost_only = False
        self.shown = "edit"

    @on(SummaryEditor.Left)
    def _edit_left(self, event: SummaryEditor.Left) -> None:
        event.stop()
        self._take_edit()
        self.shown = "summary"

    @on(SummaryEditor.ApplyWanted)
    def _apply_edit(self, event: SummaryEditor.ApplyWanted) -> None:
        event.stop()
        self.action_apply()

    def _take_edit(self) -> None:
        """The edited text, if it is another; what it now leaves out is looked for anew."""
        if self._is_changed and self._proposal is None:
            self._take_as_own()
        elif self._is_changed and self._proposal is not None:
            self._edited = self.query_one(SummaryEditor).text
            missing = lost(self._proposal.found, "\n".join([self._edited, *self._material.pins]))
            self._show_lost(left_out(missing, self._proposal.compacted.details))

    def _take_as_own(self) -> None:
        """Overrule the refusal: what the editor holds is proposed as the user's own text, and nothing applied yet."""
        self.begin(replace(self._wish, text=self.query_one(SummaryEditor).text))

    # ── asking again ─────────────────────────────────────────────────────────

    def action_regenerate(self) -> None:
        question = TextPromptScreen(
            _("Write it again"),
            _("What should the summary pay attention to? Empty is fine."),
            value=self._wish.focus,
        )
        self.app.push_screen(question, self._again)

    def _again(self, focus: str | None) -> None:
        if focus is not None:
            self._unless_edited(lambda: self.begin(replace(self._wish, focus=focus.strip(), text=None)))

    def action_keep(self, which: str) -> None:
        step = KEEP_STEP if which == "more" else -KEEP_STEP
        keep = max(self._keep + step, 0)
        if keep != self._keep:
            self._unless_edited(lambda: self.begin(replace(self._wish, keep=keep, above=None, text=None)))

    # ── the end ──────────────────────────────────────────────────────────────

    def action_apply(self) -> None:
        if self.shown == "edit" and self._proposal is None:
            self._take_as_own()
            return
        if self.shown == "edit":
            self._take_edit()
        if self._proposal is None:
            self.app.bell()
            return
        self.dismiss(Reviewed(self._proposal, self._edited, self.query_one(LostList).put_back))

    def action_cancel(self) -> None:
        if self.lost_only:
            self.lost_only = False
            return
        self._unless_edited(self._cancel)

    def _cancel(self) -> None:
        self.workers.cancel_group(self, "proposal")
        self.dismiss(None)

    def _unless_edited(self, go_on: Callable[[], None]) -> None:
        """Go on; where a text that was edited would be lost by it, ask first."""
        if self.edited is None:
            go_on()
            return
        question = ConfirmScreen(_("Leave the edited summary?"), _("What you wrote would be gone."), yes=_("Leave it"))
        self.app.push_screen(question, lambda is_left: go_on() if is_left else None)
