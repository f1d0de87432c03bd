"""The live measure of a context against its window and triggers, anchored on what the endpoint last reported."""

from dataclasses import replace

from tui_agent.context.checkpoint import Checkpoint
from tui_agent.context.fold import Context
from tui_agent.core.entries import Trigger
from tui_agent.core.events import Gauge, GaugeParts
from tui_agent.values import frozen

ASSUMED_WINDOW = 32_768
"""The window that is counted on when it is unknown and no other limit is set, so that compaction comes at all."""

MOST_KEPT_BY_HAND = 6
"""Messages that a compaction by hand keeps at most unless it is told a number: so that it works below a trigger."""

EXPECTED_GAIN = 0.85
"""The share of what is folded that a compaction frees; the rest is what its summary takes."""

_BLOCK_TOKENS = 70
"""What the block round the first summary takes besides its lines: header, marks, acknowledgement, about."""

_DRIFT_FLOOR, _DRIFT_SHARE = 32, 0.02
"""Tokens, and the share of the context, by which the rest of it may differ from what it was and count as unchanged."""


@frozen
class Limits:
    """What a context is measured against."""

    window: int | None = None
    """Tokens the model accepts; None when unknown."""

    window_source: str = "unknown"
    reserve: int = 0
    """Tokens of the window kept free for the reply."""

    threshold: float | None = 0.8
    """The share of the window at which compaction is due; None for no token trigger."""

    max_characters: int | None = None
    max_messages: int | None = None
    keep_recent: int = 6

    def counted_window(self) -> int | None:
        """The window, or the assumed one when nothing else would ever trigger a compaction."""
        others = self.max_characters is not None or self.max_messages is not None
        if self.window is None and self.threshold is not None and not others:
            return ASSUMED_WINDOW
        return self.window

    def trigger_tokens(self) -> int | None:
        """Where compaction is due, in tokens; None when no token trigger applies."""
        window = self.counted_window()
        if window is None or self.threshold is None:
            return None
        due = int(self.threshold * window)
        return max(min(due, window - self.reserve) if self.reserve > 0 else due, 1)


@frozen
class Weight:
    """A context weighed once, so that unsent text can be added at every keystroke."""

    gauge: Gauge
    """Without unsent text."""

    ratio: float
    limits: Limits


def measure(
    context: Context, checkpoint: Checkpoint, limits: Limits, unsent_tokens: int = 0, unsent_characters: int = 0
) -> Gauge:
    """The gauge of a context with unsent text of this size (tokens as estimated)."""
    return measure_weight(weigh(context, checkpoint, limits), unsent_tokens, unsent_characters)


def weigh(context: Context, checkpoint: Checkpoint, limits: Limits) -> Weight:
    """The context against the limits; no text is read for it: all sums are the context's."""
    tokens, is_reported = _tokens(context, checkpoint)
    gauge = Gauge(
        tokens=tokens,
        characters=context.characters,
        messages=context.message_count,
        window=limits.counted_window(),
        window_source="assumed" if limits.window is None and limits.counted_window() else limits.window_source,
        estimated=not is_reported,
        trigger_tokens=limits.trigger_tokens(),
        compactions=checkpoint.compaction_count,
        last_compacted=checkpoint.last_compacted,
        freed=_freed(context, min(limits.keep_recent, MOST_KEPT_BY_HAND), checkpoint.ratio),
        parts=_shared_out(tokens, context.parts),
    )
    return Weight(_with_trigger(gauge, limits), checkpoint.ratio, limits)


def measure_weight(
    weight: Weight,
    unsent_tokens: int = 0,
    unsent_characters: int = 0,
    arriving_tokens: int = 0,
    arriving_characters: int = 0,
) -> Gauge:
    """The gauge with unsent text and with an answer that is arriving, of these sizes (tokens as estimated)."""
    gauge = weight.gauge
    if not any((unsent_tokens, unsent_characters, arriving_tokens, arriving_characters)):
        return gauge
    unsent, arriving = round(weight.ratio * unsent_tokens), round(weight.ratio * arriving_tokens)
    changed = replace(
        gauge,
        tokens=gauge.tokens + unsent + arriving,
        characters=gauge.characters + unsent_characters + arriving_characters,
        estimated=True,
        parts=replace(gauge.parts, unsent=unsent, tail=gauge.parts.tail + arriving),
    )
    return _with_trigger(changed, weight.limits)


