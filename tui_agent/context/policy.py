"""When compaction may run and what it would fold: decisions without deeds."""

from bisect import bisect_right
from collections.abc import Sequence

from tui_agent.context.checkpoint import Checkpoint
from tui_agent.context.cuts import Atom, Plan, atoms, cut_before, cut_for, legal_cuts
from tui_agent.context.gauge import Limits
from tui_agent.context.pairing import is_rewound
from tui_agent.context.saying import message_of, tokens_of
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    Logged,
    MessageEntry,
    Size,
    ToolReturned,
    Trigger,
    UserSaid,
)
from tui_agent.core.events import Gauge, GaugeParts
from tui_agent.core.readings import deed_of, is_spoken, said_text
from tui_agent.errors import ApprovalPending, NothingToFold
from tui_agent.language import N_, _, ngettext, sentences

__all__ = ["Plan", "pause", "pause_in_short", "plan", "shortfall"]

STALLS_BEFORE_PAUSE = 2
"""Automatic compactions in a row without progress after which the next ones wait."""

LEAST_KEPT = 2
"""Messages that stay even where fewer would get below the trigger: a question and its answer."""

GROWTH_TO_RESUME = 0.5
"""By what share of itself the context must have grown for automatic compaction to be tried again."""

GROWTH_IN_TURN = 1.0
"""The same within the turn of the last attempt: only a long tool loop grows so much."""

LEAST_GAIN = 0.1
"""The share of what it was due for that a compaction nobody saw before has to free, or it is said how little it was."""

SUMMARY_ALLOWANCE = 0.1
"""The share of the trigger that is set aside for what a new summary takes."""


def plan(
    checkpoint: Checkpoint,
    tail: Sequence[Logged],
    keep: int,
    limits: Limits | None = None,
    above: int | None = None,
    parts: GaugeParts | None = None,
    least: int = LEAST_KEPT,
) -> Plan:
    """What a compaction now would fold.

    Args:
        tail: the entries after `checkpoint.upto`.
        keep: how many of the newest messages stay word for word, at least.
        limits: with a token trigger in them, fewer messages are kept where that gets the context below it.
        above: fold everything before this sequence number instead, whatever `keep` says.
        parts: the gauge's parts, for what the context takes besides its tail.
        least: how many stay whatever the trigger says.

    Raises:
        ApprovalPending: a tool call waits for the user.
        NothingToFold: no message is old enough.
    """
    upto = checkpoint.upto
    tail = [logged for logged in tail if upto < logged.seq <= checkpoint.seq]
    units = atoms(tail)
    if any(unit.is_pending for unit in units):
        raise ApprovalPending(
            _("A tool call is waiting for your approval."),
            _("A compaction now would cut between the call and its result."),
            _("Answer it first, then compact."),
        )
    standing = [logged for logged in tail if not is_rewound(logged.seq, checkpoint.rewound)]
    is_working = _is_unanswered(standing)
    foldable = _without_newest(units) if is_working else units
    if above is not None:
        cut = _cut_above(foldable, above)
    else:
        cut = _cut_keeping(units, foldable, keep)
        if limits is not None:
            furthest = _cut_keeping(units, foldable, min(least, keep))
            cut = _cut_below_trigger(checkpoint, standing, foldable, cut, furthest or 0, limits, parts)
    if cut is None:
        raise _nothing_to_fold(_messages(units))
    return _plan(checkpoint, standing, units, cut, is_working)


def _nothing_to_fold(messages: int) -> NothingToFold:
    return NothingToFold(
        _("There are no old messages to compact."),
        ngettext(
            "The {n} message of the context is recent and stays as it is.",
            "All {n} messages of the context are recent and stay as they are.",
            messages,
        ).format(n=messages),
        _("Keep fewer messages, or go on and compact later."),
    )


def pause(checkpoint: Checkpoint, gauge: Gauge, limits: Limits) -> str:
    """Why automatic compaction waits, in numbers, and what to change; "" while it may run.

    It waits for the rest of the turn after an attempt that failed or gained too little, and after two attempts in a
    row without progress until the context has grown by half. A compaction by hand, an undo, and another model or
    window end the pause.
    """
    stalls = checkpoint.stalls
    if not stalls.count:
        return ""
    if stalls.failed and not stalls.turns:
        return _("The last compaction failed; automatic compaction waits for your next message.")
    grown = checkpoint.ratio * stalls.grown
    needed = GROWTH_TO_RESUME if stalls.turns else GROWTH_IN_TURN
    if grown > needed * max(gauge.tokens - gauge.parts.unsent - grown, 0):
        return ""
    if stalls.count < STALLS_BEFORE_PAUSE:
        return "" if stalls.turns else _("The last compaction gained too little to be repeated in the same turn.")
    if stalls.limit is not None and stalls.limit not in _values(limits):
        return ""
    return _explanation(stalls.count, stalls.failed, gauge, limits)


