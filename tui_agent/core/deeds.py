"""What the user did here instead of saying it, and the words in which a model is told of it."""

import re
from typing import Literal

from tui_agent.values import frozen

DeedKind = Literal["command", "files put back", "files changed again"]

_HEAD, _TAIL = 2_000, 6_000
"""Characters of what a command printed that a model is told; the end of a log says more than its beginning."""


@frozen
class DeedPart:
    """Something the user did, as a part of a message: the model should know of it, and need not answer."""

    kind: DeedKind
    subject: str
    """The command, or the changed paths, one in a line."""

    output: str = ""
    """Everything the command printed."""

    failed: bool = False
    """Whether the command ended with anything but success, or was stopped."""

    seconds: float = 0.0


def deed_text(deed: DeedPart) -> str:
    """The deed in words, complete: for search, copies and exports."""
    return _in_words(deed, deed.output)


def told_text(deed: DeedPart) -> str:
    """The deed as a model is told of it: without the middle of what is very long."""
    output = deed.output
    left_out = len(output) - _HEAD - _TAIL
    if left_out > 0:
        output = f"{output[:_HEAD]}\n[{left_out:,} characters left out here]\n{output[-_TAIL:]}"
    return _in_words(deed, output)


def deed_line(deed: DeedPart) -> str:
    """The deed in one line, for lists."""
    subject = "; ".join(line for line in deed.subject.splitlines() if line.strip())
    return f"$ {subject}" if deed.kind == "command" else f"({deed.kind}: {subject})"


def _in_words(deed: DeedPart, output: str) -> str:
    """Fenced, so that nothing a program has printed passes for the user's own words."""
    match deed.kind:
        case "command":
            return f"I ran a command myself:\n{_fenced(deed.subject)}\nIt printed:\n{_fenced(output)}"
        case "files put back":
            return f"I took your changes of these files back; they are as they were before:\n{_fenced(deed.subject)}"
        case "files changed again":
            return f"I applied your changes of these files again, after taking them back:\n{_fenced(deed.subject)}"


def _fenced(text: str) -> str:
    """The text between backticks that no line of it can close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"