def exceeded(gauge: Gauge, limits: Limits) -> Trigger | None:
    """The trigger that a gauge without unsent text exceeds (strictly); None when compaction is not due.

    `overflow` when no trigger is set on tokens but the request would leave no room for the reply in a known window.
    """
    if gauge.trigger_tokens is not None and gauge.tokens > gauge.trigger_tokens:
        return "window"
    if limits.max_characters is not None and gauge.characters > limits.max_characters:
        return "characters"
    if limits.max_messages is not None and gauge.messages > limits.max_messages:
        return "messages"
    if limits.window is not None and gauge.tokens > limits.window - limits.reserve:
        return "overflow"
    return None


def limit_of(trigger: Trigger, limits: Limits) -> int | None:
    """The trigger's value in its own unit, as `Compacted.limit` records it."""
    match trigger:
        case "characters":
            return limits.max_characters
        case "messages":
            return limits.max_messages
        case "overflow" if limits.trigger_tokens() is None and limits.window is not None:
            return limits.window - limits.reserve
        case _:
            return limits.trigger_tokens()


def _tokens(context: Context, checkpoint: Checkpoint) -> tuple[int, bool]:
    """Tokens of the context, and whether they are exactly what the endpoint reported."""
    anchor, ratio = checkpoint.anchor, checkpoint.ratio
    if anchor is None:
        return max(round(ratio * context.tokens), 1), False
    drift = 0
    if anchor.estimated:
        then = anchor.estimated + anchor.reply
        drift = context.tokens - context.added - then
        # The date in the system prompt and the acknowledgement come and go; tools and instructions are seen.
        if abs(drift) <= max(_DRIFT_FLOOR, _DRIFT_SHARE * then):
            drift = 0
    return max(anchor.tokens + round(ratio * (context.added + drift)), 1), not context.added and not drift


def _freed(context: Context, keep: int, ratio: float) -> int:
    """Roughly what a compaction would free that keeps so many: the tail before them, no call apart from its result."""
    size = len(context.tail_starts)
    before_tail = len(context.messages) - size
    first_kept = max(size - keep, 0)
    while 0 < first_kept < size and context.messages[before_tail + first_kept].role == "tool":
        first_kept -= 1
    if not first_kept:
        return 0
    folded = context.tail_starts[first_kept] if first_kept < size else context.parts.tail
    new_block = 0 if context.parts.summary or context.parts.pins else _BLOCK_TOKENS
    return max(int(ratio * (EXPECTED_GAIN * folded - new_block)), 0)


def _shared_out(tokens: int, parts: GaugeParts) -> GaugeParts:
    """The parts scaled so that they sum to `tokens`; what rounding leaves over goes to the largest."""
    names = ("system", "tools", "summary", "pins", "tail", "retrieved")
    sizes = {name: int(getattr(parts, name)) for name in names}
    total = sum(sizes.values())
    if not total:
        return GaugeParts(system=tokens)
    shared = {name: size * tokens // total for name, size in sizes.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    shared[largest] += tokens - sum(shared.values())
    return GaugeParts(**shared)


def _with_trigger(gauge: Gauge, limits: Limits) -> Gauge:
    """The gauge with the share of the trigger that is nearest."""
    used = {
        "window": (gauge.tokens, gauge.trigger_tokens),
        "characters": (gauge.characters, limits.max_characters),
        "messages": (gauge.messages, limits.max_messages),
    }
    shares = {name: size / limit for name, (size, limit) in used.items() if limit}
    if not shares:
        return gauge
    nearest = max(shares, key=lambda name: shares[name])
    return replace(gauge, trigger_share=shares[nearest], trigger_name=nearest)
