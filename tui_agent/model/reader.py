"""Turns the bytes of an answer into chunks: a stream of events, or one JSON completion from what does not stream."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tui_agent.language import _
from tui_agent.model.assemble import BLANK_CAP, FAILED_FINISHES
from tui_agent.model.said import ServerSaid, said_in
from tui_agent.model.sse import EventTooLong, ServerEvent, SseReader

_SHOWN = 80
"""How much is shown of what came in place of an answer."""

WHOLE_CAP = 16_000_000
"""Bytes; the longest answer that is accepted in one piece."""

_NEVER_FIRST_IN_A_STREAM = b"{[<"
"""What a JSON body or a web page begins with and a stream of events cannot."""


_SIGNS_OF_LIFE = frozenset({"ping", "pong", "keepalive", "keep-alive", "heartbeat", "processing", "done"})
"""Words that some gateways send as data to show that they are there, or that they have done."""


class BadStream(ValueError):
    """What arrived is no chat completion; the text says why."""


class ErrorInStream(Exception):
    """The endpoint reported an error after it had answered 200."""

    def __init__(self, said: ServerSaid) -> None:
        super().__init__(said.message)
        self.said = said


class ChunkReader:
    """Takes the bytes of one answer as they arrive.

    Chunks are JSON objects and otherwise unchecked. Comments, events without data and `null` are only signs of life.
    """

    def __init__(self) -> None:
        self.is_done = False
        """Whether the endpoint said that nothing more will come."""

        self.is_whole = False
        """Whether the answer came as one JSON object instead of a stream."""

        self.chunks = 0
        self.half = ""
        """The beginning of an event that was cut in half by the end of the answer."""

        self.told: ServerSaid | None = None
        """What the endpoint said in an event with no answer in it: the reason, should the answer not be completed."""

        self._begin = b""
        """How the answer began, for telling of it."""

        self._blanks = 0
        """Bytes of white space since the last of anything else."""

        self._head = bytearray()
        self._is_decided = False
        self._sse = SseReader()

    def feed(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """The chunks that this piece completes, to be taken to the end: those before a bad one come before its error.

        Raises:
            BadStream: it is no chat completion.
            ErrorInStream: the endpoint reports an error.
        """
        self._look_at(piece)
        yield from self._read(piece)
        if self._blanks <= BLANK_CAP:
            return
        if not self.is_whole:
            raise BadStream(_("{blanks:,} bytes of white space came on end").format(blanks=self._blanks))
        self.is_done = True  # a JSON object has no such gap: if it is one, it has ended

    def _read(self, piece: bytes) -> Iterator[dict[str, Any]]:
        if not self._is_decided:
            self._head += piece
            if not self._begin:
                return
            self._is_decided = True
            self.is_whole = self._begin[0] in _NEVER_FIRST_IN_A_STREAM
            piece = bytes(self._head)
            self._head.clear()
        if self.is_whole:
            self._head += piece
            if len(self._head) > WHOLE_CAP:
                raise BadStream(_("it is longer than {whole_cap:,} bytes").format(whole_cap=WHOLE_CAP))
            return
        yield from self._chunks_in(piece)

    def finish(self) -> Iterator[dict[str, Any]]:
        """The chunks that the end of the answer completes; an event that was cut in half is none.

        Raises:
            BadStream: a body in one piece is no chat completion.
            ErrorInStream: the endpoint reports an error.
        """
        if self.is_whole:
            yield from self._counted([_completion(bytes(self._head))])
            return
        begun = self._sse.begun
        try:
            for event in self._sse.flush():
                yield from self._counted(self._chunks_of(event))
        except (BadStream, UnicodeDecodeError):
            self.half = begun[:_SHOWN]

    def what_came(self) -> str:
        """What there is to be said of an answer without a single chunk."""
        if not self._begin:
            return _("no data came")
        if self._begin.startswith((b":", b"data:", b"event:")):
            return _("no part of an answer came")
        return _("it begins with {begin!r}").format(begin=self._begin.decode("utf-8", "replace").strip())

    def _look_at(self, piece: bytes) -> None:
        """Empty lines show that the other side is alive, as comments do; but not thousands of them on end."""
        if len(self._begin) < _SHOWN:
            self._begin = (self._begin + piece).lstrip(b"\xef\xbb\xbf \t\r\n")[:_SHOWN]
        words = piece.rstrip()
        self._blanks = len(piece) - len(words) + (0 if words else self._blanks)

    def _chunks_in(self, piece: bytes) -> Iterator[dict[str, Any]]:
        try:
            for event in self._sse.feed(piece):
                if self.is_done:
                    break
                yield from self._counted(self._chunks_of(event))
        except EventTooLong as error:
            raise BadStream(str(error)) from error
        except UnicodeDecodeError as error:
            raise BadStream(_("it is not valid UTF-8")) from error

    def _counted(self, chunks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for chunk in chunks:
            self.chunks += 1
            yield chunk

    def _chunks_of(self, event: ServerEvent) -> Iterator[dict[str, Any]]:
        data = event.data.strip()
        if event.kind.casefold() == "error":
            raise ErrorInStream(_said_by(data))
        if data == "[DONE]":
            self.is_done = True
            return
        if not data or data.startswith(":"):
            return
        for value in _values(event):
            for chunk in value if isinstance(value, list) else [value]:
                if isinstance(chunk, dict):
                    _raise_if_error(chunk)
                    self._note(chunk)
                    yield chunk

    def _note(self, chunk: dict[str, Any]) -> None:
        if not chunk.get("choices"):
            said = said_in(chunk)
            self.told = said if said.message.strip() else self.told


def _values(event: ServerEvent) -> Iterator[Any]:
    """The JSON of an event: one value, or one for each line where the blank line between two events was forgotten."""
    try:
        value = json.loads(event.data)
    except (ValueError, RecursionError):
        yield from _values_by_line(event)
    else:
        yield value


def _values_by_line(event: ServerEvent) -> Iterator[Any]:
    for line in (each.strip() for each in event.lines):
        if not line or line.startswith(":") or line == "[DONE]" or line.strip("[]").casefold() in _SIGNS_OF_LIFE:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise BadStream(_("an event is not JSON: {data!r}").format(data=event.data[:_SHOWN])) from None
        yield value


def _completion(content: bytes) -> dict[str, Any]:
    """The chat completion in a body that came in one piece."""
    text = content.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if text.startswith("<"):
        raise BadStream(_("it is a web page"))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadStream(_("it is not JSON: {text!r}").format(text=text[:_SHOWN])) from None
    if isinstance(value, list):
        value = next((each for each in value if isinstance(each, dict)), None)
    if not isinstance(value, dict):
        raise BadStream(_("it is JSON of another kind"))
    _raise_if_error(value)
    if not isinstance(value.get("choices"), list) or not value["choices"]:
        said = said_in(value)
        if said.message.strip():
            raise ErrorInStream(said)
        raise BadStream(_("it is JSON without an answer in it"))
    return value


def _raise_if_error(chunk: dict[str, Any]) -> None:
    if _says_something(chunk.get("error")) or "error" in (chunk.get("object"), chunk.get("type")):
        raise ErrorInStream(said_in(chunk))
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if not isinstance(choice, dict):
            continue
        if _says_something(choice.get("error")):
            raise ErrorInStream(said_in(choice))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish.strip().lower() in FAILED_FINISHES:
            told = _("the answer ended with {finish!r}").format(finish=finish.strip())
            raise ErrorInStream(ServerSaid(None, told, everything=finish))


def _says_something(error: object) -> bool:
    """Whether what stands under "error" is one: some gateways always send it, with a code of 0 and no words."""
    return any(error.values()) if isinstance(error, dict) else bool(error)


def _said_by(data: str) -> ServerSaid:
    """The error in the data of an event that calls itself one."""
    try:
        return said_in(json.loads(data))
    except (ValueError, RecursionError):
        return said_in(data)
