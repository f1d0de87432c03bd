"""What acts on what the chat hears: sessions, turns, compactions. Loaded after the first paint, for it takes time."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from textual.app import App
from textual.message import Message
from textual.worker import Worker

from tui_agent.agent import background, changes
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.proposals import Wish
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session, last_answer
from tui_agent.agent.workbench import Workbench
from tui_agent.core.events import Event
from tui_agent.core.mentions import mentions_in
from tui_agent.errors import CompactionError, ModelError, NotSaved, TuiAgentError
from tui_agent.language import _
from tui_agent.ui.appearance import wear_remembered
from tui_agent.ui.attention import Attention
from tui_agent.ui.commands import Run, Say, Shell, UnknownCommand, read_prompt
from tui_agent.ui.connecting import find_model, local_model_appears
from tui_agent.ui.finder import Finder
from tui_agent.ui.further_up import PAGE, FurtherUp
from tui_agent.ui.messages import Happened, Told
from tui_agent.ui.safekeeping import Safekeeping
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.sent import keep_sent, sent_before
from tui_agent.ui.session_view import COMPACTION, SessionView, said_before
from tui_agent.ui.slow import asks_keyring, each_is_done
from tui_agent.ui.tour import Guide
from tui_agent.ui.turn_desk import AHEAD, GROUP, TurnDesk
from tui_agent.ui.unsent import Unsent
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.prompt_area import PromptArea
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.ui.workspace_files import WorkspaceFiles
from tui_agent.values import frozen

Handler = Callable[["Conductor", str], Awaitable[None]]
"""Carries out a command, given its argument."""


@frozen
class Opening:
    """What the chat begins with."""

    resume: str | None = None
    """A session's id, `latest`, `choose`, or None for a new session."""

    prompt: str = ""
    """Sent at once."""


