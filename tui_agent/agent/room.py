"""Seeing to it that a request fits the window before it leaves: clip, compact, or refuse with the choices."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from tui_agent.agent.automatic import compact, compact_if_due, obeyed_mode
from tui_agent.agent.proposals import Reviewer, Wish
from tui_agent.agent.session import Session
from tui_agent.agent.workbench import Workbench
from tui_agent.context.prune import brought_back, clipped, stubs_of
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import AssistantSaid, Failed, Logged, Pruned, ToolReturned
from tui_agent.core.events import Event, Gauge, TurnEnded
from tui_agent.errors import ContextOverflow
from tui_agent.language import _
from tui_agent.values import frozen

LARGEST_RESULT = 0.25
"""The share of the window that one tool result may take; the archive keeps the whole of it."""

SMALLEST_CLIP = 200
"""Tokens of a clipped result that stay at least."""

SUMMARY_SHARE = 0.1
"""The share of the window that is set aside for a summary when it is reckoned what the newest results may take."""

OVERFLOWN = 0.6
"""How far a context is filled at most after the endpoint found one too long that was estimated to fit."""


async def make_room(
    bench: Workbench, session: Session, review: Reviewer | None, *, overflow: ContextOverflow | None = None
) -> AsyncGenerator[Event, None]:
    """Before a request: clip what is too large, compact if due, and see to it that the request fits the window.

    `TurnEnded` comes last when it cannot be made to fit; the log then says why and what to do, unless the endpoint
    has said it (`overflow`).
    """
    refused = session.gauge().tokens if overflow is not None else None
    for event in await _clip_results(session, OVERFLOWN if overflow is not None else 1.0):
        yield event
    if refused is None:
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
        if refused is not None or fits(session.gauge()):
            break
    for event in await _clip_to_fit(session):
        yield event
    gauge = session.gauge()
    if fits(gauge) and (refused is None or gauge.tokens < refused):
        return
    if refused is None:
        for event in await session.append(refusal(gauge, may_compact)):
            yield event
    yield TurnEnded("refused")


async def _clip_results(session: Session, share: float) -> list[Event]:
    """Clip results that take too much of the window, and the newest to what there is when all else is folded.

    `share` lowers the mark up to which the context may be filled, when the endpoint counts more than is estimated.
    """
    gauge = session.gauge()
    if gauge.window is None:
        return []
    parts, ratio = gauge.parts, session.checkpoint.ratio
    most = int(LARGEST_RESULT * gauge.window)
    floor = parts.system + parts.tools + parts.pins + max(parts.summary, int(SUMMARY_SHARE * gauge.window))
    mark = int(share * (gauge.trigger_tokens or gauge.window - session.measures.limits.reserve))
    results = _results(session)
    newest = {each.logged.seq for each in results if each.is_newest}
    even = _even_share([min(ratio * each.tokens, most) for each in results if each.is_newest], mark - floor)
    return await _clip(session, results, lambda seq: min(even, most) if seq in newest else most)


async def _clip_to_fit(session: Session) -> list[Event]:
    """If the context is longer than the window all the same, clip the newest results to what the rest leaves them."""
    gauge = session.gauge()
    if gauge.window is None or fits(gauge):
        return []
    newest = [each for each in _results(session) if each.is_newest]
    sizes = [session.checkpoint.ratio * each.tokens for each in newest]
    left = gauge.window - session.measures.limits.reserve - (gauge.tokens - sum(sizes))
    even = _even_share(sizes, left)
    return await _clip(session, newest, lambda seq: even)


@frozen
class _Result:
    """A tool result that may be clipped: the user has not asked it back."""

    logged: Logged
    tokens: int
    """Estimated size of what stands in the context for it."""

    is_newest: bool
    """Whether it answers the newest assistant message, so that no compaction can fold it."""


def _results(session: Session) -> list[_Result]:
    stubs, asked_back = stubs_of(session.tail), brought_back(session.tail)
    newest_answer = max((each.seq for each in session.tail if isinstance(each.entry, AssistantSaid)), default=0)
    return [
        _Result(each, estimate(stubs[each.seq]) if each.seq in stubs else each.tokens, each.seq > newest_answer)
        for each in session.tail
        if isinstance(each.entry, ToolReturned) and each.seq not in asked_back
    ]


async def _clip(session: Session, results: Sequence[_Result], room_of: Callable[[int], float]) -> list[Event]:
    """Clip the results that take more than their room (in the endpoint's tokens), all in one entry."""
    ratio = max(session.checkpoint.ratio, 1.0)
    clips: list[Pruned] = []
    for result in results:
        room = int(max(room_of(result.logged.seq), SMALLEST_CLIP) / ratio)
        clip = clipped(result.logged, room) if result.tokens > room else None
        if clip is not None:
            clips.append(clip)
    if not clips:
        return []
    seqs = tuple(seq for clip in clips for seq in clip.seqs)
    return await session.append(Pruned(seqs, tuple(stub for clip in clips for stub in clip.stubs)))


def _even_share(sizes: Sequence[float], room: float) -> float:
    """The size to which the largest must be cut so that all fit the room together; infinite when they do anyway."""
    left = room
    for place, size in enumerate(sorted(sizes)):
        even = left / (len(sizes) - place)
        if size > even:
            return even
        left -= size
    return float("inf")


def fits(gauge: Gauge) -> bool:
    """Whether a request with this context can be sent, as far as is known."""
    return gauge.window is None or gauge.window_source == "assumed" or gauge.tokens <= gauge.window


def refusal(gauge: Gauge, may_compact: bool) -> Failed:
    """Why a request is not sent, and the ways out."""
    parts = gauge.parts
    return Failed(
        _("This request would be about {tokens:,} tokens; the window is {window:,}.").format(
            tokens=gauge.tokens, window=gauge.window or 0
        ),
        _(
            "It was not sent. System prompt {system:,}, tools {tools:,}, summary {summary:,}, "
            "pins {pins:,}, messages {tail:,}."
        ).format(system=parts.system, tools=parts.tools, summary=parts.summary, pins=parts.pins, tail=parts.tail),
        _("Shorten the newest message, unpin something, or choose a model with a larger window.")
        if may_compact
        else _("Compact (/compact), shorten the newest message, or choose a model with a larger window."),
    )
