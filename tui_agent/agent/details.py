"""The exact details of a session's entries: found once, soon after each was said, and kept in the archive beside it."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from tui_agent.archive import Archive
from tui_agent.context.gathering import Gathering
from tui_agent.core.entries import Detail, Found, Logged, MessageEntry
from tui_agent.errors import ArchiveError

WORTH_A_SEARCH = 32
"""Messages that wait, long ones counted as several, from which on they are searched."""

LIKELY_KEPT = 64
"""The newest messages that were searched: a compaction folds what is before them, and of themselves some at most."""

_COUNTED_AS_ONE = 4_000
"""Characters."""

_AT_ONCE = 32
"""Messages that are searched before what was found is kept."""


class Details:
    """What was found in the entries of one session. Finding takes long, so threads do it."""

    def __init__(self, archive: Archive, session_id: str) -> None:
        self._archive = archive
        self._session_id = session_id
        self._waiting = 0
        self._searched = 0
        """The last entry that was searched, or is being."""

        self._settled = _Settled()
        self.search: asyncio.Task[None] | None = None
        """The search that is under way, or the last there was."""

    async def of(self, entries: Sequence[Logged]) -> tuple[Detail, ...]:
        """The exact details of these entries, as `details_of` finds them, from what was found in them before."""
        while self.search is not None and not self.search.done():
            await asyncio.wait([self.search])
        messages = _messages(entries)
        # A copy: while the rest is looked for, a search may begin and settle more of these messages.
        settled = self._settled.copy() if self._settled.begins(messages) else _Settled()
        rest = messages[settled.count :]
        return await asyncio.to_thread(settled.and_then, rest, await self._found(rest))

    def said(self, entries: Sequence[Logged], tail: Sequence[Logged]) -> None:
        """Note what was added to the session's tail. When there is enough of it, it is searched while time goes on."""
        self._waiting += sum(1 + each.characters // _COUNTED_AS_ONE for each in _messages(entries))
        if self._waiting < WORTH_A_SEARCH or (self.search is not None and not self.search.done()):
            return
        if not self._settled.begins(_messages(tail)):
            # A compaction or an undo has come between: the tail begins elsewhere.
            self._settled, self._searched = _Settled(), 0
        new = [each for each in tail if each.seq > self._searched]
        self._waiting = 0
        self._searched = tail[-1].seq if tail else 0
        self.search = asyncio.get_running_loop().create_task(self._settle(new))

    async def close(self) -> None:
        """Let go of a search that is under way; what it has not found is found when it is needed."""
        if self.search is not None:
            self.search.cancel()
            await asyncio.wait([self.search])

    async def _settle(self, new: Sequence[Logged]) -> None:
        messages = _messages(new)
        await asyncio.to_thread(self._settled.add, messages, await self._found(messages))

    async def _found(self, messages: Sequence[Logged]) -> dict[int, Found]:
        """What is in these messages, by their sequence numbers: what is kept, and the rest found now and kept."""
        if not messages:
            return {}
        # It takes a tenth of a second, and many runs need none of it.
        await asyncio.to_thread(import_module, "tui_agent.context.ledger_found")
        from tui_agent.context.ledger_found import FINDER

        kept: dict[int, Any] = {}
        with suppress(ArchiveError):  # then all of it is found again
            kept = await self._archive.found(self._session_id, FINDER, after=messages[0].seq - 1, upto=messages[-1].seq)
        known = await asyncio.to_thread(_read, messages, kept)
        missing = [each for each in messages if each.seq not in known]
        for start in range(0, len(missing), _AT_ONCE):
            found, kept = await asyncio.to_thread(_find, missing[start : start + _AT_ONCE])
            known |= found
            self._archive.keep_found(self._session_id, FINDER, kept)
        return known


class _Settled:
    """The details of the messages a tail begins with, gathered: those that the next compaction will fold."""

    def __init__(self) -> None:
        self._gathering = Gathering()
        self._seqs: list[int] = []
        self._newest: deque[tuple[Logged, Found]] = deque()

    @property
    def count(self) -> int:
        """How many messages."""
        return len(self._seqs)

    def copy(self) -> "_Settled":
        """What is gathered, without the newest, to go on with apart."""
        copied = _Settled()
        copied._gathering, copied._seqs = self._gathering.copy(), list(self._seqs)
        return copied

    def begins(self, messages: Sequence[Logged]) -> bool:
        """Whether these messages begin with those."""
        return [each.seq for each in messages[: len(self._seqs)]] == self._seqs

    def add(self, messages: Sequence[Logged], known: Mapping[int, Found]) -> None:
        """Add messages with what was found in them; the newest wait until others have come."""
        self._newest += [(each, known[each.seq]) for each in messages]
        while len(self._newest) > LIKELY_KEPT:
            logged, found = self._newest.popleft()
            self._gathering.note(found, logged.seq)
            self._seqs.append(logged.seq)

    def and_then(self, messages: Sequence[Logged], known: Mapping[int, Found]) -> tuple[Detail, ...]:
        """The details of those messages and these; nothing can be added afterwards."""
        for each in messages:
            self._gathering.note(known[each.seq], each.seq)
        return self._gathering.details()


def _messages(entries: Sequence[Logged]) -> list[Logged]:
    return [each for each in entries if isinstance(each.entry, MessageEntry)]


def _read(messages: Sequence[Logged], kept: dict[int, Any]) -> dict[int, Found]:
    """What is kept of these messages; what cannot be read of it is not among it."""
    from tui_agent.context.ledger_found import found_from_json

    known: dict[int, Found] = {}
    for each in messages:
        if each.seq in kept:
            with suppress(ValueError):
                known[each.seq] = found_from_json(kept[each.seq], each.entry)
    return known


def _find(messages: Sequence[Logged]) -> tuple[dict[int, Found], dict[int, Any]]:
    """What is in these messages, and the same as it is kept."""
    from tui_agent.context.ledger_found import found_in, found_to_json

    found = {each.seq: found_in(each.entry) for each in messages}
    return found, {each.seq: found_to_json(found[each.seq], each.entry) for each in messages}
