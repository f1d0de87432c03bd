"""The skeleton of compaction as one pure function over plain messages; the application adds atoms and checks to it."""

from collections.abc import Callable
from typing import Any

PlainMessage = dict[str, Any]
"""A chat message as `{"role": ..., "content": ...}`."""


def compact_history(
    messages: list[PlainMessage],
    summarize: Callable[[list[PlainMessage]], str],
    count_tokens: Callable[[PlainMessage], int],
    token_budget: int,
    keep_recent: int = 2,
) -> list[PlainMessage]:
    """Collapse everything between the system message and the last `keep_recent` messages into one summary message.

    When the messages fit `token_budget`, or nothing is old, the very list that was passed in comes back and
    `summarize` is not called; otherwise a new list, with the kept messages themselves in it.

    Raises:
        ValueError: `keep_recent` is negative.
    """
    if keep_recent < 0:
        raise ValueError(f"keep_recent must be 0 or more, not {keep_recent}")
    if sum(count_tokens(message) for message in messages) <= token_budget:
        return messages
    first_of_body = 1 if messages and messages[0].get("role") == "system" else 0
    first_kept = max(len(messages) - keep_recent, first_of_body)
    old = messages[first_of_body:first_kept]
    if not old:
        return messages
    summary: PlainMessage = {"role": "system", "content": summarize(old)}
    return [*messages[:first_of_body], summary, *messages[first_kept:]]
