"""The one mutable domain object: a session's log, its checkpoint and the tail that is held in memory."""

import asyncio
import datetime
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from tui_agent.agent.details import Details
from tui_agent.agent.underway import Underway
from tui_agent.archive import Archive, Lease, NewSession
from tui_agent.context.checkpoint import (
    EMPTY,
    Checkpoint,
    advance,
    checkpoint_from_json,
    checkpoint_of,
    checkpoint_to_json,
)
from tui_agent.context.fold import Context, Scales, Surroundings, context_of, message_of
from tui_agent.context.gauge import Limits, Weight, measure, measure_weight, weigh
from tui_agent.context.pairing import is_rewound
from tui_agent.context.tokens import estimate, estimate_sampled
from tui_agent.core.counting import Counter
from tui_agent.core.entries import AssistantSaid, Entry, Logged
from tui_agent.core.events import Appended, ContextMeasured, ContextMoved, Event, Gauge
from tui_agent.core.messages import characters
from tui_agent.errors import NotSaved
from tui_agent.values import mutable

Patience = Callable[[NotSaved], Awaitable[bool]]
"""Waits until a write may succeed; False when nobody waits any longer."""

Clock = Callable[[], str]
"""The time as `Logged.at` wants it."""

SurroundingsNow = Callable[[], Surroundings]
"""Tells what is not in the log, at this moment: date, directory, window, tool schemas."""

STRIDE = 2_000
"""Characters of an arriving answer after which its count is kept."""


