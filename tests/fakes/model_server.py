"""A scripted chat-completions endpoint, strict both ways: an unexpected request fails, an unused answer too.

In a test: `with ModelServer(says("Hello")) as server: ...`. By hand: `python -m tests.fakes.model_server --port 9999`.
It runs in a thread of its own, so that synchronous tests and other processes can talk to it as well.
"""

import argparse
import asyncio
import json
import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from tests.fakes.script import (
    Cut,
    Hang,
    Hold,
    Pause,
    Reset,
    Scripted,
    Send,
    Step,
    refuses,
    says,
    scripted_from_json,
    steps_of,
)
from tests.fakes.valid import problems

Replier = Callable[[dict[str, Any]], Scripted]
Overflow = Literal["openai", "llama.cpp", "vllm", "ollama"]

_HEAD_CAP = 1_000_000
_TLS_HELLO = b"\x16"
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 500: "Internal Server Error"}


@dataclass(slots=True)
class Recorded:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    client_left: threading.Event = field(default_factory=threading.Event)
    """Set when the client hung up before the answer was complete."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def texts(self) -> list[str]:
        """The words of each message."""
        return [_words(message) for message in self.messages]

    @property
    def last_text(self) -> str:
        return self.texts[-1]


def count_tokens(body: dict[str, Any]) -> int:
    """What the fake takes for the size of a request: a quarter of its characters, messages and tools together."""
    counted = {"messages": body.get("messages"), "tools": body.get("tools")}
    return len(json.dumps(counted, ensure_ascii=False)) // 4


_TURNS_OF_THE_LOOP = 10
"""More than lie between a connection that is accepted and its task."""


class ModelServer:
    """An endpoint that answers with the given answers, in order."""

    def __init__(
        self,
        *replies: Scripted | Replier,
        otherwise: Scripted | Replier | None = None,
        window: int | None = None,
        overflow: Overflow = "openai",
        models: Sequence[str | dict[str, Any]] = ("fake-model",),
        key: str = "",
        is_strict: bool = True,
        count: Callable[[dict[str, Any]], int] = count_tokens,
        port: int = 0,
    ) -> None:
        self.requests: list[Recorded] = []
        """Chat completions that were asked for, in order."""

        self.others: list[Recorded] = []
        """All other requests (lists of models, probes)."""

        self.complaints: list[str] = []
        """What was wrong: invalid or unexpected requests."""

        self._replies: deque[Scripted | Replier] = deque(replies)
        self._otherwise = otherwise
        self._window = window
        self._overflow = overflow
        self._models = models
        self._key = key
        self._is_strict = is_strict
        self._count = count
        self._port = port
        self._routes: dict[tuple[str, str], tuple[int, Any]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    # ── what a test uses ─────────────────────────────────────────────────────

    @property
    def url(self) -> str:
        """The base URL to configure."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def port(self) -> int:
        return self._port

    @property
    def unused(self) -> int:
        """How many scripted answers nobody has asked for."""
        return len(self._replies)

    def script(self, *replies: Scripted | Replier) -> None:
        """Add answers behind those that are still to come."""
        self._replies.extend(replies)

    def route(self, method: str, path: str, answer: Any, status: int = 200) -> None:
        """Answer another path with JSON (or, for a string, with that text)."""
        self._routes[method, path] = (status, answer)

    def check(self) -> None:
        """Fail if a request was invalid or unexpected, or an answer was left over."""
        assert not self.complaints, "; ".join(self.complaints)
        assert not self._replies, f"{len(self._replies)} scripted answers were never asked for"

    def start(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        return self

    def stop(self) -> None:
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if kind is None:
            self.check()

    # ── the endpoint itself ──────────────────────────────────────────────────

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port, limit=_HEAD_CAP)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        assert self._server is not None
        # Python 3.11 leaves a connection open that comes while its server is closed: first, no more of them come.
        for listening in self._server.sockets:
            self._loop.remove_reader(listening.fileno())
        for _ in range(_TURNS_OF_THE_LOOP):
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            request = await _read_request(reader)
            if request is not None:
                await self._answer(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            scripted = refuses(401, {"message": "Invalid API Key", "type": "authentication_error", "code": 401})
        elif request.method == "POST" and request.path.endswith("/chat/completions"):
            self.requests.append(request)
            scripted = self._reply_to(request.body)
        else:
            self.others.append(request)
            await _send_json(writer, *self._other(request))
            return
        usage = self._usage(scripted, request.body)
        await _Sending(request, reader, writer).send(scripted, steps_of(scripted, usage, self._model_in(request.body)))

    def _reply_to(self, body: dict[str, Any]) -> Scripted:
        found = problems(body.get("messages") or []) if self._is_strict else []
        if found:
            self.complaints.append(f"invalid request: {found}")
            return refuses(400, {"message": f"invalid request: {found}", "type": "invalid_request_error"})
        if self._is_over_the_window(body) and self._overflow != "ollama":
            return _overflow(self._overflow, self._count(body), self._window or 0)
        reply = self._replies.popleft() if self._replies else self._otherwise
        if reply is None:
            self.complaints.append(f"unexpected request: {_words(body['messages'][-1])[:200]!r}")
            return refuses(400, {"message": "unexpected request", "type": "invalid_request_error"})
        return reply(body) if callable(reply) else reply

    def _is_over_the_window(self, body: dict[str, Any]) -> bool:
        return self._window is not None and self._count(body) > self._window

    def _usage(self, scripted: Scripted, body: dict[str, Any]) -> dict[str, Any] | None:
        if not isinstance(scripted.usage, str):
            return scripted.usage
        prompt = self._count(body)
        if self._window is not None and self._is_over_the_window(body):
            prompt = self._window // 2 + 2
        answer = len(scripted.text or "".join(scripted.pieces)) // 4 + 1
        return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}

    def _model_in(self, body: dict[str, Any]) -> str:
        return str(body.get("model", "fake-model"))

    def _other(self, request: Recorded) -> tuple[int, Any]:
        path = request.path.partition("?")[0]
        for known in (request.path, path):
            if (request.method, known) in self._routes:
                return self._routes[request.method, known]
        if path == "/v1/models":
            entries = [each if isinstance(each, dict) else {"id": each, "object": "model"} for each in self._models]
            return 200, {"object": "list", "data": entries}
        if path == "/props" and self._overflow == "llama.cpp" and self._window:
            return 200, {"default_generation_settings": {"n_ctx": self._window}, "total_slots": 1}
        if path == "/tokenize" and self._overflow == "llama.cpp":
            return 200, {"tokens": list(range(len(str(request.body.get("content", ""))) // 3 + 1))}
        return 404, {"error": {"message": "not found", "code": 404}}


class _Sending:
    """One answer on its way."""

    def __init__(self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._request = request
        self._writer = writer
        self._hangup = asyncio.ensure_future(reader.read())

    async def send(self, scripted: Scripted, steps: list[Step]) -> None:
        try:
            self._writer.write(_head(scripted))
            for step in steps:
                if not await self._take(step, scripted.chunked):
                    return
            if scripted.chunked:
                self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()
        except ConnectionError:
            self._request.client_left.set()
        finally:
            self._hangup.cancel()

    async def _take(self, step: Step, chunked: bool) -> bool:
        """Carry out a step; False when it was the last one."""
        match step:
            case Send(data):
                if data:
                    self._writer.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
                    await self._writer.drain()
                    await asyncio.sleep(0)
                return not self._has_left()
            case Hold(gate):
                gate.reached.set()
                while not gate.opened.is_set():
                    await asyncio.wait({self._hangup}, timeout=0.005)
                    if self._has_left():
                        gate.left.set()
                        return False
                return True
            case Pause(seconds):
                await asyncio.sleep(seconds)
                return True
            case Hang():
                await asyncio.wait({self._hangup})
                self._has_left()
                return False
            case Reset():
                linger = struct.pack("ii", 1, 0)
                raw_socket = self._writer.get_extra_info("socket")
                raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self._writer.transport.abort()
                return False
            case Cut():
                return False

    def _has_left(self) -> bool:
        if self._hangup.done():
            self._request.client_left.set()
        return self._hangup.done()


async def _read_request(reader: asyncio.StreamReader) -> Recorded | None:
    first_byte = await reader.readexactly(1)
    if first_byte == _TLS_HELLO:
        return None
    head = first_byte + await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    if path.startswith("http://"):  # asked as a proxy
        path = "/" + path.split("/", 3)[3]
    headers = {}
    for line in lines:
        name, separator, value = line.partition(":")
        if separator:
            headers[name.strip().lower()] = value.strip()
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    try:
        body = json.loads(content) if content else {}
    except ValueError:
        body = {"unreadable": content.decode("utf-8", "replace")}
    return Recorded(method, path, headers, body)


def _head(scripted: Scripted) -> bytes:
    if scripted.head is not None:
        return scripted.head
    is_error = scripted.status != 200 and not scripted.steps
    usual = "text/event-stream" if scripted.is_stream and not is_error else "application/json"
    headers = {"Content-Type": scripted.content_type or usual, "Connection": "close", **scripted.headers}
    if scripted.chunked:
        headers["Transfer-Encoding"] = "chunked"
    lines = [f"HTTP/1.1 {scripted.status} {_REASONS.get(scripted.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _send_json(writer: asyncio.StreamWriter, status: int, answer: Any) -> None:
    content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
    kind = "text/html" if isinstance(answer, str) else "application/json"
    head = f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}\r\nContent-Type: {kind}\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
    await writer.drain()


def _overflow(kind: Overflow, tokens: int, window: int) -> Scripted:
    """The refusal of a request that is too long, in an endpoint's own words."""
    if kind == "llama.cpp":
        message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
        error = {"code": 400, "message": message, "type": "exceed_context_size_error"}
        return refuses(400, {**error, "n_prompt_tokens": tokens, "n_ctx": window})
    if kind == "vllm":
        message = (
            f"This model's maximum context length is {window} tokens. However, you requested {tokens} tokens. "
            "Please reduce the length of the messages."
        )
        return refuses(400, {"message": message, "type": "BadRequestError", "code": 400})
    message = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    error = {"message": message, "type": "invalid_request_error", "param": "messages"}
    return refuses(400, {**error, "code": "context_length_exceeded"})


def _words(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def server_from_file(path: Path | None, port: int) -> ModelServer:
    """A server as a script file describes it.

    `{"models": [...], "window": N, "overflow": "llama.cpp", "key": "...", "strict": true, "replies": [...],
    "rules": [{"contains": "words of the last message", ...}], "default": {...}}`; a rule is used as often as it
    fits and before the replies; without a file every request is echoed.
    """
    told = json.loads(path.read_text(encoding="utf-8")) if path else {}
    replies = deque(scripted_from_json(each) for each in told.get("replies", []))
    rules = told.get("rules", [])
    default = told.get("default")

    def reply(body: dict[str, Any]) -> Scripted:
        last = _words(body["messages"][-1])
        for rule in rules:
            if rule["contains"] in last:
                return scripted_from_json(rule)
        if replies:
            return replies.popleft()
        return scripted_from_json(default) if default else says(f"You said: {last}")

    return ModelServer(
        otherwise=reply,
        window=told.get("window"),
        overflow=told.get("overflow", "openai"),
        models=told.get("models", ("fake-model",)),
        key=told.get("key", ""),
        is_strict=told.get("strict", True),
        port=port,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="A scripted chat-completions endpoint on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, default=None, help="a JSON file; without one, what is said is echoed")
    options = parser.parse_args()
    server = server_from_file(options.script, options.port).start()
    print(json.dumps({"url": server.url}), flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("\n".join(server.complaints), file=sys.stderr)
    finally:
        server.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
