"""What a compaction would be, before it happens: wishes and proposals."""

import re
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from tui_agent.context.gauge import MOST_KEPT_BY_HAND
from tui_agent.core.entries import Compacted, Detail, Trigger
from tui_agent.core.events import Event, Gauge
from tui_agent.values import frozen


@frozen
class Proposal:
    """A compaction that has not happened: what would be recorded, and what it would cost."""

    compacted: Compacted
    lost: tuple[Detail, ...]
    """The loss report: details of the folded messages, and of what was left out before, that neither summary nor
    carried details have."""

    before: Gauge
    after: Gauge
    previous_text: str
    """The summary that stands now; "" for none."""

    first: int
    """The first newly folded sequence number."""

    kept: int
    """Messages that stay word for word."""

    found: tuple[Detail, ...] = ()
    """The exact details that hold, whether the summary has them or not: what an edited text is compared with."""


@frozen
class Proposed:
    """The last event of `propose`."""

    proposal: Proposal


@frozen
class Wish:
    """How a compaction is to be made."""

    keep: int | None = None
    focus: str = ""
    above: int | None = None
    trigger: Trigger = "manual"
    must_fit: bool = False
    """Whether the next request cannot be sent without it; then a labelled extract is the last resort."""

    text: str | None = None
    """What stands for the messages in the user's own words, byte for byte; None asks a model."""

    @property
    def is_plain(self) -> bool:
        """Whether it says nothing of how: then a summary that somebody else has asked for will do."""
        return self == Wish(trigger=self.trigger)

    def kept(self, keep_recent: int) -> int:
        """How many messages stay at least: as the setting says, but fewer by hand, so that it always does something."""
        if self.keep is not None:
            return self.keep
        return min(keep_recent, MOST_KEPT_BY_HAND) if self.trigger == "manual" else keep_recent


Proposing = Callable[[Wish], AsyncGenerator[Event | Proposed, None]]
"""Begins a proposal; a preview may begin several (another focus, another number of messages to keep)."""


@frozen
class Reviewed:
    """What the user made of a proposal: apply it, with edited text and details put back."""

    proposal: Proposal
    text: str | None = None
    put_back: tuple[Detail, ...] = ()


class Reviewer(Protocol):
    """Shows the preview and waits for the user; None means cancelled."""

    async def __call__(self, propose: Proposing, wish: Wish) -> Reviewed | None: ...


@frozen
class Line:
    """A line of a summary that was written before it was asked for, and the message it rests on."""

    section: str
    text: str
    seq: int


_RANGE = re.compile(r"(?:(?P<how>above|keep)\s+#?(?P<number>\d{1,9})\b)?\s*(?P<focus>.*)", re.DOTALL | re.IGNORECASE)


def wish_of(words: str) -> Wish:
    """What `/compact` is asked for: `above #12`, `keep 4`, and a focus behind it or alone."""
    match = _RANGE.fullmatch(words.strip())
    assert match is not None, "a focus may be anything"
    how, number = (match["how"] or "").lower(), int(match["number"] or 0)
    return Wish(
        keep=number if how == "keep" else None, above=number if how == "above" else None, focus=match["focus"].strip()
    )