class Conductor:
    """Stands between the chat's widgets and the services; decides nothing that belongs to either."""

    def __init__(
        self, screen: ChatScreen, services: Services, handlers: Mapping[str, Handler], opening: Opening
    ) -> None:
        self.screen = screen
        self.app: App[Any] = screen.app
        self.prompt: Prompt = screen.prompt
        self.transcript: Transcript = screen.transcript
        self.services = services
        self.view = SessionView(screen, services)
        self.keys_first = self.transcript.keys_first
        attention = Attention(screen.app, lambda: services.settings.notify)
        self.desk = TurnDesk(screen, services, self.view, attention, self.keys_first)
        self.unsent = Unsent(screen.prompt, services.directory, screen.tell)
        self.further_up = FurtherUp(screen, self.view)
        self._finder = Finder(screen, services, self.view, self.further_up)
        self._keeping = Safekeeping(screen, self._save_again, self._saved_again)
        self.transcript.density, self.transcript.plain = services.settings.density, services.settings.plain
        self.guide = Guide(screen.coach)
        self._files = WorkspaceFiles(services.directory)
        self._handlers = handlers
        self._opening = opening
        self._switching = asyncio.Lock()

    # ── beginning ────────────────────────────────────────────────────────────

    async def begin(self) -> None:
        """Open the archive and a session, then find a model.

        Raises:
            ArchiveError: the archive cannot be used.
        """
        self.view.show_status()
        await self.services.start()
        self.services.archive.watch(self._tell_error)
        await wear_remembered(self.app, self.services.archive, self.services.settings)
        await self._open_first()
        await self.screen.take(self)
        for notice in self.services.archive.notices:
            self.screen.tell(notice, _("Archive"))
        if self.services.archive.read_only:
            await self.save_unsent()  # it fails, which is said at once and not when something is lost
        await self.command("instructions")
        await self.connect()
        if prompt := self._opening.prompt:
            self.desk.say(*self.unsent.take(prompt, mentions_in(prompt)))

    async def _open_first(self) -> None:
        wanted = self._opening.resume
        if wanted == "latest":
            listed = await self.services.sessions()
            wanted = listed[0].id if listed else None
        if wanted is None or wanted == "choose":
            await self.open_session(self.services.new_session())
            if wanted == "choose":
                await self.command("sessions")
            return
        await self.command("resume", wanted)
        if self.view.session is None:
            await self.open_session(self.services.new_session())

    async def connect(self, *, stay: bool = False) -> None:
        """Find and connect the model, with `stay` where it was; while there is none, look for a local server."""
        self.screen.workers.cancel_group(self.screen, "watch")
        if not await find_model(self.services, self.screen, stay=stay):
            self.work("watch", local_model_appears, partial(self.later, "connect"))
        self._go_on()

    def _go_on(self) -> None:
        """Another model or session is there: measure, ask again what was left pending, send what waits."""
        self.view.show_status()
        self.view.measure()
        session = self.view.session
        if session is not None and self.services.bench is not None and pending_approval(session) is not None:
            self.desk.begin(lambda turn: turn.resume())
        self.desk.go_on()

    async def open_session(self, session: Session) -> None:
        """Show a session in place of the one that is open. If that comes to nothing, the open one stays."""
        try:
            async with self._switching:
                await self._show(session)
        finally:
            if self.view.session is not session:
                await session.close()
        self._go_on()

    async def _show(self, session: Session) -> None:
        entries, versions = await session.page(limit=PAGE), await changes.versions(session)
        self.unsent.keep_edited(self.desk.edited_summary())
        await self.desk.stop_and_wait()
        await self.save_unsent()
        sent = await sent_before(self.services.archive)
        unsent = await session.unsent()
        # From here on nothing is waited for: what is typed and sent belongs to the one session or to the other.
        previous = self.view.session
        if previous is not None:
            self.desk.take_back()  # it is kept with the session it was meant for
            self.desk.posting.drop()
            self.unsent.clear()
        self.screen.coach("")
        self.screen.close_find()
        session.patience = self._patience
        self.view.show_session(session, entries, versions)
        said = said_before(entries)
        self.prompt.remember(list(dict.fromkeys([*sent, *said])))
        # A crash right after sending leaves what was sent among the unsent as well.
        if unsent and not self.prompt.text and unsent not in said[-1:]:
            self.prompt.write(unsent)
        if previous is not None:
            await previous.close()

    # ── what handlers have done ──────────────────────────────────────────────

    async def command(self, name: str, argument: str = "") -> None:
        """Carry out a command; what went wrong is told."""
        if asks_keyring(self._handlers[name]):
            self.later(name, argument)
        else:
            await self._carry_out(name, argument)

    async def _carry_out(self, name: str, argument: str) -> None:
        try:
            await self._handlers[name](self, argument)
        except TuiAgentError as error:
            self._tell_error(error)

    def later(self, name: str, argument: str = "") -> None:
        """Carry out a command from a callback that cannot wait."""
        alone = not each_is_done(self._handlers[name])
        self.work(f"command-{name}", self._carry_out, name, argument, alone=alone)

    def show_events(self, happened: Iterable[Event]) -> None:
        """Show what a change yielded."""
        self.screen.post_message(Happened(deque(happened)))

    def compact(self, wish: Wish) -> None:
        """Show the preview and apply what comes of it; where a turn is writing a summary, that one is shown."""
        self.work(COMPACTION, self._compact, wish)

    async def _compact(self, wish: Wish) -> None:
        session = self.view.session
        if session is None or session.underway.show(wish):
            return
        async with session.underway.alone:
            await self._compact_alone(session, wish)

    async def _compact_alone(self, session: Session, wish: Wish) -> None:
        bench, propose = self.services.bench, partial(self.services.propose, session)
        reviewed = await self.desk.review(
            propose if bench is None else background.ready_first(bench, session, propose), wish
        )
        if reviewed is None:
            return
        text, put_back = reviewed.text, reviewed.put_back
        try:
            self.show_events(await self.services.apply(session, reviewed.proposal, text=text, put_back=put_back))
        except TuiAgentError:
            self.unsent.keep_edited(text)
            raise

    async def save_unsent(self) -> None:
        """Keep what waits in line and what stands in the prompt, for the next time the session is opened."""
        try:
            await self._save_now()
        except TuiAgentError as error:
            self._tell_error(error)

    async def _save_now(self) -> None:
        if self.view.session is not None:
            await self.view.session.save_unsent(self.unsent.joined(self.desk.typed))
            if self.unsent.has_noted:
                await keep_sent(self.services.archive, self.prompt.remembered)

    async def _save_again(self) -> None:
        await self._save_now()
        await self.services.archive.recover()

    def _saved_again(self) -> None:
        self.desk.is_held = False
        self.screen.tell(_("Saving works again."))
        self.desk.go_on()

    def _tell_error(self, error: TuiAgentError) -> None:
        """What could not be saved holds everything up until it can; any other error is a toast."""
        if isinstance(error, NotSaved):
            self.desk.is_held = True
            self._keeping.failed(error)
        else:
            self.screen.tell_error(error)

    async def _patience(self, error: NotSaved) -> bool:
        self.desk.is_held = True
        return await self._keeping.patience(error)

    async def leave(self) -> None:
        """Bring everything into order before the program ends."""
        self.unsent.keep_edited(self.desk.edited_summary())
        await self.desk.leave()
        await self.save_unsent()

    def crashed(self) -> None:
        """The program ends on an error of its own; what is running is stopped by that."""
        self.desk.give_up()

    async def close(self) -> None:
        """Stop the model and close the archive, not before a turn that a crash has cut short is written down."""
        await self.desk.leave()
        await self.services.close()

    @property
    def parting(self) -> tuple[str, str]:
        """What is printed on leaving: the id of the session on the screen ("" when nothing was said in it), and its
        last answer ("" unless the settings want it)."""
        session = self.view.session
        if session is None or not session.stored:
            return "", ""
        return session.id, last_answer(session) if self.services.settings.print_answer else ""

    def stop(self) -> bool:
        """Stop the answer, what waits to be sent, the edit of an earlier message, or what would have sent a picture
        along; whether there was any."""
        return self.desk.stop() or self._take_back() or self.unsent.end_edit() or self.unsent.detach()

    def _take_back(self) -> bool:
        """Put what waits to be sent back into the prompt; whether there was anything."""
        if not self.desk.waiting:
            return False
        self.unsent.put_back(self.desk.take_back())
        self.screen.tell(_("What was waiting to be sent is back in the prompt."))
        return True

    def work(self, group: str, work: Callable[..., Coroutine[Any, Any, Any]], *given: Any, alone: bool = True) -> None:
        """Do this beside everything else; what goes wrong is told. If `alone`, the same group's work before it ends."""
        self.screen.run_worker(partial(work, *given), group=group, exclusive=alone, exit_on_error=False)

    # ── what the chat hears ──────────────────────────────────────────────────

    async def heard(self, message: Message) -> None:
        """A widget message that is about sessions and turns."""
        match message:
            case Happened():
                taken = message.take()
                if not message.is_taken:
                    self.screen.post_message(message)
                changed = [self.view.happened(event) for event in taken]
                self.guide.follow(self.view.session, taken)
                if any(changed):
                    self.work("memory", self._read_memory)
            case Told(error):
                self._tell_error(error)
            case Worker.StateChanged(worker=worker) if worker.group == GROUP and worker.is_finished:
                if self.desk.posting.is_behind:
                    self.screen.post_message(message)  # its end comes behind what it has yielded
                else:
                    self._turn_over(worker)
            case Worker.StateChanged(worker=worker) if isinstance(worker.error, TuiAgentError):
                self._tell_error(worker.error)
            case Prompt.Submitted():
                await self._submitted(message)
            case Prompt.Edited():
                self.view.measure_soon()
            case FindBar.Changed(words):
                self.work("find", self._finder.find, words)
            case FindBar.Stepped(step):
                self.work("find-step", self._finder.step, step)
            case PromptArea.FileSought(typed):
                self.work("files", self._offer_files, typed)
            case Transcript.OlderWanted(before) if (session := self.view.session) is not None:
                self.work("older", self.further_up.read, session, before - 1)

    async def _submitted(self, message: Prompt.Submitted) -> None:
        typed = message.text
        match read_prompt(typed) if message.is_typed else Say(typed):
            case Say(text):
                self.transcript.follow()
                self.desk.say(*self.unsent.take(text, message.mentions))
                self._keep_sent()
            case Shell() if self.unsent.is_edit:
                self.prompt.write(typed)
                self.screen.tell(_("An earlier message is being edited. Esc ends that; !! sends a plain !."))
            case Shell(shell_command):
                self._keep_sent()
                await self.command("shell", shell_command)
            case Run(command, argument):
                await self.command(command.name, argument)
            case UnknownCommand() as unknown:
                self.prompt.write(typed)
                self.screen.tell(unknown.told)

    def _keep_sent(self) -> None:
        self.work("history", keep_sent, self.services.archive, self.prompt.remembered)

    async def _offer_files(self, typed: str) -> None:
        self.screen.query_one(PromptArea).offer_files(typed, await self._files.matching(typed))

    async def _read_memory(self) -> None:
        session = self.view.session
        if session is not None:
            versions = await changes.versions(session)
            if session is self.view.session:
                self.view.show_memory(versions)

    def _turn_over(self, worker: Worker[Any]) -> None:
        ended_by_itself = self.desk.over(worker)
        if self.desk.is_busy:
            return
        self.screen.query_one(ActivityLine).stop()
        self.work("memory", self._read_memory)
        self.view.measure()
        if ended_by_itself:
            self.desk.go_on()
            self._look_ahead()
        else:
            self._take_back()

    def _look_ahead(self) -> None:
        """Make a summary now, while the user reads or types, if one is due soon."""
        bench, session = self.services.bench, self.view.session
        if bench is None or session is None or self.desk.is_busy or not background.is_due(bench, session):
            return
        self.work(AHEAD, self._make_ahead, bench, session)

    async def _make_ahead(self, bench: Workbench, session: Session) -> None:
        # Nobody asked for it, so nobody is told when it fails: the compaction that is due later will say why.
        with contextlib.suppress(ModelError, CompactionError):
            async with aclosing(background.prepare(bench, session)) as events:
                async for _event in events:
                    pass
        self.view.show_status()
        await self._read_memory()
