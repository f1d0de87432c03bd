"""Where turns are started, queued and stopped, and where a running turn's questions are put to the user."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from importlib import import_module
from time import monotonic

from textual.screen import Screen
from textual.worker import Worker, WorkerError, WorkerState

from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.proposals import Proposing, Reviewed, Wish
from tui_agent.agent.services import Services, secret_of
from tui_agent.agent.turns import Answering
from tui_agent.core.entries import Part, TextPart
from tui_agent.core.events import Event
from tui_agent.errors import ModelError, TuiAgentError
from tui_agent.language import _
from tui_agent.ui.attention import Attention
from tui_agent.ui.commands import as_said
from tui_agent.ui.keys_first import KeysFirst
from tui_agent.ui.messages import ApprovalShown, Awaited, QueueChanged, Told
from tui_agent.ui.posting import Posting
from tui_agent.ui.session_view import SessionView
from tui_agent.ui.unsent import TakenBack
from tui_agent.ui.widgets.block_lines import prepare
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.values import frozen

Begin = Callable[[Answering], AsyncGenerator[Event, None]]
"""Which kind of turn: a new message, a retry, an edit, going on after a pending approval."""


@frozen
class _Message:
    """Waits to be sent."""

    parts: tuple[Part, ...]
    in_place_of: int | None = None
    """The earlier message whose place it takes."""

    @property
    def words(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def taken_back(self) -> TakenBack:
        return TakenBack(as_said(self.words), self.parts, self.in_place_of)


@frozen
class _Command:
    """A shell command of the user's own waits to be run."""

    command: str

    @property
    def words(self) -> str:
        return f"!{self.command}"

    @property
    def taken_back(self) -> TakenBack:
        return TakenBack(self.words)


GROUP = "turn"

AHEAD = "ahead"
"""The group of what makes a summary ahead of need; a turn goes before it."""


