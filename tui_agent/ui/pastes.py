"""Reads keys, and pastes whole: whatever stands between the two marks of a paste is text, in its own order.

Textual's parser looks for keys inside of a paste as well: an escape sequence in it (a coloured log is full of them)
comes out as keys, before the paste and torn out of it. So it is given no paste at all: they are cut out before it.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator

from textual._time import get_time
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.events import Paste
from textual.message import Message

from tui_agent.ui.bursts import TYPED_AHEAD, Bursts

LOST_AFTER = 5.0
"""Seconds of silence after which the end of a paste is not waited for any more: what is typed then are keys again."""

_MARK = re.compile(f"{re.escape(BRACKETED_PASTE_START)}|{re.escape(BRACKETED_PASTE_END)}")
_HALF_A_MARK = len(BRACKETED_PASTE_START) - 1


class WholePastes(XTermParser):
    """Textual's parser, given no pastes. This can go when that takes escape sequences in them as text."""

    def __init__(self, debug: bool = False, clock: Callable[[], float] = get_time) -> None:
        super().__init__(debug)
        self._clock = clock
        self._bursts = Bursts()
        self._before = ""
        """The end of what was read as keys, which may be half a mark."""

        self._pasted: list[str] | None = None
        """What has come of a paste whose end has not come yet."""

        self._held = ""
        """The end of it, which may be half the mark that ends it."""

        self._read_at = 0.0

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)  # the end of all input
            return
        self._read_at = self._clock()
        rest = data.replace(TYPED_AHEAD, "\ufffd")
        while rest:
            rest = yield from self._typed(rest) if self._pasted is None else self._in_paste(rest)

    def tick(self) -> Iterable[Message]:
        yield from super().tick()
        if self._pasted is not None and self._clock() - self._read_at >= LOST_AFTER:
            yield self._paste(self._held)

    def _typed(self, text: str) -> Generator[Message, None, str]:
        """Hand on what comes before a paste; what is left of the text."""
        seen, place = self._before + text, len(self._before)
        mark = _MARK.search(seen)
        if mark is None:
            self._before = seen[-_HALF_A_MARK:]
            yield from self._keys(text)
            return ""
        self._before = ""
        before = seen[place : mark.start()]
        is_begin = mark[0] == BRACKETED_PASTE_START
        if is_begin:
            yield from self._keys(before)
        unfinished = list(self._unfinished())
        if mark.start() >= place:
            yield from unfinished  # else it was the beginning of the mark
        if is_begin:
            self._pasted = []
        elif before:
            yield Paste(before)  # the rest of a paste whose end was not waited for
        return seen[mark.end() :]

    def _in_paste(self, text: str) -> Generator[Message, None, str]:
        """Keep what belongs to a paste, and hand it on when it has ended; what is left of the text."""
        assert self._pasted is not None
        seen = self._held + text
        inside, end, rest = seen.partition(BRACKETED_PASTE_END)
        if end:
            yield self._paste(inside)
            return rest
        kept = len(seen) - _begun(seen, BRACKETED_PASTE_END)
        self._pasted.append(seen[:kept])
        self._held = seen[kept:]
        return ""

    def _paste(self, last: str) -> Paste:
        text = "".join([*(self._pasted or ()), last])
        self._pasted, self._held = None, ""
        return Paste(text.replace("\x00", ""))  # as Textual does

    def _keys(self, text: str) -> Iterator[Message]:
        """The keys in a text, and the pastes that the terminal has not marked."""
        for place, part in enumerate(_MARK.split(self._bursts.marked(text))):
            if place % 2:
                yield from self._unfinished()
                yield Paste(part)
            elif part:
                yield from super().feed(part)

    def _unfinished(self) -> Iterator[Message]:
        """What was begun and is waited for, such as the Esc key, as it is when nothing more comes."""
        if self._timeout_time is not None:
            self._timeout_time = get_time()
            yield from super().tick()


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)
