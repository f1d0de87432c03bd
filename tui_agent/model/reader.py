"""Turns the bytes of an answer into chunks: a stream of events, or one JSON completion from what does not stream."""

import json
from typing import Any

from tui_agent.model.assemble import FAILED_FINISHES
from tui_agent.model.said import ServerSaid, said_in
from tui_agent.model.sse import EventTooLong, ServerEvent, SseReader

WHOLE_CAP = 16_000_000
"""Bytes; the longest answer that is accepted in one piece."""

_NEVER_FIRST_IN_A_STREAM = b"{[<"
"""What a JSON body or a web page begins with and a stream of events cannot."""


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
        self._head = bytearray()
        self._is_decided = False
        self._sse = SseReader()

    def feed(self, piece: bytes) -> list[dict[str, Any]]:
        """The chunks that this piece completes.

        Raises:
            BadStream: it is no chat completion.
            ErrorInStream: the endpoint reports an error.
        """
        if not self._is_decided:
            self._head += piece
            begin = self._head.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not begin and len(self._head) < WHOLE_CAP:
                return []
            self._is_decided = True
            self.is_whole = bool(begin) and begin[0] in _NEVER_FIRST_IN_A_STREAM
            piece = bytes(self._head)
            self._head.clear()
        if self.is_whole:
            self._head += piece
            if len(self._head) > WHOLE_CAP:
                raise BadStream(f"it is longer than {WHOLE_CAP:,} bytes")
            return []
        return self._chunks_in(piece)

    def finish(self) -> list[dict[str, Any]]:
        """The chunks that the end of the answer completes; an event that was cut in half is none.

        Raises:
            BadStream: a body in one piece is no chat completion.
            ErrorInStream: the endpoint reports an error.
        """
        if self.is_whole:
            return self._counted([_completion(bytes(self._head))])
        try:
            events = self._sse.flush()
            return self._counted([chunk for event in events for chunk in self._chunks_of(event)])
        except (BadStream, UnicodeDecodeError):
            return []

    def _chunks_in(self, piece: bytes) -> list[dict[str, Any]]:
        try:
            events = self._sse.feed(piece)
        except EventTooLong as error:
            raise BadStream(str(error)) from error
        except UnicodeDecodeError as error:
            raise BadStream("it is not valid UTF-8") from error
        chunks: list[dict[str, Any]] = []
        for event in events:
            if self.is_done:
                break
            chunks += self._chunks_of(event)
        return self._counted(chunks)

    def _counted(self, chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        self.chunks += len(chunks)
        return chunks

    def _chunks_of(self, event: ServerEvent) -> list[dict[str, Any]]:
        data = event.data.strip()
        if event.kind == "error":
            raise ErrorInStream(_said_by(data))
        if data == "[DONE]":
            self.is_done = True
            return []
        if not data or data.startswith(":"):
            return []
        chunks = [each for value in _values(event) for each in (value if isinstance(value, list) else [value])]
        found = [chunk for chunk in chunks if isinstance(chunk, dict)]
        for chunk in found:
            _raise_if_error(chunk)
        return found


def _values(event: ServerEvent) -> list[Any]:
    """The JSON of an event: one value, or one for each line where the blank line between two events was forgotten."""
    try:
        return [json.loads(event.data)]
    except (ValueError, RecursionError):
        pass
    try:
        lines = [line.strip() for line in event.lines]
        return [json.loads(line) for line in lines if line and not line.startswith(":") and line != "[DONE]"]
    except (ValueError, RecursionError):
        raise BadStream(f"an event is not JSON: {event.data[:80]!r}") from None


def _completion(content: bytes) -> dict[str, Any]:
    """The chat completion in a body that came in one piece."""
    text = content.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if text.startswith("<"):
        raise BadStream("it is a web page")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadStream(f"it is not JSON: {text[:80]!r}") from None
    if isinstance(value, list):
        value = next((each for each in value if isinstance(each, dict)), None)
    if not isinstance(value, dict):
        raise BadStream("it is JSON of another kind")
    _raise_if_error(value)
    if not isinstance(value.get("choices"), list) or not value["choices"]:
        raise BadStream("it is JSON without an answer in it")
    return value


def _raise_if_error(chunk: dict[str, Any]) -> None:
    if chunk.get("error") or chunk.get("object") == "error" or chunk.get("type") == "error":
        raise ErrorInStream(said_in(chunk))
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if not isinstance(choice, dict):
            continue
        if choice.get("error"):
            raise ErrorInStream(said_in(choice))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish.strip().lower() in FAILED_FINISHES:
            raise ErrorInStream(ServerSaid(None, f"the answer ended with {finish.strip()!r}", everything=finish))


def _said_by(data: str) -> ServerSaid:
    """The error in the data of an event that calls itself one."""
    try:
        return said_in(json.loads(data))
    except (ValueError, RecursionError):
        return said_in(data or "an error without a reason")
