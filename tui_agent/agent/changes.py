"""Changes a person makes to a session's memory. Each only appends; each says what happened as events."""

import asyncio
import re
from dataclasses import replace

from tui_agent.agent.pending import LEFT_TO_THE_ORIGINAL, closing
from tui_agent.agent.session import Session, new_session_id, utc_now
from tui_agent.context.checkpoint import advance, checkpoint_of, checkpoint_to_json
from tui_agent.context.prune import stubs_of
from tui_agent.core.entries import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Detail,
    DetailKept,
    ForkedFrom,
    Item,
    Logged,
    Pinned,
    SummaryRestored,
    TitleSet,
    Unpinned,
    Unpruned,
)
from tui_agent.core.events import Event
from tui_agent.errors import CompactionError, DoesNotFit, UsageError
from tui_agent.language import _

_LATEST = 3
"""How many of the messages that state a detail are looked into for the words around it."""


async def undo(session: Session) -> list[Event]:
    """Take back the newest compaction (or restore) that stands; what was said since stays on top.

    Raises:
        CompactionError: there is none.
        DoesNotFit: what comes back is longer than the window; nothing has changed.
    """
    live = session.checkpoint.undoable
    if live is None:
        raise CompactionError(
            _("There is no compaction to undo."), _("The context holds every message as it was said.")
        )
    return await _move_head(session, CompactionUndone(live))


async def redo(session: Session) -> list[Event]:
    """Apply again what was undone last.

    Raises:
        CompactionError: nothing was undone since the last compaction.
    """
    undone = session.checkpoint.redoable
    if undone is None:
        raise CompactionError(_("There is nothing to redo."), _("Redo holds until the next compaction."))
    return await _move_head(session, CompactionRedone(undone))


async def restore(session: Session, compaction: int) -> list[Event]:
    """Make an earlier version's summary the live one; messages it did not cover come back.

    Raises:
        CompactionError: there is no such compaction, it is the live one already, or it speaks of what was rewound.
        DoesNotFit: what comes back is longer than the window; nothing has changed.
    """
    if compaction == session.checkpoint.head:
        raise CompactionError(_("This summary is the live one already."))
    if all(each.seq != compaction for each in await versions(session)):
        raise CompactionError(
            _("This session has no compaction {compaction}.").format(compaction=compaction),
            todo=_("/summary lists the versions."),
        )
    change = SummaryRestored(compaction)
    if not _moves(session, change):
        raise CompactionError(
            _("This summary speaks of messages that an edit or a retry has taken out of the context."),
            _("Nothing was changed."),
            _("What it says can be read and copied there, and /pin carries what still holds."),
        )
    return await _move_head(session, change)


def _moves(session: Session, change: SummaryRestored) -> bool:
    """Whether the live summary would be another after the change."""
    checkpoint = session.checkpoint
    return advance(checkpoint, Logged(checkpoint.seq + 1, "", change)).moves != checkpoint.moves


async def _move_head(session: Session, change: CompactionUndone | CompactionRedone | SummaryRestored) -> list[Event]:
    gauge = await session.foresee(change)
    if gauge.window is not None and gauge.tokens > gauge.window:
        raise DoesNotFit(
            _does_not_fit(change).format(tokens=gauge.tokens, window=gauge.window),
            _("Nothing was changed."),
            _(
                "All of it is in the record, and parts of it can come back: /search finds them, /pin or p pins what "
                "matters, F5 lists exact details. A model with a larger window (/model) can hold it whole."
            ),
        )
    return await session.append(change)


def _does_not_fit(change: CompactionUndone | CompactionRedone | SummaryRestored) -> str:
    match change:
        case CompactionUndone():
            return _("This cannot be undone: the context would be about {tokens:,} tokens, the window is {window:,}.")
        case CompactionRedone():
            return _("This cannot be redone: the context would be about {tokens:,} tokens, the window is {window:,}.")
        case SummaryRestored():
            return _(
                "This version cannot be restored: the context would be about {tokens:,} tokens, "
                "the window is {window:,}."
            )


async def pin(session: Session, text: str, source: int | None = None) -> list[Event]:
    """Carry `text` verbatim in every context from here on."""
    if not text.strip():
        raise CompactionError(_("There is nothing to pin."), todo=_("Write /pin followed by the words to keep."))
    return await session.append(Pinned(text, source))