class TurnDesk:
    """One turn at a time; what is said meanwhile waits in line."""

    def __init__(
        self,
        screen: Screen[None],
        services: Services,
        view: SessionView,
        attention: Attention,
        keys_first: KeysFirst,
    ) -> None:
        self._screen = screen
        self._services = services
        self._view = view
        self._attention = attention
        self.keys_first = keys_first
        self._began = 0.0
        self._runs_command = False
        self.posting = Posting(screen)
        self._worker: Worker[None] | None = None
        self._turn: Answering | None = None
        self._waiting: deque[_Message | _Command] = deque()

        self.is_held = False
        """Whether nothing may be sent for now."""

        self.edited_summary: Callable[[], str | None] = _nothing
        """Gives what the user has written in the preview that is open; None when nothing."""

        self._sending: tuple[int, _Message] | None = None
        """The log's end when the running turn began, and the message it began with."""

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self._worker is not None and not self._worker.is_finished

    @property
    def waiting(self) -> tuple[str, ...]:
        """The messages that are sent when the turn before them has ended."""
        return tuple(each.words for each in self._waiting)

    # ── starting and stopping ────────────────────────────────────────────────

    def say(self, parts: tuple[Part, ...], in_place_of: int | None = None) -> None:
        """Send a message now, or when the running turn has ended, or when a model is connected."""
        self._wait(_Message(parts, in_place_of))

    def run_command(self, command: str) -> None:
        """Run a shell command of the user's own now, or when the running turn has ended."""
        self._wait(_Command(command))

    def _wait(self, wanted: _Message | _Command) -> None:
        self._waiting.append(wanted)
        self._changed()
        self.go_on()

    def go_on(self) -> None:
        """Send or run what waits first, if that can be done."""
        session = self._view.session
        if not self._waiting or self.is_busy or self.is_held or session is None:
            return
        match self._waiting[0]:
            case _Command(command):
                from tui_agent.agent.user_commands import run_user_command  # most starts need nothing of it

                self._waiting.popleft()
                running = run_user_command(session, command, self._services.directory, secret_of(self._services))
                self._start(running, is_command=True)
                self._changed()
            case _Message(parts, seq) as message if self._services.bench is not None:
                self._waiting.popleft()
                self.begin(lambda turn: turn.say(parts) if seq is None else turn.edit(seq, parts))
                self._sending = session.checkpoint.seq, message
                self._changed()

    def begin(self, kind: Begin) -> None:
        """Start a turn; nothing happens while another is running."""
        session = self._view.session
        if self.is_busy or session is None:
            return
        try:
            self._turn = turn = self._services.turn(session, self.approve, self.review)
        except ModelError as error:
            self._screen.post_message(Told(error))
            return
        asyncio.get_running_loop().run_in_executor(None, prepare)
        self._start(kind(turn))

    def _start(self, happening: AsyncGenerator[Event, None], *, is_command: bool = False) -> None:
        self._screen.workers.cancel_group(self._screen, AHEAD)
        self._began = monotonic()
        self._runs_command = is_command
        self._worker = self._screen.run_worker(
            partial(self._run, happening), group=GROUP, exclusive=True, exit_on_error=False, name="turn"
        )

    def stop(self) -> bool:
        """Stop the running turn; what has arrived is kept. Whether there was one."""
        if self._worker is None or self._worker.is_finished:
            return False
        self._worker.cancel()
        return True

    async def stop_and_wait(self) -> None:
        """Stop the running turn and wait until its log is whole."""
        worker = self._worker
        if worker is not None and self.stop():
            with contextlib.suppress(WorkerError):
                await worker.wait()

    async def leave(self) -> None:
        """The same for good: what was asked and not answered is asked again when the session is opened."""
        self.give_up()
        await self.stop_and_wait()

    def give_up(self) -> None:
        """Whatever stops the running turn from here on is no answer to what it has asked."""
        self._attention.over()
        if self._turn is not None:
            self._turn.is_left = True

    @property
    def typed(self) -> tuple[str, ...]:
        """What waits, as it would stand in the prompt."""
        return tuple(each.taken_back.typed for each in self._waiting)

    def take_back(self) -> list[TakenBack]:
        """Take what waits out of the line."""
        waiting = [each.taken_back for each in self._waiting]
        self._waiting.clear()
        self._changed()
        return waiting

    async def _run(self, happening: AsyncGenerator[Event, None]) -> None:
        async with aclosing(happening) as events:
            async for event in events:
                self.posting.post(event)
                await self.keys_first.rest()

    def over(self, worker: Worker[object]) -> bool:
        """A worker has ended: tell what was appended unseen. Whether it was a turn and ended by itself."""
        if worker is not self._worker or not worker.is_finished:
            return False
        session = self._view.session
        for event in session.since(self._view.last_seq) if session is not None else ():
            self._view.happened(event)
        if worker.state is WorkerState.ERROR:
            self._tell(worker.error)
            self._take_back_unsaved()
        self._sending = None
        if monotonic() - self._began >= self._services.settings.notify_after:
            self._attention.call(_("the turn has ended"))
        return worker.state is WorkerState.SUCCESS

    def _take_back_unsaved(self) -> None:
        """A message that did not reach the log waits again, before those behind it."""
        session = self._view.session
        if self._sending is None or session is None:
            return
        seq, message = self._sending
        if session.checkpoint.seq == seq:
            self._waiting.appendleft(message)

    def _tell(self, error: BaseException | None) -> None:
        """The wall round a turn: whatever went wrong is told, and the app lives on."""
        told = (
            error
            if isinstance(error, TuiAgentError)
            else TuiAgentError(
                _("The turn ended with an error of this program: {name}.").format(name=type(error).__name__),
                _("What was said before it is kept."),
                _("Try /retry. If it happens again, please report it."),
            )
        )
        self._screen.post_message(Told(told))

    def _changed(self) -> None:
        running: Awaited = "command" if self._runs_command else "answer"
        self._screen.post_message(QueueChanged(self.waiting, running if self.is_busy else "model"))

    # ── a turn's questions ───────────────────────────────────────────────────

    async def approve(self, request: ApprovalRequest) -> Decision:
        """Ask whether a tool may act. If the turn is stopped meanwhile, the question goes away."""
        from tui_agent.ui.screens.approval import ApprovalScreen

        prompt = self._screen.query_one(Prompt)
        screen = ApprovalScreen(
            request,
            takes_rows=lambda rows: self._screen.post_message(ApprovalShown(True, rows)),
            takes_key=prompt.type_ahead,
            typed_at=prompt.typed_at,
        )
        self._screen.post_message(ApprovalShown(True))
        self._attention.call(_("a tool waits for your approval"))
        try:
            decision = await self._screen.app.push_screen_wait(screen)
        except asyncio.CancelledError:
            screen.take_away()
            raise
        finally:
            self._screen.post_message(ApprovalShown(False))
        return decision or Decision("denied")

    async def review(self, propose: Proposing, wish: Wish) -> Reviewed | None:
        """Show a proposed summary and wait for the answer. If the turn is stopped meanwhile, it goes away."""
        # What looks for lost details knows much about texts, which takes time to load; most starts need none of it.
        await asyncio.to_thread(import_module, "tui_agent.ui.screens.preview")
        from tui_agent.ui.screens.preview import Material, PreviewScreen

        session = self._view.session
        if session is None:
            return None
        self._attention.call(_("a summary waits for you"))
        is_connecting = self._services.bench is None and self._services.connecting is not None
        screen = PreviewScreen(
            propose,
            wish,
            Material(
                tail=tuple(session.tail),
                gauge=session.gauge(),
                keep=wish.kept(session.measures.limits.keep_recent),
                pins=tuple(pin.text for pin in session.checkpoint.pins),
                waits_for=_("The model is being connected") if is_connecting else "",
            ),
        )
        self.edited_summary = lambda: screen.edited
        try:
            return await self._screen.app.push_screen_wait(screen)
        except asyncio.CancelledError:
            screen.take_away()
            raise
        finally:
            self.edited_summary = _nothing


def _nothing() -> str | None:
    return None
