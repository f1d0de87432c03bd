"""Compaction nobody asked for: when a trigger is exceeded, and when a request would not fit."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from tui_agent.agent import proposing
from tui_agent.agent.background import ready_first, take
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.proposals import Proposed, Proposing, Reviewed, Reviewer, Wish
from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import exceeded
from tui_agent.context.policy import STALLS_BEFORE_PAUSE, pause
from tui_agent.context.prune import superseded
from tui_agent.core.entries import Compacted, Noticed, UserSaid
from tui_agent.core.events import CompactionEnded, Event
from tui_agent.errors import (
    ApprovalPending,
    CompactionError,
    ContextChanged,
    ModelError,
    NothingToFold,
    SummaryRejected,
)
from tui_agent.language import _


class UntilDeclined:
    """The reviewer for one turn: once a preview was cancelled, only a request that could not be sent asks again."""

    def __init__(self, review: Reviewer) -> None:
        self._review = review
        self.is_declined = False

    async def __call__(self, propose: Proposing, wish: Wish) -> Reviewed | None:
        if self.is_declined and not wish.must_fit:
            return None
        reviewed = await self._review(propose, wish)
        self.is_declined = reviewed is None
        return reviewed


async def compact_if_due(bench: Workbench, session: Session, review: Reviewer | None) -> AsyncGenerator[Event, None]:
    """If a trigger is exceeded and the mode says so, compact: cheap stubs first, then a summary.

    A preview that is open is waited for: nothing is applied behind it, and it may be all that is needed.
    """
    if obeyed_mode(bench, review) in ("remind", "off") or exceeded(session.gauge(), session.measures.limits) is None:
        return
    async with session.underway.alone, aclosing(_compact_if_due(bench, session, review)) as events:
        async for event in events:
            yield event


async def _compact_if_due(bench: Workbench, session: Session, review: Reviewer | None) -> AsyncGenerator[Event, None]:
    trigger = exceeded(session.gauge(), session.measures.limits)
    if trigger is None or pending_approval(session) is not None:
        return
    pruned = superseded(session.tail, session.measures.limits.keep_recent)
    if pruned is not None:
        before = session.gauge().tokens
        for event in await session.append(pruned):
            yield event
        freed = max(before - session.gauge().tokens, 0)
        line = bench.wording.stubbed.format(count=len(pruned.seqs), tokens=f"{freed:,}")
        for event in await session.append(Noticed(line, "compaction")):
            yield event
        trigger = exceeded(session.gauge(), session.measures.limits)
        if trigger is None:
            return
    reason = pause(session.checkpoint, session.gauge(), session.measures.limits)
    if reason:
        if session.checkpoint.stalls.count >= STALLS_BEFORE_PAUSE and not _is_told(session):
            line = bench.wording.paused.format(reason=reason)
            for event in await session.append(Noticed(line, "compaction paused")):
                yield event
        return
    async with aclosing(_compact(bench, session, Wish(trigger=trigger), review)) as events:
        async for event in events:
            yield event


async def compact(
    bench: Workbench, session: Session, wish: Wish, review: Reviewer | None
) -> AsyncGenerator[Event, None]:
    """Propose and apply, with the user's eyes on it in mode `ask`. A failure is a line on the screen, nothing else.

    Nothing happens where another compaction came first, for which this one has waited.
    """
    head = session.checkpoint.head
    async with session.underway.alone:
        if session.checkpoint.head != head:
            return
        async with aclosing(_compact(bench, session, wish, review)) as events:
            async for event in events:
                yield event


async def _compact(
    bench: Workbench, session: Session, wish: Wish, review: Reviewer | None
) -> AsyncGenerator[Event, None]:
    def propose(changed: Wish) -> AsyncGenerator[Event | Proposed, None]:
        return proposing.propose(bench, session, changed)

    reviewed: Reviewed | None = None
    try:
        if review is not None and _is_asked(bench, review):
            reviewed = await _ask(session, review, ready_first(bench, session, propose), wish)
        elif (ready := take(bench, session, wish)) is not None:
            reviewed = Reviewed(ready)
        else:
            async with session.underway.writing(propose, wish) as writing:
                async with aclosing(writing.events(unseen=review is not None)) as events:
                    async for event in events:
                        if isinstance(event, Proposed):
                            reviewed = Reviewed(event.proposal)
                        else:
                            yield event
                if review is not None and writing.wanted is not None:
                    reviewed = await _ask(session, review, *writing.shown(propose))
        if reviewed is None:
            yield CompactionEnded(False, "cancelled")
            return
        for event in await proposing.apply(
            session, reviewed.proposal, bench.wording, text=reviewed.text, put_back=reviewed.put_back
        ):
            yield event
        yield CompactionEnded(True)
    except (NothingToFold, ApprovalPending, ContextChanged) as error:
        yield CompactionEnded(False, str(error))
    except SummaryRejected as error:
        async for event in _failed(session, bench.wording.no_summary, error, reviewed):
            yield event
    except (ModelError, CompactionError) as error:
        async for event in _failed(session, bench.wording.failed, error, reviewed):
            yield event


async def _failed(
    session: Session, line: str, error: ModelError | CompactionError, reviewed: Reviewed | None
) -> AsyncGenerator[Event, None]:
    """Tell it, with what the user wrote into the summary: it would be gone."""
    told = [Noticed(line, "compaction failed"), Noticed(str(error))]
    if reviewed is not None and reviewed.text is not None:
        told.append(Noticed(_("The edited summary, not used:") + "\n" + reviewed.text))
    for event in await session.append(*told):
        yield event
    yield CompactionEnded(False, str(error))


async def _ask(session: Session, review: Reviewer, propose: Proposing, wish: Wish) -> Reviewed | None:
    session.underway.is_asked = True
    try:
        return await review(propose, wish)
    finally:
        session.underway.is_asked = False


def _is_asked(bench: Workbench, review: Reviewer) -> bool:
    """Whether the user looks at a summary before it is used: in mode `ask`, and where one was cancelled this turn."""
    return bench.mode == "ask" or (isinstance(review, UntilDeclined) and review.is_declined)


def obeyed_mode(bench: Workbench, review: Reviewer | None) -> str:
    """The mode as it can be obeyed here: nobody can be asked without a reviewer, so `ask` only reminds."""
    return "remind" if bench.mode == "ask" and review is None else bench.mode


def _is_told(session: Session) -> bool:
    """Whether the user knows of the pause: told since the last attempt, or told in this very turn that it failed."""
    is_this_turn = True
    for logged in reversed(session.tail):
        match logged.entry:
            case Noticed(kind="compaction paused"):
                return True
            case Noticed(kind="compaction failed"):
                return is_this_turn
            case Compacted():
                return False
            case UserSaid():
                is_this_turn = False
    return False
