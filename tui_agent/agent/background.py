"""A summary made ahead of need, while the user reads or types, so that compaction adds no wait."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from tui_agent.agent.pending import pending_approval
from tui_agent.agent.proposals import Proposal, Proposed, Proposing, Wish
from tui_agent.agent.proposing import propose, stands
from tui_agent.agent.session import Session
from tui_agent.agent.underway import Writing
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import exceeded, limit_of
from tui_agent.core.events import Event

LOCAL_SHARE = 0.65
"""How far a trigger is used up when a summary is prepared for a model on this machine, unless set otherwise."""


def ready(bench: Workbench, session: Session) -> Proposal | None:
    """The summary made ahead that can be applied at once; None when there is none, or it has become stale."""
    proposal = bench.prepared.get(session.id)
    if proposal is not None and stands(session, proposal):
        return proposal
    _give_up(bench, session)
    return None


def is_due(bench: Workbench, session: Session) -> bool:
    """Whether a summary should be made now: the warning level is reached and none is ready."""
    from tui_agent.context.policy import pause  # was loaded with the turn that has ended

    level = warning_level(bench)
    gauge = session.gauge()
    return (
        level > 0
        and bench.mode in ("auto", "ask")
        and (gauge.trigger_share or 0.0) >= level
        and gauge.freed > 0
        and ready(bench, session) is None
        and not session.underway.alone.locked()
        and pending_approval(session) is None
        and not pause(session.checkpoint, gauge, session.measures.limits)
    )


async def prepare(bench: Workbench, session: Session) -> AsyncGenerator[Event, None]:
    """Make a summary and keep it. Cancel it at will: nothing is changed by it. Raises what a proposal raises."""

    def proposing(wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
        return propose(bench, session, wish)

    ahead = Wish(trigger="background")
    async with session.underway.writing(proposing, ahead) as writing, aclosing(writing.events()) as events:
        async for event in events:
            if isinstance(event, Proposed):
                bench.prepared[session.id] = event.proposal
            else:
                yield event


def take(bench: Workbench, session: Session, wish: Wish) -> Proposal | None:
    """The summary made ahead for a compaction that is due now, once; a wish of its own is not served by it.

    Where it would not be enough after all that was said since, it is given up for one that takes in more.
    """
    proposal = _serving(bench, session, wish)
    if proposal is None:
        return None
    if _suffices(session, proposal):
        del bench.prepared[session.id]
        return proposal
    _give_up(bench, session)
    return None


def _suffices(session: Session, proposal: Proposal) -> bool:
    """Whether no trigger would be exceeded any more if the summary were used now."""
    now, before, after = session.gauge(), proposal.before, proposal.after
    then = replace(
        now,
        tokens=now.tokens - before.tokens + after.tokens,
        characters=now.characters - before.characters + after.characters,
        messages=now.messages - before.messages + after.messages,
    )
    return exceeded(then, session.measures.limits) is None


def _give_up(bench: Workbench, session: Session) -> None:
    """Forget the summary made ahead, but not what it took."""
    proposal = bench.prepared.pop(session.id, None)
    if proposal is not None and proposal.compacted.usage is not None:
        bench.unused += proposal.compacted.usage.prompt + proposal.compacted.usage.completion


def ready_first(bench: Workbench, session: Session, propose: Proposing) -> Proposing:
    """`propose`, but what is asked first and has no wish of its own is the summary made ahead: at once, or as it is
    being written.

    It stays at hand: a preview may be cancelled. One that is asked for in its place is not written beside it.
    """
    asked: list[Wish] = []

    def proposing(wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
        asked.append(wish)
        if len(asked) == 1 and (proposal := _serving(bench, session, wish)) is not None:
            return _at_once(proposal)
        ahead = session.underway.ahead
        if ahead is None:
            return propose(wish)
        if len(asked) == 1 and _is_served(session, wish):
            return _as_written(ahead, session, wish)
        ahead.stop()
        return propose(wish)

    return proposing


async def _at_once(proposal: Proposal) -> AsyncGenerator[Event | Proposed, None]:
    yield Proposed(proposal)


async def _as_written(ahead: Writing, session: Session, wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
    async with aclosing(ahead.events()) as events:
        async for event in events:
            yield Proposed(_asked_by(wish, event.proposal, session)) if isinstance(event, Proposed) else event


def _serving(bench: Workbench, session: Session, wish: Wish) -> Proposal | None:
    """The summary made ahead, if it is what the wish would lead to."""
    proposal = ready(bench, session) if _is_served(session, wish) else None
    return _asked_by(wish, proposal, session) if proposal is not None else None


def _is_served(session: Session, wish: Wish) -> bool:
    """Whether the wish leads to what is made ahead."""
    keep_recent = session.measures.limits.keep_recent
    return wish.is_plain and wish.kept(keep_recent) == keep_recent


def _asked_by(wish: Wish, proposal: Proposal, session: Session) -> Proposal:
    limit = limit_of(wish.trigger, session.measures.limits)
    return replace(proposal, compacted=replace(proposal.compacted, trigger=wish.trigger, limit=limit))


def warning_level(bench: Workbench) -> float:
    """The share of a trigger from which a summary is made ahead; 0 for never (a metered endpoint, unless set)."""
    chosen = bench.settings.background_share
    if chosen is not None:
        return chosen
    return LOCAL_SHARE if bench.connection.endpoint.is_loopback else 0.0
