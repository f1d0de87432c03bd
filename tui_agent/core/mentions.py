"""What may be the name of a file in a text that a person typed: an @ that begins a word, and what stands behind it."""

import re

from tui_agent.values import frozen

_MENTION = re.compile(r"(?<!\S)@([^\s@]+)")


@frozen
class Mention:
    """An @ with what may be a file's name behind it."""

    from_end: int
    """Where the @ stands, in characters from the end of the text."""

    name: str


def mentions_in(text: str, typed: int | None = None) -> tuple[Mention, ...]:
    """What is mentioned in a text, of which only the first `typed` characters were typed (None: all)."""
    end = len(text) if typed is None else typed
    return tuple(Mention(len(text) - found.start(), found[1]) for found in _MENTION.finditer(text, 0, end))
