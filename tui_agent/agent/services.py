"""What a front end works with: the archive, the connected model, sessions and turns. Nothing slow until asked."""

import asyncio
import datetime
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from tui_agent.agent import connection as connections
from tui_agent.agent import turns
from tui_agent.agent.approval import Approver, Grant, Rulebook
from tui_agent.agent.connection import Connection, limits_for, tell_of_revival
from tui_agent.agent.grants import revoke_grant, saved_grants
from tui_agent.agent.learnt_windows import recall_window
from tui_agent.agent.pending import repair
from tui_agent.agent.proposals import Line, Proposal, Proposed, Reviewer, Wish
from tui_agent.agent.proposing import apply, propose
from tui_agent.agent.session import Measures, Session, new_session_id
from tui_agent.agent.spending import remember_prices
from tui_agent.agent.tools.base import Tool, ToolSource
from tui_agent.agent.turns import Answering
from tui_agent.agent.wording import Wording, wording
from tui_agent.agent.workbench import Workbench
from tui_agent.archive import Archive, Hit, SessionInfo
from tui_agent.context.fold import Surroundings
from tui_agent.core.codec import entry_from_json
from tui_agent.core.entries import Detail, Interrupted
from tui_agent.core.events import Event
from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ConfigInvalid, ModelError, UsageError
from tui_agent.language import N_, _
from tui_agent.paths import archive_file, config_file
from tui_agent.settings import Origin, Settings, spoken

KEPT_KEYS = "kept keys"
"""Under this the archive remembers for which places the keyring keeps a key."""