def pause_in_short(checkpoint: Checkpoint, parts: GaugeParts) -> str:
    """What can be read at a glance while `pause` has a reason: why compaction waits, and how it goes on."""
    stalls = checkpoint.stalls
    said = _("Automatic compaction is paused: {why}.").format(
        why=_("the last attempt failed") if stalls.failed else _("it did not get the context below its trigger")
    )
    if stalls.count < STALLS_BEFORE_PAUSE:
        return sentences((said, _("Your next message tries it again, F4 tries it now.")))
    helps = "" if stalls.failed else _advice(parts)
    return sentences((said, _("A compaction by hand (F4) ends the pause."), helps))


def shortfall(made: Compacted, after: Gauge) -> str:
    """How little an automatic compaction has freed, in numbers, and what helps; "" where it was enough."""
    was, is_now = _size(made.before, made.trigger), _size(made.after, made.trigger)
    is_above = made.limit is not None and is_now > made.limit
    if made.trigger == "manual" or not (is_above or was - is_now < LEAST_GAIN * was):
        return ""
    freed = _amount(max(was - is_now, 0), made.trigger)
    if is_above and made.limit is not None:
        limit = _amount(made.limit, made.trigger)
        words = _("It freed {freed}, and the context is still above {limit}.").format(freed=freed, limit=limit)
    else:
        words = _("It freed only {freed}.").format(freed=freed)
    return sentences((words, _advice(after.parts)))


def _size(size: Size, trigger: Trigger) -> int:
    """The measure that a compaction was due for."""
    return {"characters": size.characters, "messages": size.messages}.get(trigger, size.tokens)


def _amount(n: int, trigger: str) -> str:
    match trigger:
        case "characters":
            return _("{n:,} characters").format(n=n)
        case "messages":
            return ngettext("{n:,} message", "{n:,} messages", n).format(n=n)
        case _:
            return _("{n:,} tokens").format(n=n)


def _values(limits: Limits) -> set[int | None]:
    whole = limits.window - limits.reserve if limits.window is not None else None
    return {limits.trigger_tokens(), limits.max_characters, limits.max_messages, whole}


def _explanation(count: int, failed: bool, gauge: Gauge, limits: Limits) -> str:
    parts = gauge.parts
    floor = _(
        "system prompt {system:,}, tools {tools:,}, summary {summary:,}, pins {pins:,}, recent messages {tail:,}"
    ).format(system=parts.system, tools=parts.tools, summary=parts.summary, pins=parts.pins, tail=parts.tail)
    goal = _goal(gauge, limits)
    outcome = _("failed") if failed else _("did not get the context below {goal}").format(goal=goal)
    return _(
        "Automatic compaction is paused: {count} attempts in a row {outcome}. "
        "The context holds {tokens:,} tokens: {floor}. {advice} "
        "It resumes when the context has grown by half, or after a compaction by hand."
    ).format(count=count, outcome=outcome, tokens=gauge.tokens - parts.unsent, floor=floor, advice=_advice(parts))


def _goal(gauge: Gauge, limits: Limits) -> str:
    match gauge.trigger_name:
        case "characters" if limits.max_characters is not None:
            return _amount(limits.max_characters, "characters")
        case "messages" if limits.max_messages is not None:
            return _amount(limits.max_messages, "messages")
        case _:
            return _amount(gauge.trigger_tokens, "window") if gauge.trigger_tokens else _("its limit")


def _advice(parts: GaugeParts) -> str:
    """What to change, after the largest part."""
    advice = {
        N_("Shorten the system prompt or choose a larger window."): parts.system,
        N_("Switch some tools off or choose a larger window."): parts.tools,
        N_("Rebuild or shorten the summary (F3), or start a new session."): parts.summary,
        N_("Remove some pins, or choose a larger window."): parts.pins,
        N_("Keep fewer recent messages (keep_recent), or choose a larger window."): parts.tail,
    }
    return _(max(advice, key=lambda each: advice[each]))


