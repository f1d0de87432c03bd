"""Reads a stream of server-sent events from bytes: tolerant of framing, strict about size."""

from collections.abc import Iterator

from tui_agent.language import _
from tui_agent.values import frozen

EVENT_CAP = 1_000_000
"""Bytes; the longest event that is accepted."""

_BOM = b"\xef\xbb\xbf"


class EventTooLong(ValueError):
    """An event, or a line without an end, is longer than the cap."""


@frozen
class ServerEvent:
    """One event as it stood in the stream."""

    lines: tuple[str, ...]
    """The values of its `data` lines; empty when it had none."""

    kind: str = ""
    """The value of its `event` line."""

    @property
    def data(self) -> str:
        return "\n".join(self.lines)


class SseReader:
    """Takes bytes as they arrive, in pieces of any size, and gives the events that are complete.

    Lines end in CR, LF or both; a character split between two pieces is one character. A comment, an empty line or an
    event without data is no event: it only shows that the other side is alive.
    """

    def __init__(self, cap: int = EVENT_CAP) -> None:
        self._cap = cap
        self._line = bytearray()
        self._after_cr = False
        self._at_start = True
        self._lines: list[str] = []
        self._kind = ""
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """The events completed by this piece, to be taken to the end: those before a bad one come before its error.

        Raises:
            EventTooLong: an event exceeds the cap.
            UnicodeDecodeError: a line is not UTF-8.
        """
        for line in self._complete_lines(piece):
            event = self._take(line)
            if event is not None:
                yield event

    @property
    def begun(self) -> str:
        """What has come of an event that is not complete, as far as it can be read."""
        line = bytes(self._line).decode("utf-8", "replace").removeprefix("data:")
        return "\n".join([*self._lines, line]).strip()

    def flush(self) -> list[ServerEvent]:
        """The event that the stream's end completed, if the last line or the last blank line was missing.

        Raises:
            UnicodeDecodeError: the last line is not UTF-8.
        """
        if self._line:
            line = bytes(self._line)
            self._line.clear()
            self._take(line)
        event = self._dispatched()
        return [event] if event is not None else []

    def _complete_lines(self, piece: bytes) -> Iterator[bytes]:
        if self._after_cr and piece:
            self._after_cr = False
            if piece[:1] == b"\n":
                piece = piece[1:]
        self._after_cr = piece[-1:] == b"\r"
        whole = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ended, rest = whole.split(b"\n")
        for part in ended:
            self._line += part
            self._measure(0)
            line = bytes(self._line)
            self._line.clear()
            yield line
        self._line += rest
        self._measure(self._size)

    def _measure(self, so_far: int) -> None:
        if so_far + len(self._line) > self._cap:
            raise EventTooLong(_("an event is longer than {cap:,} bytes").format(cap=self._cap))

    def _take(self, raw: bytes) -> ServerEvent | None:
        if self._at_start:
            self._at_start = False
            raw = raw.removeprefix(_BOM)
        if not raw:
            return self._dispatched()
        name, _colon, value = raw.partition(b":")
        if name == b"data":
            self._size += len(value)
            self._measure(self._size)
            self._lines.append(value.removeprefix(b" ").decode("utf-8"))
        elif name == b"event":
            self._kind = value.decode("utf-8").strip()
        return None

    def _dispatched(self) -> ServerEvent | None:
        lines, kind = tuple(self._lines), self._kind
        self._lines, self._kind, self._size = [], "", 0
        return ServerEvent(lines, kind) if lines or kind else None
