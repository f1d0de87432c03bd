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
from tui_agent.errors import ApprovalPending, CompactionError, ModelError, NothingToFold, SummaryRejected
from tui_agent.language import _


def until_declined(review: Reviewer | None) -> Reviewer | None:
    """The reviewer for one turn: once a preview was cancelled, only a request that could not be sent asks again."""
    if review is None:
        return None
    declined = False

    async def reviewing(propose: Proposing, wish: Wish) -> Reviewed | None:
        nonlocal declined
        if declined and not wish.must_fit:
            return None
        reviewed = await review(propose, wish)
        declined = reviewed is None
        return reviewed

    return reviewing


async def compact_if_due(bench: Workbench, session: Session, review: Reviewer | None) -> AsyncGenerator[Event, None]:
    """If a trigger is exceeded and the mode says so, compact: cheap stubs first, then a summary."""
    if obeyed_mode(bench, review) in ("remind", "off"):
        return
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
    async with aclosing(compact(bench, session, Wish(trigger=trigger), review)) as events:
        async for event in events:
            yield event


async def compact(
    bench: Workbench, session: Session, wish: Wish, review: Reviewer | None
) -> AsyncGenerator[Event, None]:
    """Propose and apply, with the user's eyes on it in mode `ask`. A failure is a line on the screen, nothing else."""

    def propose(changed: Wish) -> AsyncGenerator[Event | Proposed, None]:
        return proposing.propose(bench, session, changed)

    reviewed: Reviewed | None = None
    try:
        if bench.mode == "ask" and review is not None:
            reviewed = await review(ready_first(bench, session, propose), wish)
            if reviewed is None:
                yield CompactionEnded(False, "cancelled")
                return
        elif (ready := take(bench, session, wish)) is not None:
            reviewed = Reviewed(ready)
        else:
            async with aclosing(propose(wish)) as events:
                async for event in events:
                    if isinstance(event, Proposed):
                        reviewed = Reviewed(event.proposal)
                    else:
                        yield event
            assert reviewed is not None, "a proposal that raises nothing ends with Proposed"
        for event in await proposing.apply(
            session, reviewed.proposal, bench.wording, text=reviewed.text, put_back=reviewed.put_back
        ):
            yield event
        yield CompactionEnded(True)
    except (NothingToFold, ApprovalPending) as error:
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