# ── where to cut ─────────────────────────────────────────────────────────────


def _is_unanswered(standing: Sequence[Logged]) -> bool:
    """Whether the newest message waits for the model: a user's, or results in a tool loop."""
    messages = (each.entry for each in reversed(standing) if isinstance(each.entry, MessageEntry))
    newest = next((each for each in messages if deed_of(each) is None), None)
    return isinstance(newest, UserSaid | ToolReturned) or (
        isinstance(newest, AssistantSaid) and bool(newest.tool_calls)
    )


def _without_newest(units: Sequence[Atom]) -> Sequence[Atom]:
    """The atoms that may be folded while a turn is under way: all but the newest one that is sent."""
    newest = next((place for place in reversed(range(len(units))) if units[place].messages), 0)
    return units[:newest]


def _cut_above(foldable: Sequence[Atom], above: int) -> int | None:
    first_kept = next((place for place, unit in enumerate(foldable) if unit.last >= above), len(foldable))
    return cut_before(foldable, first_kept)


def _cut_keeping(units: Sequence[Atom], foldable: Sequence[Atom], keep: int) -> int | None:
    newest = _messages(units[len(foldable) :])
    return cut_for(foldable, keep - newest)


def _cut_below_trigger(
    checkpoint: Checkpoint,
    standing: Sequence[Logged],
    foldable: Sequence[Atom],
    cut: int | None,
    furthest: int,
    limits: Limits,
    parts: GaugeParts | None,
) -> int | None:
    """A cut, up to `furthest`, that keeps less, if the tail behind `cut` is too long for the token trigger."""
    trigger = limits.trigger_tokens()
    if trigger is None:
        return cut
    carried = parts or GaugeParts()
    allowance = max(round(SUMMARY_ALLOWANCE * trigger), carried.summary)
    room = trigger - carried.system - carried.tools - carried.pins - allowance
    behind = standing[bisect_right(standing, cut or 0, key=lambda each: each.seq) :]
    sizes = [(logged.seq, _tokens(logged, checkpoint.ratio)) for logged in behind]
    kept = sum(tokens for _seq, tokens in sizes)
    if kept <= room:
        return cut
    place = 0
    for shorter in legal_cuts(foldable):
        if shorter <= (cut or 0):
            continue
        if shorter > furthest:
            break
        while place < len(sizes) and sizes[place][0] <= shorter:
            kept -= sizes[place][1]
            place += 1
        if kept <= room:
            return shorter
    return cut


def _tokens(logged: Logged, ratio: float) -> float:
    message = message_of(logged.entry)
    return ratio * tokens_of(logged, message) if message is not None else 0.0


# ── the plan ─────────────────────────────────────────────────────────────────


def _plan(
    checkpoint: Checkpoint, standing: Sequence[Logged], units: Sequence[Atom], cut: int, is_working: bool
) -> Plan:
    folded = tuple(each for each in standing if each.seq <= cut and isinstance(each.entry, MessageEntry))
    request = _newest_user(standing) if is_working else None
    if request is not None and request.seq > cut:
        return _made(cut, folded, units)
    open_request = _as_detail(request) if request is not None else None
    if is_working and request is None:
        open_request = _standing_request(checkpoint, standing)
    return _made(cut, folded, units, request, open_request)


def _made(
    cut: int,
    folded: tuple[Logged, ...],
    units: Sequence[Atom],
    request: Logged | None = None,
    open_request: Detail | None = None,
) -> Plan:
    return Plan(
        upto=cut,
        folded=folded,
        messages=_messages([unit for unit in units if unit.last <= cut]),
        kept=_messages([unit for unit in units if unit.last > cut]),
        request=request,
        open_request=open_request,
    )


def _newest_user(standing: Sequence[Logged]) -> Logged | None:
    return next((each for each in reversed(standing) if is_spoken(each.entry)), None)


def _as_detail(request: Logged) -> Detail:
    return Detail("request", said_text(request.entry), (request.seq,), "user")


def _standing_request(checkpoint: Checkpoint, standing: Sequence[Logged]) -> Detail | None:
    """The request that the live summary carries."""
    head = next((each.entry for each in standing if each.seq == checkpoint.head), None)
    if not isinstance(head, Compacted):
        return None
    return next((detail for detail in head.details if detail.kind == "request"), None)


def _messages(units: Sequence[Atom]) -> int:
    return sum(unit.messages for unit in units)