async def edit_pin(session: Session, seq: int, text: str) -> list[Event]:
    """Carry other words in the place of the pin that was made at `seq`."""
    pin = next((each for each in session.checkpoint.pins if each.seq == seq), None)
    if pin is None:
        raise CompactionError(_("There is no pin {seq}.").format(seq=seq), todo=_("/pins lists them."))
    if not text.strip():
        raise CompactionError(_("There is nothing to pin."), todo=_("u in the panel unpins."))
    return await session.append(Unpinned(seq), Pinned(text, pin.source)) if text != pin.text else []


async def unpin(session: Session, seq: int) -> list[Event]:
    """Stop carrying the pin that was made at `seq`."""
    if all(each.seq != seq for each in session.checkpoint.pins):
        raise CompactionError(_("There is no pin {seq}.").format(seq=seq), todo=_("/pins lists them."))
    return await session.append(Unpinned(seq))


async def keep_detail(session: Session, detail: Detail) -> list[Event]:
    """Put a lost detail back behind the live summary, with the words it was said in.

    Raises:
        CompactionError: there is no summary.
    """
    head = session.checkpoint.head
    if head is None:
        raise CompactionError(_("There is no summary to keep this behind."), todo=_("Pin it instead."))
    from tui_agent.context.ledger_around import with_words  # it knows much about words; few sessions need it

    said = [await session.archive.entry(session.id, seq) for seq in sorted(detail.sources)[-_LATEST:]]
    return await session.append(
        *(DetailKept(head, replace(each, origin="user")) for each in with_words([detail], said))
    )


async def unprune(session: Session) -> list[Event]:
    """Bring back the tool output that was left out of the context to save space.

    Raises:
        CompactionError: none is left out.
    """
    left_out = stubs_of(session.tail)
    if not left_out:
        raise CompactionError(_("No tool output is left out of the context."))
    return await session.append(Unpruned(tuple(sorted(left_out))))


async def rename(session: Session, title: str) -> list[Event]:
    """Give the session a title of the user's own: in one line, and in it every other character that was given.

    Raises:
        UsageError: there is no word in it.
    """
    if not title.strip():
        raise UsageError(_("A title needs at least one word."), _("The session keeps its title."))
    one_line = " ".join(word for word in re.split(r"[ \t\r\n]+", title) if word)
    return await session.append(TitleSet(one_line[:200], by_user=True))


async def versions(session: Session) -> list[Logged]:
    """All compactions of the session, oldest first, the undone ones too."""
    return await session.archive.compactions(session.id) if session.stored else []


async def fork(session: Session, upto: int) -> Session:
    """A new session that begins with a copy of this one's entries up to `upto`.

    Calls that are open there are closed in the copy: the original may make them, and nothing is to be done twice.
    """
    archive = session.archive
    prefix = await archive.load(session.id, upto=upto)
    at = utc_now()
    mark = Logged(upto + 1, at, ForkedFrom(session.id, upto))
    checkpoint = checkpoint_to_json(await asyncio.to_thread(checkpoint_of, [*prefix, mark]))
    new_id = new_session_id()
    await archive.copy_prefix(session.id, upto, new_id, at, checkpoint=checkpoint, then=(mark,))
    made = await Session.open(archive, new_id, session.measures)
    try:
        if results := closing(made, LEFT_TO_THE_ORIGINAL):
            await made.append(*results)
    except BaseException:
        await made.close()
        raise
    return made


def live_items(session: Session) -> tuple[Item, ...]:
    """The items of the live summary."""
    live = session.live_summary()
    return live.entry.items if live is not None and isinstance(live.entry, Compacted) else ()


def left_out_details(session: Session) -> tuple[Detail, ...]:
    """What the live summary left out, as far as it was recorded."""
    live = session.live_summary()
    return live.entry.left_out if live is not None and isinstance(live.entry, Compacted) else ()


def kept_details(session: Session) -> tuple[Detail, ...]:
    """Details that stand behind the live summary, put there at the preview or later."""
    live = session.live_summary()
    if live is None or not isinstance(live.entry, Compacted):
        return ()
    later = (each.entry for each in session.tail)
    return live.entry.details + tuple(
        entry.detail for entry in later if isinstance(entry, DetailKept) and entry.compaction == live.seq
    )
