"""Tells what is pasted from what is typed, where the terminal does not mark what is pasted.

Enter with more behind it in one read is hardly a key that somebody has just pressed: it belongs to a paste, or to lines
that were typed ahead. Such a burst is handed on as one paste. Only the prompt may still take it for lines typed ahead
and send them one by one, where it sees that none of them would run anything.
"""

import re
import time
from collections.abc import Callable

from tui_agent.ui.commands import runs_something

TYPED_AHEAD = "\ufdd0"
"""Stands behind a paste that may be lines typed ahead. Unicode keeps it free for such use; where it is read it goes."""

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
"""What a terminal puts round a paste when it marks pastes."""

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])")
"""A key that is no character, or an answer of the terminal."""

_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
"""The beginning of a sequence whose rest has not come yet."""

_TAKEN_BACK = re.compile(r"[^\r\n\x7f]\x7f")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_GOES_ON = re.compile(r"[\r\n][^\r\n]")
"""Text behind a line."""

_STILL_COMES = 0.2
"""Seconds within which the rest of a long paste follows its beginning."""

_MOST_TYPED = 1000
"""Nobody types so many characters at once: there is more behind them, even if it has not been read yet."""


class Bursts:
    """Marks as a paste what was read at once and goes on behind a line."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rest_until = 0.0
        self._rest_is_text = False
        """Whether the rest of the last burst cannot have been typed ahead, as its beginning was not."""

    def marked(self, text: str) -> str:
        """What was read at once and has no marks, with marks round what is a burst in it."""
        unfinished = _UNFINISHED.search(text)
        written = text[: unfinished.start()] if unfinished is not None else text
        words = _SEQUENCE.sub("", written)
        while (fewer := _TAKEN_BACK.sub("", words)) != words:
            words = fewer
        if not self._is_burst(words):
            if len(words) > _MOST_TYPED:
                self._rest_until = self._clock() + _STILL_COMES
            return text
        now = self._clock()
        may_be_rest = now < self._rest_until
        is_text = bool(_CONTROL.search(words)) or any(map(runs_something, re.split(r"[\r\n]", words)))
        self._rest_is_text = is_text or (may_be_rest and self._rest_is_text)
        self._rest_until = now + _STILL_COMES
        shown = _CONTROL.sub(_picture, words) + ("" if self._rest_is_text else TYPED_AHEAD)
        keys = "".join(_SEQUENCE.findall(written))
        return f"{keys}{_BEGIN}{shown}{_END}{text[len(written) :]}"

    def _is_burst(self, words: str) -> bool:
        if "\r" not in words:
            return False
        goes_on = len(words) > _MOST_TYPED or _GOES_ON.search(_CONTROL.sub("", words)) is not None
        return goes_on or self._clock() < self._rest_until


def _picture(control: re.Match[str]) -> str:
    """The sign for a control character: in a paste it must end nothing and do nothing."""
    return "\u2421" if control[0] == "\x7f" else chr(0x2400 + ord(control[0]))