def utc_now() -> str:
    """UTC in ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_session_id() -> str:
    """Ten hexadecimal digits: in no order, and told apart by the first few."""
    return os.urandom(5).hex()


@mutable
class Measures:
    """What the sessions of a front end are measured with; what is in it changes with the endpoint."""

    surroundings: SurroundingsNow
    limits: Limits
    counter: Counter | None = None
    """None: the estimate of `context.tokens`."""


class Session:
    """A session, as much of it as memory holds. `append` is its only write gate: the archive first, then memory."""

    def __init__(
        self,
        archive: Archive,
        session_id: str,
        directory: str,
        measures: Measures,
        *,
        clock: Clock = utc_now,
        checkpoint: Checkpoint = EMPTY,
        tail: Sequence[Logged] = (),
        lease: Lease | None = None,
        stored: bool = False,
    ) -> None:
        self.id = session_id
        self.directory = directory
        self.measures = measures
        self.checkpoint = checkpoint
        self.tail: list[Logged] = list(tail)
        """The entries that the live summary does not cover."""

        self._folded: list[Logged] = []
        """Those right before them that were folded, or read, last: an undo has them at hand."""

        self._scales = Scales()
        self.retrieved: tuple[str, ...] = ()
        """Folded messages brought back for the turn that is being made."""

        self.archive = archive
        """Where the log is kept: for the modules beside this one, which read more than the tail."""

        self.details = Details(archive, session_id)

        self.underway = Underway()
        self.patience: Patience | None = None
        """How to wait until a full disk has room again; None where nobody can."""

        self._clock = clock
        self._lease = lease
        self.stored = stored
        """Whether anything of it is in the archive yet: a session nobody spoke in leaves no trace."""

        self._is_unsent_nameless = False
        """Whether unsent text is kept from before it was stored, under no session's name."""

        self._gate = asyncio.Lock()
        self._counted = (0, 0)
        """Of the answer that is arriving: characters counted for good, and their tokens."""

        self._weight: tuple[tuple[object, ...], Context, Weight] | None = None

    @classmethod
    async def open(
        cls,
        archive: Archive,
        session_id: str,
        measures: Measures,
        *,
        clock: Clock = utc_now,
        to_read: bool = False,
    ) -> "Session":
        """Resume a session from its checkpoint, reading the tail and not the log.

        With `to_read` another window may be writing it meanwhile.

        Raises:
            SessionNotFound: no session, or more than one, has this id.
            SessionBusy: another process is writing it.
        """
        info = await archive.session(session_id)
        lease = None if to_read else await archive.acquire(info.id)
        try:
            checkpoint = await _stored_checkpoint(archive, info.id)
            kept = await archive.load(info.id, after=checkpoint.upto)
        except BaseException:
            if lease is not None:
                lease.release()
            raise
        return cls(
            archive,
            info.id,
            info.directory,
            measures,
            clock=clock,
            checkpoint=checkpoint,
            tail=kept,
            lease=lease,
            stored=True,
        )

    async def close(self) -> None:
        """Let other processes write this session."""
        await self.details.close()
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    # ── writing ──────────────────────────────────────────────────────────────

    async def append(self, *entries: Entry, at_last: bool = False) -> list[Event]:
        """Write entries to the archive in one transaction, then to memory; what happened, as events.

        With `at_last` the archive's reserve is used when the disk is full.

        Cancelling the caller does not tear the write: it is finished or not begun.

        Raises:
            NotSaved: nothing of it is kept, neither on disk nor in memory.
            SessionBusy: another process writes this session.
        """
        return await asyncio.shield(asyncio.ensure_future(self._append(entries, at_last)))

    async def keep(self, *entries: Entry) -> list[Event]:
        """Append what cannot be had again, an answer or a tool's result: from the reserve of a full disk, and if that
        is used up, as often as `patience` has it tried.

        Raises: what `append` raises.
        """
        while True:
            try:
                return await self.append(*entries, at_last=True)
            except NotSaved as error:
                if self.patience is None or not await self.patience(error):
                    raise

    async def written(self) -> None:
        """Wait for a write whose caller was cancelled: afterwards the log holds all of it."""
        async with self._gate:
            return

    async def _append(self, entries: Sequence[Entry], at_last: bool) -> list[Event]:
        async with self._gate:
            logged = [await self._log(entry, self.checkpoint.seq + 1 + place) for place, entry in enumerate(entries)]
            before, after = self.checkpoint, self.checkpoint
            for each in logged:
                after = advance(after, each)
            held = [*await self._entries_after(after.upto), *logged]
            await self._store(logged, after, at_last)
            self.checkpoint = after
            was, upto = before.upto, after.upto
            if upto != was:
                self._folded = [each for each in held if was < each.seq <= upto]
                self._scales.forget(min(was, upto))
            self.tail = [each for each in held if each.seq > upto]
            self.details.said(logged, self.tail)
            events: list[Event] = [Appended(each) for each in logged]
            if self._moved(before) != self._moved(after):
                events.append(self.moved())
            events.append(ContextMeasured(self.gauge()))
            return events

    async def _entries_after(self, upto: int) -> list[Logged]:
        """The entries behind `upto`, others perhaps before them; the archive is asked for those not at hand alone."""
        held = [*self._folded, *self.tail]
        first = held[0].seq if held else self.checkpoint.seq + 1
        if upto + 1 >= first:
            return held
        missing = await self.archive.load(self.id, after=upto, upto=first - 1)
        await asyncio.to_thread(self._scales.weigh_all, missing)
        self._folded = [*missing, *self._folded]
        return [*missing, *held]

    async def _store(self, logged: Sequence[Logged], checkpoint: Checkpoint, at_last: bool) -> None:
        """The session comes into being with its first entries, so that no crash leaves one without any."""
        kept = checkpoint_to_json(checkpoint)
        if self.stored or not logged:
            await self.archive.append(self.id, logged, kept, at_last=at_last)
            return
        new = NewSession(self.id, self.directory, logged[0].at, "", tuple(logged), kept)
        await self.archive.add_sessions([new])
        self.stored = True
        self._lease = await self.archive.acquire(self.id)

    async def _log(self, entry: Entry, seq: int) -> Logged:
        message = message_of(entry)
        if message is None:
            return Logged(seq, self._clock(), entry)
        counter = self.measures.counter
        text = message.text + "".join(call.name + call.arguments for call in message.tool_calls)
        tokens = await counter.count(text) if counter else estimate(text)
        return Logged(seq, self._clock(), entry, tokens, counter.id if counter else "estimate", characters(message))

    # ── measuring ────────────────────────────────────────────────────────────

    def context(self) -> Context:
        """The messages the next request will carry."""
        return self._weighed()[0]

    def gauge(self, unsent: str = "", streamed: str = "") -> Gauge:
        """The context against window and trigger, with text that is not in the log yet. Cheap at any length."""
        _, weight = self._weighed()
        return measure_weight(weight, estimate_sampled(unsent), len(unsent), self._arriving(streamed), len(streamed))

    def _arriving(self, streamed: str) -> int:
        """Estimated tokens of an answer that grows: what was counted is not counted again at every piece."""
        length, tokens = self._counted if len(streamed) >= self._counted[0] else (0, 0)
        if len(streamed) - length > STRIDE:
            tokens += estimate(streamed[length:])
            length = len(streamed)
        self._counted = (length, tokens)
        return tokens + estimate(streamed[length:])

    def _weighed(self) -> tuple[Context, Weight]:
        surroundings = replace(self.measures.surroundings(), retrieved=self.retrieved)
        key = (self.checkpoint.seq, surroundings, self.measures.limits)
        if self._weight is None or self._weight[0] != key:
            context = context_of(self.checkpoint, self.tail, surroundings, self._scales)
            self._weight = (key, context, weigh(context, self.checkpoint, self.measures.limits))
        return self._weight[1], self._weight[2]

    async def foresee(self, change: Entry) -> Gauge:
        """The gauge as it would be after appending `change`. Nothing is written."""
        async with self._gate:
            logged = Logged(self.checkpoint.seq + 1, self._clock(), change)
            checkpoint = advance(self.checkpoint, logged)
            entries = [*await self._entries_after(checkpoint.upto), logged]
        surroundings = self.measures.surroundings()
        context = context_of(checkpoint, entries, surroundings, self._scales)
        return measure(context, checkpoint, self.measures.limits)

    def moved(self) -> ContextMoved:
        """Which messages the context leaves out at this moment."""
        return self._moved(self.checkpoint)

    @staticmethod
    def _moved(checkpoint: Checkpoint) -> ContextMoved:
        return ContextMoved(checkpoint.upto, checkpoint.version, checkpoint.folded, checkpoint.rewound)

    # ── reading ──────────────────────────────────────────────────────────────

    @property
    def title(self) -> str:
        return self.checkpoint.title

    def live_summary(self) -> Logged | None:
        """The compaction whose summary stands in the context; None when there is none."""
        head = self.checkpoint.head
        return next((each for each in self.tail if each.seq == head), None) if head is not None else None

    def since(self, seq: int) -> list[Event]:
        """What was appended after `seq`, for a reader whose turn was cancelled before it could be told."""
        return [Appended(each) for each in self.tail if each.seq > seq]

    async def page(self, *, before: int | None = None, after: int | None = None, limit: int = 200) -> list[Logged]:
        """Entries in ascending order: the newest `limit`, or those next to a sequence number."""
        return await self.archive.page(self.id, before=before, after=after, limit=limit) if self.stored else []

    async def unsent(self) -> str:
        """The text that stood in the prompt when the session was last left."""
        self._is_unsent_nameless = not self.stored
        return await self.archive.unsent(self.id if self.stored else "")

    async def save_unsent(self, text: str) -> None:
        """Keep the text that stands in the prompt; what was kept before there was a session is kept no longer."""
        if not self.stored:
            self._is_unsent_nameless = True
            await self.archive.save_unsent("", text)
            return
        await self.archive.save_unsent(self.id, text)
        if self._is_unsent_nameless:
            await self.archive.save_unsent("", "")
            self._is_unsent_nameless = False


def last_answer(session: Session) -> str:
    """The newest answer in words that stands; "" for none."""
    for logged in reversed(session.tail):
        match logged.entry:
            case AssistantSaid(text) if text.strip() and not is_rewound(logged.seq, session.checkpoint.rewound):
                return text
    return ""


async def _stored_checkpoint(archive: Archive, session_id: str) -> Checkpoint:
    """The checkpoint kept with the last append; made again from the log when another version wrote it."""
    stored = await archive.checkpoint(session_id)
    if stored is not None:
        try:
            return checkpoint_from_json(stored)
        except ValueError:
            pass
    return await asyncio.to_thread(checkpoint_of, await archive.load(session_id))