class Services:
    """Built by the command line without I/O; `start` opens the archive, `connect` finds a model."""

    def __init__(
        self,
        settings: Settings,
        *,
        directory: Path | None = None,
        open_archive: Callable[[Path], Awaitable[Archive]] = Archive.open,
        origin: Origin | None = None,
    ) -> None:
        self.settings = settings
        self.origin = origin or Origin(config_file())
        """Where the settings came from, and the file a change of them is written to."""

        self.directory = directory or _current_directory()
        self.words: Wording = wording(spoken(settings.language, os.environ))
        self.bench: Workbench | None = None
        self.current: Session | None = None
        """The session that a turn is being made in."""

        self.instructions = ""
        """The workspace's instructions file as the user accepted it: `agent.instructions` sets it."""

        self.toolbox: ToolSource | None = None
        """The tools of the directory; None while no model that takes tools was connected."""

        self.expected_tools: tuple[ToolSpec, ...] = ()
        """What a model would be offered, while none is connected."""

        self.connecting: asyncio.Event | None = None
        """Set when what is being connected is there, or does not come; None while nothing is."""

        self._preparing: asyncio.Task[None] | None = None
        """Loads what the first request needs, beside everything else that a start does."""

        self._rehearsals: dict[str, Workbench] = {}
        """What stands in for the model where a session's summary was written before, by session id."""

        self._open_archive = open_archive
        self._archive: Archive | None = None
        self._measures = Measures(self._surroundings, limits_for(settings, settings.context_window, "setting"))

    async def start(self) -> None:
        """Open the archive.

        Raises:
            ArchiveError: it cannot be used; the text says why and what to do.
        """
        self._preparing = asyncio.create_task(connections.prepare(self.settings))
        self._archive = await self._open_archive(archive_file(override=self.settings.data_dir))

    @property
    def archive(self) -> Archive:
        if self._archive is None:
            raise RuntimeError("start() comes first")
        return self._archive

    async def connect(self, report: Callable[[str], None], *, stay: bool = False) -> Connection:
        """Find and connect the model; what is being done is told to `report` in words.

        With `stay` an endpoint that was found and not configured is kept: another model of the same place is wanted.

        Raises:
            ModelError: nothing is configured, or it cannot be reached.
        """
        settled = self.connecting = asyncio.Event()
        try:
            return await self._connect(report, stay)
        finally:
            self.connecting = None
            settled.set()

    async def _connect(self, report: Callable[[str], None], stay: bool) -> Connection:
        kept = await self.archive.recall(KEPT_KEYS)
        here = self.bench.connection if stay and self.bench is not None else None
        at = here.endpoint if here is not None and here.embedded is None else None
        known = kept if isinstance(kept, list) else ()
        return await self.use(await connections.connect(self.settings, report, known, at))

    async def use(self, connection: Connection) -> Connection:
        """Work with another connection from here on; the old one is closed. Where that fails, the new one is."""
        try:
            await turns.load()
            bench = await self._bench_for(connection)
        except BaseException:
            await connection.close()
            raise
        before, self.bench = self.bench, bench
        if before is not None:
            await before.connection.close()
        self._measures.limits = connection.limits(self.settings)
        self._measures.counter = connection.counter
        if connection.window.listed is not None:
            await remember_prices(self.archive, [connection.window.listed])
        return connection

    async def _bench_for(self, connection: Connection) -> Workbench:
        """What to work with a connection with: rules and mode go on as they are."""
        await recall_window(self.archive, connection)
        rulebook = (
            self.bench.rulebook
            if self.bench
            else Rulebook(self.settings.approval, self.settings.deny, await saved_grants(self.archive))
        )
        return Workbench(
            self.settings,
            connection,
            tools=await self._tools_for(connection),
            calling=connection.calling if self.settings.tools else "native",
            rulebook=rulebook,
            wording=self.words,
            mode=self.bench.mode if self.bench else self.settings.compaction_mode,
        )

    def change_settings(self, **changes: object) -> None:
        """Other settings from here on, in this run alone; limits and mode follow at once."""
        self.settings = replace(self.settings, **cast(dict[str, Any], changes))
        if self.bench is None:
            self._measures.limits = limits_for(self.settings, self.settings.context_window, "setting")
            return
        self.bench.settings = self.settings
        self.bench.mode = self.settings.compaction_mode
        self._measures.limits = self.bench.connection.limits(self.settings)

    async def close(self) -> None:
        """Stop the model and close the archive."""
        if self.toolbox is not None:
            await self.toolbox.close()
        if self.bench is not None:
            await self.bench.connection.close()
        if self._archive is not None:
            await self._archive.close()

    # ── sessions ─────────────────────────────────────────────────────────────

    def new_session(self) -> Session:
        """A session that leaves no trace until something is said in it."""
        return Session(self.archive, new_session_id(), str(self.directory), self._measures)

    def rehearsed_session(self, window: int, summary: Sequence[Line]) -> Session:
        """A new session with a window of its own (tokens), whose summaries by hand are made of lines written before."""
        limits = limits_for(replace(self.settings, max_history_chars=None, max_messages=None), window, N_("the tour"))
        # The tools would fill a small window by themselves, and nobody acts on a tour.
        measures = Measures(lambda: replace(self._surroundings(), tools=(), instructions=""), limits)
        session = Session(self.archive, new_session_id(), str(self.directory), measures)
        from tui_agent.agent.rehearsal import rehearsal  # brings what models are asked with

        self._rehearsals[session.id] = rehearsal(self.settings, summary)
        return session

    async def open_session(self, session_id: str, *, to_read: bool = False) -> Session:
        """Resume a session; what a crash left half done in it is repaired.

        With `to_read` it is only looked at: nothing is repaired, and another window may be writing it.

        Raises:
            SessionNotFound: no session, or more than one, has this id.
            SessionBusy: another process is writing it.
        """
        session = await Session.open(self.archive, session_id, self._measures, to_read=to_read)
        if not to_read:
            await self._keep_partial(session)
            await repair(session)
        return session

    async def sessions(self) -> list[SessionInfo]:
        """The sessions that are not put away, the one changed last first."""
        return await self.archive.sessions()

    async def search(self, query: str, session_id: str | None = None, limit: int = 20) -> list[Hit]:
        """Entries that hold the words of `query`, newest first; folded ones too."""
        return await self.archive.search(query, session_id=session_id, limit=limit)

    async def _keep_partial(self, session: Session) -> None:
        partial = await self.archive.partial(session.id)
        if partial:
            await session.append(
                entry_from_json(partial), Interrupted(N_("the program ended before the answer was complete"))
            )

    # ── turns and compactions ────────────────────────────────────────────────

    def turn(self, session: Session, approve: Approver, review: Reviewer | None = None) -> Answering:
        """A turn of a session.

        Raises:
            ModelError: no model is connected.
        """
        if self.current is not None and self.current.id != session.id and self.bench is not None:
            self.bench.rulebook.end_session()
        self.current = session
        bench = self._connected()
        from tui_agent.agent.turn import Turn  # was loaded when the model was connected

        return Turn(bench, session, approve, review)

    async def propose(self, session: Session, wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
        """Stream a proposed summary, as soon as there is a model; nothing is changed.

        See `Compactor.propose` for what it raises.
        """
        if self.bench is None and self.connecting is not None and session.id not in self._rehearsals:
            await self.connecting.wait()
        bench = self._rehearsals.get(session.id) or self._connected()
        async with aclosing(propose(bench, session, wish)) as events:
            async for event in events:
                yield event

    async def apply(
        self, session: Session, proposal: Proposal, *, text: str | None = None, put_back: Sequence[Detail] = ()
    ) -> list[Event]:
        """Put a proposed summary to use, edited or not. See `compaction.apply` for what it raises."""
        events = await apply(session, proposal, self.words, text=text, put_back=put_back)
        return events if self.bench is None else events + await tell_of_revival(self.bench.connection, session)

    def _connected(self) -> Workbench:
        if self.bench is None:
            raise ModelError(
                _("No model is connected yet."), _("Nothing was sent."), _("Wait for it, or choose one with /model.")
            )
        return self.bench

    # ── what sessions and tools are given ────────────────────────────────────

    def _surroundings(self) -> Surroundings:
        specs = self.bench.tool_specs() if self.bench else self.expected_tools
        made = Surroundings(
            date=datetime.date.today().isoformat(),
            directory=str(self.directory),  # where the tools act, wherever the session was begun
            window=self._measures.limits.window,
            tools=specs,
            instructions=self.instructions,
        )
        prompt = self.settings.system_prompt
        return replace(made, system_prompt=prompt) if prompt else made

    async def _tools_for(self, connection: Connection) -> dict[str, Tool]:
        """The tools for a model; a list of MCP servers that cannot be understood is told and costs nothing else."""
        if connection.calling == "none" or not self.settings.tools:
            return {}
        if self.toolbox is None:
            await asyncio.to_thread(import_module, "tui_agent.agent.toolbox")
            from tui_agent.agent.toolbox import Toolbox  # slow to load; a run without a model wants none

            self.toolbox = toolbox = Toolbox(
                self.settings, self.directory, lambda: self.current, lambda: secret_of(self), self._take_tools
            )
            try:
                toolbox.start()
            except ConfigInvalid as error:
                self.archive.notices.append(str(error))
        return self.toolbox.tools()

    def _take_tools(self) -> None:
        if self.bench is not None and self.toolbox is not None and self.bench.tools:
            self.bench.tools = self.toolbox.tools()

    async def revoke(self, grant: Grant) -> None:
        """Take an approval back, here and for the next start.

        Raises:
            NotSaved: it is taken back here all the same.
        """
        if self.bench is not None:
            await revoke_grant(self.archive, self.bench.rulebook, grant)


def secret_of(services: Services) -> str:
    """The endpoint's key, which nothing that is kept may hold; "" for none."""
    bench = services.bench
    return bench.connection.endpoint.api_key if bench is not None else services.settings.api_key


def _current_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError(
            _("The directory this was started in no longer exists."),
            todo=_("Change to one that does (cd), and start it there."),
        ) from error
