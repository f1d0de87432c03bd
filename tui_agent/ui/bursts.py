"""Tells pasted commands from typed ones where the terminal does not mark what is pasted.

Keys that come fast act one by one, messages typed ahead among them. But a shell command in the middle of several lines
that were all there at once was hardly typed, and must not run before anybody has seen it in the prompt.
"""

import re
import time
from collections.abc import Callable

from tui_agent.ui.commands import begins_shell

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
"""What a terminal puts round a paste when it marks pastes."""

_TEXT = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
"""No key among it that is none of text."""

_GOES_ON = re.compile(r"\r\n?[^\r\n]")
"""Text behind Enter."""

_STILL_COMES = 0.1
"""Seconds within which the rest of a long paste follows its beginning."""


class Bursts:
    """Marks as a paste what was read at once and holds commands between lines."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._is_marked = False
        """Whether a paste that the terminal has marked is under way."""

        self._end = ""
        """The end of what was read, which may be half a mark."""

        self._rest_until = 0.0

    def marked(self, text: str) -> str:
        """What was read at once, with marks round it if it is such a paste and has none."""
        was_marked = self._is_marked
        self._look_for_marks(text)
        if was_marked or self._is_marked or not self._is_burst(text):
            return text
        self._rest_until = self._clock() + _STILL_COMES
        return f"{_BEGIN}{text}{_END}"

    def _look_for_marks(self, text: str) -> None:
        seen = self._end + text
        begun, ended = seen.rfind(_BEGIN), seen.rfind(_END)
        if begun != ended:
            self._is_marked = begun > ended
        self._end = seen[1 - len(_BEGIN) :]

    def _is_burst(self, text: str) -> bool:
        if not _TEXT.fullmatch(text):
            return False
        if "\r" in text and self._clock() < self._rest_until:
            return True
        return bool(_GOES_ON.search(text)) and any(map(begins_shell, re.split(r"[\r\n]", text)))
