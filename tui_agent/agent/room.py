"""Seeing to it that a request fits the window before it leaves: clip, compact, or refuse with the choices."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from tui_agent.agent.automatic import Reviewer, compact, compact_if_due, obeyed_mode
from tui_agent.agent.compaction import Wish
from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.context.prune import clipped
from tui_agent.core.entries import Failed, Logged, Pruned, ToolReturned, Unpruned
from tui_agent.core.events import Event, Gauge, TurnEnded
from tui_agent.errors import ContextOverflow

LARGEST_RESULT = 0.25
"""The share of the window that one tool result may take; the archive keeps the whole of it."""

SMALLEST_CLIP = 200
"""Tokens of a clipped result that stay at least."""


async def make_room(
    bench: Workbench, session: Session, review: Reviewer | None, *, overflow: ContextOverflow | None = None
) -> AsyncGenerator[Event, None]:
    """Before a request: clip what is too large, compact if due, and see to it that the request fits the window.

    `TurnEnded` comes last when it cannot be made to fit; the log then says why and what to do.
    """
    for event in await clip_results(session):
        yield event
    if overflow is None:
        async with aclosing(compact_if_due(bench, session, review)) as events:
            async for event in events:
                yield event
        if fits(session.gauge()):
            return
    may_compact = obeyed_mode(bench, review) not in ("remind", "off")
    wishes = (Wish(trigger="overflow", must_fit=True), Wish(keep=1, trigger="overflow", must_fit=True))
    for wish in wishes if may_compact else ():
        async with aclosing(compact(bench, session, wish, review)) as events:
            async for event in events:
                yield event
        if fits(session.gauge()):
            return
        if overflow is not None:
            break
    for event in await session.append(refusal(session.gauge(), may_compact)):
        yield event
    yield TurnEnded("refused")


async def clip_results(session: Session) -> list[Event]:
    """Clip tool results that are larger than their share of the window, or than what is left of it."""
    events: list[Event] = []
    for logged in _whole_results(session.tail):
        gauge = session.gauge()
        if gauge.window is None:
            break
        others = gauge.tokens - round(session.checkpoint.ratio * logged.tokens)
        left = gauge.window - session.measures.limits.reserve - others
        room = max(min(int(LARGEST_RESULT * gauge.window), left), SMALLEST_CLIP)
        clip = clipped(logged, int(room / max(session.checkpoint.ratio, 1.0)))
        if clip is not None:
            events += await session.append(clip)
    return events


def _whole_results(tail: list[Logged]) -> list[Logged]:
    """Tool results that stand in the context as they came, and that the user did not ask back."""
    touched = {seq for each in tail if isinstance(each.entry, Pruned | Unpruned) for seq in each.entry.seqs}
    return [each for each in tail if isinstance(each.entry, ToolReturned) and each.seq not in touched]


def fits(gauge: Gauge) -> bool:
    """Whether a request with this context can be sent, as far as is known."""
    return gauge.window is None or gauge.window_source == "assumed" or gauge.tokens <= gauge.window


def refusal(gauge: Gauge, may_compact: bool) -> Failed:
    """Why a request is not sent, and the ways out."""
    parts = gauge.parts
    return Failed(
        f"This request would be about {gauge.tokens:,} tokens; the window is {gauge.window or 0:,}.",
        f"It was not sent. System prompt {parts.system:,}, tools {parts.tools:,}, summary {parts.summary:,}, "
        f"pins {parts.pins:,}, messages {parts.tail:,}.",
        "Shorten the newest message, unpin something, or choose a model with a larger window."
        if may_compact
        else "Compact (/compact), shorten the newest message, or choose a model with a larger window.",
    )
