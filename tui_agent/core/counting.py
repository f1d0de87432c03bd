"""The seam between what counts tokens (in `model`) and what needs counts (in `agent`)."""

from typing import Protocol


class Counter(Protocol):
    """Counts the tokens of a text. Never raises, never blocks for long: it falls back to an estimate."""

    id: str
    """Stored beside each count, so that counts of different counters are never mixed."""

    exact: bool
    """Whether this is the model's own tokenizer."""

    failure: str
    """Why it gives nothing but estimates by now; "" while it counts."""

    async def count(self, text: str) -> int: ...
