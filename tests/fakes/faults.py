"""What can go wrong between us and an endpoint: each fault as a scripted answer, with the only acceptable outcome."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.script import (
    DONE,
    Call,
    Cut,
    Hang,
    Reset,
    Scripted,
    Step,
    calls,
    chunk,
    event,
    raw,
    refuses,
    says,
)
from tui_agent.errors import (
    AuthFailed,
    ContextOverflow,
    EndpointUnreachable,
    ModelError,
    ProtocolBroken,
    RateLimited,
    RequestRefused,
    ServerFailed,
    StreamBroken,
)

TEXT = "Half an ans"
"""What a broken answer had said before it broke."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, served in place of an answer."""

    name: str
    scripted: Scripted
    error: type[ModelError] | None = None
    """None: the answer is complete in spite of it."""

    text: str = ""
    """What of the answer there is, complete or not."""

    is_retried: bool = False
    """Whether the same request is sent again, so that it takes `1 + retries` of these answers to fail."""

    is_slow: bool = False
    """Whether it ends only by a watchdog; set them low."""

    def replies(self, retries: int) -> list[Scripted]:
        """As many of the fault as are asked for before it is given up."""
        return [self.scripted] * (1 + retries if self.is_retried else 1)


def _completes(name: str, *data: bytes | str | Step, text: str = "All of it", **more: Any) -> Fault:
    return Fault(name, raw(*data, **more), text=text)


def _breaks(name: str, *data: bytes | str | Step, text: str = TEXT, is_slow: bool = False, **more: Any) -> Fault:
    return Fault(name, raw(*data, **more), StreamBroken, text, is_slow=is_slow)


def _fails(name: str, error: type[ModelError], *data: bytes | str | Step, **more: Any) -> Fault:
    flags = {key: more.pop(key) for key in ("is_retried", "is_slow") if key in more}
    return Fault(name, raw(*data, **more), error, **flags)


_BEGIN = chunk({"role": "assistant", "content": None})
_HALF = chunk({"content": TEXT})
_WHOLE = chunk({"content": "All of it"})
_STOP = chunk({}, "stop")


def faults() -> list[Fault]:
    """All of them, each name once."""
    return [
        *_lost_connections(),
        *_statuses(),
        *_error_bodies(),
        *_overflows(),
        *_no_streams(),
        *_breaks_in_the_middle(),
        *_errors_in_the_stream(),
        *_odd_chunks(),
        *_odd_endings(),
        *_odd_framing(),
        *_odd_tool_calls(),
        *_too_much(),
        *_silences(),
    ]


def _lost_connections() -> Iterator[Fault]:
    lost: dict[str, Any] = {"is_retried": True, "chunked": False}
    yield _fails("closed before the status line", EndpointUnreachable, Cut(), head=b"", **lost)
    yield _fails("reset before the status line", EndpointUnreachable, Reset(), head=b"", **lost)
    yield _fails("half a status line", EndpointUnreachable, Cut(), head=b"HTTP/1.1 20", **lost)
    yield _fails("no HTTP at all", EndpointUnreachable, Cut(), head=b"SSH-2.0-OpenSSH_9.2\r\n", **lost)
    yield _fails("reset behind the headers", EndpointUnreachable, Reset(), is_retried=True)
    yield _fails("cut behind the headers", EndpointUnreachable, Cut(), is_retried=True)
    yield _fails("reset behind the role", EndpointUnreachable, _BEGIN, Reset(), is_retried=True)
    yield _fails("ended behind the role", ServerFailed, _BEGIN, is_retried=True)


def _statuses() -> Iterator[Fault]:
    refused: dict[int, type[ModelError]] = {401: AuthFailed, 403: AuthFailed, 413: ContextOverflow}
    for status in (400, 401, 402, 403, 404, 405, 410, 413, 418, 422, 431, 451, 501, 505):
        yield Fault(f"status {status}", refuses(status, {"message": "no"}), refused.get(status, RequestRefused))
    for status in (408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529):
        yield Fault(f"status {status}", refuses(status, {"message": "busy"}), ServerFailed, is_retried=True)
    yield Fault("status 429", refuses(429, {"message": "slow down"}), RateLimited, is_retried=True)
    for status in (301, 302, 303, 307, 308):
        away = {"Location": "http://127.0.0.1:9/elsewhere"}
        yield Fault(f"redirect {status}", refuses(status, "", headers=away), RequestRefused)


def _error_bodies() -> Iterator[Fault]:
    page = "<!DOCTYPE html><html><title>502 Bad Gateway</title></html>"
    yield Fault("a web page as error", refuses(502, page), ServerFailed, is_retried=True)
    yield Fault("an error without a body", refuses(500, ""), ServerFailed, is_retried=True)
    yield Fault("an error as a list", raw('[{"error": {"message": "bad", "code": 400}}]', status=400), RequestRefused)
    yield Fault("an error as a string", raw('{"error": "model not found"}', status=404), RequestRefused)
    yield Fault("an error as a number", raw("42", status=400), RequestRefused)
    yield Fault("an error that is null", raw("null", status=400), RequestRefused)
    yield Fault("an error in details", raw('{"detail": [{"loc": ["body"], "msg": "x"}]}', status=422), RequestRefused)
    yield Fault("an error that is not UTF-8", raw(b'{"error": "\xff\xfe"}', status=400), RequestRefused)
    yield Fault("an error of 3 MB", raw("x" * 3_000_000, status=400), RequestRefused)
    yield Fault("an error without an end", raw(*[b"x" * 300_000] * 2, Hang(), status=400), RequestRefused)
    yield Fault("an error nested too deep", raw("[" * 100_000, status=400), RequestRefused)
    yield Fault("an error cut in half", refuses(500, "{", end=Cut()), ServerFailed, is_retried=True)
    for told in ("2", "59", "-5", "nan", "soon"):
        headers = {"Retry-After": told}
        yield Fault(f"429, retry after {told}", refuses(429, {}, headers=headers), RateLimited, is_retried=True)
    for told in ("86400", "1e9"):
        yield Fault(f"429, retry after {told}", refuses(429, {}, headers={"Retry-After": told}), RateLimited)
    template = {"message": "Jinja Exception: No user query found in messages.", "code": 500}
    yield Fault("a template that refuses, as 500", refuses(500, template), RequestRefused)


def _overflows() -> Iterator[Fault]:
    openai = {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}
    yield Fault("overflow of OpenAI", refuses(400, openai), ContextOverflow)
    llama = {"message": "too long", "type": "exceed_context_size_error", "code": 400, "n_ctx": 4096}
    yield Fault("overflow of llama.cpp", refuses(400, llama), ContextOverflow)
    rate = {"message": "Request too large (TPM): Limit 8000, Requested 13000", "code": "rate_limit_exceeded"}
    yield Fault("overflow of a rate", refuses(413, rate), ContextOverflow)
    yield _fails("overflow inside a stream", ContextOverflow, event({"error": "Context size has been exceeded."}))


def _no_streams() -> Iterator[Fault]:
    page = "<html><title>Sign in</title></html>"
    yield _fails("a web page", ProtocolBroken, page, content_type="text/html")
    yield _fails("an empty body", ProtocolBroken, b"")
    yield _fails("an empty body, closed", ProtocolBroken, b"", chunked=False)
    yield _fails("nothing but the end mark", ProtocolBroken, DONE)
    yield _fails("nothing but comments", ProtocolBroken, b": OPENROUTER PROCESSING\n\n" * 3)
    yield _fails("nothing but empty lines", ProtocolBroken, b"\n\n\n\n")
    yield _fails("empty lines without an end", ProtocolBroken, *[b"\n" * 1000] * 8, Hang())
    yield _fails("JSON of another kind", ProtocolBroken, '{"models": []}', content_type="application/json")
    yield _fails("JSON cut in half", ProtocolBroken, '{"choices": [{"mess', content_type="application/json")
    yield _fails("a list as JSON", ProtocolBroken, "[]", content_type="application/json")
    yield _fails("JSON nested too deep", ProtocolBroken, "[" * 100_000, content_type="application/json")
    yield _fails("lines of JSON", ProtocolBroken, '{"response": "a"}\n{"response": "b"}\n')
    yield _fails("plain text", ProtocolBroken, "Hello there\n", content_type="text/plain")
    yield _fails(
        "bytes that are no gzip",
        EndpointUnreachable,
        b"\x00\x01",
        headers={"Content-Encoding": "gzip"},
        is_retried=True,
    )
    yield _fails("an error as JSON with 200", ServerFailed, '{"error": {"message": "down"}}', is_retried=True)
    yield _fails("only null events", ProtocolBroken, event("null") * 2, DONE)
    whole = {"choices": [{"message": {"content": "All of it"}, "finish_reason": None}]}
    yield _completes("one JSON completion before empty lines", json.dumps(whole), *[b"\n" * 1000] * 8, Hang())
    yield _completes("one JSON completion", json.dumps(whole), content_type="application/json")
    yield _completes("a stream that calls itself JSON", _WHOLE, _STOP, DONE, content_type="application/json")
    yield _completes("a stream without a content type", _WHOLE, _STOP, DONE, content_type="application/octet-stream")
    packed = gzip.compress(_WHOLE + _STOP + DONE)
    yield _completes("a stream in gzip", packed, headers={"Content-Encoding": "gzip"})


def _breaks_in_the_middle() -> Iterator[Fault]:
    yield _breaks("cut in the middle", _HALF, Cut())
    yield _breaks("reset in the middle", _HALF, Reset())
    yield _breaks("ended without a reason", _HALF)
    yield _breaks("closed without a reason", _HALF, chunked=False)
    yield _breaks("the end mark without a reason", _HALF, DONE)
    yield _breaks("half an event", _HALF, b'data: {"choices": [{"ind')
    yield _fails("half an event at once", ServerFailed, b'data: {"id": "c1", "choi', is_retried=True)
    yield _fails("half an event behind the role", ServerFailed, _BEGIN, b'data: {"id": "c1', is_retried=True)
    yield _fails("half a character at once", ServerFailed, b'data: {"id": "\xe4\xbd', is_retried=True)
    yield _breaks("half a reason", _HALF, b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "st')
    yield _breaks("half a character", _HALF, b'data: {"choices": "\xe4\xbd')
    yield _breaks("broken JSON", _HALF, event("{broken"), _STOP, DONE)
    yield _breaks("broken JSON in one piece with the words", _HALF + event("{broken"))
    yield _fails("broken JSON at once", ProtocolBroken, event("{broken"), _STOP, DONE)
    yield _breaks("invalid UTF-8", _HALF, b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n', _STOP)
    yield _fails("invalid UTF-8 at once", ProtocolBroken, b'data: "\xff"\n\n', _STOP)
    yield _breaks("JSON nested too deep in the middle", _HALF, event("[" * 100_000), _STOP)
    yield _breaks("cut while thinking", chunk({"reasoning_content": "hm"}), Cut(), text="")


def _errors_in_the_stream() -> Iterator[Fault]:
    told = {"message": "Worker request limit reached", "type": "server_error", "code": 502}
    yield _breaks("an error object", _HALF, event({"error": told}))
    yield _breaks("an error object in one piece with the words", _HALF + event({"error": told}))
    yield _breaks("an error string", _HALF, event({"error": "overloaded"}), DONE)
    yield _breaks("an error beside choices", _HALF, event({"choices": [], "error": told}), DONE)
    yield _breaks("an error within a choice", _HALF, event({"choices": [{"delta": {}, "error": told}]}))
    yield _breaks("an error event", _HALF, b'event: error\ndata: {"message": "gone"}\n\n')
    yield _breaks("an error event without data", _HALF, b"event: error\n\n")
    yield _breaks("an error event that is no JSON", _HALF, b"event: error\ndata: gone\n\n")
    yield _breaks("an error as reason", _HALF, chunk({}, "error"))
    yield _breaks("a network error as reason", _HALF, chunk({}, "network_error"))
    yield _breaks("an error by its object", _HALF, event({"object": "error", "message": "gone", "code": 500}))
    yield _fails("an error object at once", ServerFailed, event({"error": told}), is_retried=True)
    yield _fails("an error event at once", ServerFailed, b"event: error\n\n", is_retried=True)
    slow = {"id": "g", "choices": [], "error": {"code": 429, "message": "slow down"}}
    yield _fails("a rate limit at once", RateLimited, event(slow), DONE, is_retried=True)
    plain = {"code": 20015, "message": "overloaded, try later", "data": None}
    yield _breaks("a code and words with no error object", _HALF, event(plain), DONE)
    yield _fails("a code and words at once", ServerFailed, event(plain), DONE, is_retried=True)
    apart: dict[str, dict[str, Any]] = {
        "details": {"detail": "overloaded"},
        "a list of errors": {"success": False, "errors": [{"code": 7, "message": "overloaded"}]},
        "an error by other names": {"error_code": 336501, "error_msg": "overloaded"},
        "a base response": {"base_resp": {"status_code": 1002, "status_msg": "overloaded"}},
    }
    for name, words in apart.items():
        yield _breaks(f"{name} in the middle", _HALF, event(words))
        yield _fails(f"{name} as one JSON", ServerFailed, json.dumps(words), is_retried=True)
    refused = {"error": {"code": 401, "message": "no key"}}
    yield _fails("a refused key inside a stream", AuthFailed, event(refused))


def _odd_chunks() -> Iterator[Fault]:
    odd: dict[str, Any] = {
        "null": None,
        "a number": 7,
        "a string": "hello",
        "true": True,
        "a list": [],
        "an empty object": {},
        "choices null": {"choices": None},
        "choices missing": {"id": "x"},
        "choices a string": {"choices": "no"},
        "a choice that is null": {"choices": [None]},
        "a choice that is a number": {"choices": [3]},
        "a delta that is null": {"choices": [{"index": 0, "delta": None}]},
        "a delta that is a list": {"choices": [{"index": 0, "delta": []}]},
        "content a number": {"choices": [{"delta": {"content": 5}}]},
        "content an object": {"choices": [{"delta": {"content": {"a": 1}}}]},
        "content null": {"choices": [{"delta": {"content": None}}]},
        "reasoning a number": {"choices": [{"delta": {"reasoning_content": 5, "reasoning": None}}]},
        "details that are strings": {"choices": [{"delta": {"reasoning_details": ["x", None]}}]},
        "tool calls null": {"choices": [{"delta": {"tool_calls": None}}]},
        "tool calls an object": {"choices": [{"delta": {"tool_calls": {"index": 0}}}]},
        "tool calls of nothing": {"choices": [{"delta": {"tool_calls": [None, 3, {}]}}]},
        "a reason that is a number": {"choices": [{"delta": {}, "finish_reason": 1}]},
        "usage a string": {"choices": [], "usage": "many"},
        "usage negative": {"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": None}},
        "usage beyond belief": {"choices": [], "usage": {"prompt_tokens": 10**30}},
        "usage with odd details": {"choices": [], "usage": {"prompt_tokens": 5, "prompt_tokens_details": 3}},
        "a model that is a number": {"model": 5, "choices": []},
    }
    for name, value in odd.items():
        yield _completes(f"an event that is {name}", event(json.dumps(value)), _WHOLE, _STOP, DONE)
    yield _completes("words beside the answer", event({"type": "status", "message": "warming up"}), _WHOLE, _STOP)
    yield _completes("content as parts", chunk({"content": [{"type": "text", "text": "All of it"}, 3]}), _STOP)
    infinite = b'data: {"choices": [], "usage": {"prompt_tokens": Infinity, "completion_tokens": NaN}}\n\n'
    yield _completes("usage that is infinite", _WHOLE, _STOP, infinite, DONE)
    yield _completes("half a surrogate pair", chunk({"content": "All "}), event(_SURROGATE), _STOP, text="All \ufffd")
    yield _completes("NUL", chunk({"content": "All\0"}), _STOP, text="All\ufffd")
    yield _completes("escape sequences", chunk({"content": "\x1b[2J\x1b]0;x\x07"}), _STOP, text="\x1b[2J\x1b]0;x\x07")


_SURROGATE = '{"choices": [{"index": 0, "delta": {"content": "\\ud83d"}}]}'


def _odd_endings() -> Iterator[Fault]:
    yield _completes("no end mark", _WHOLE, _STOP)
    yield _completes("cut behind the reason", _WHOLE, _STOP, Cut())
    yield _completes("reset behind the reason", _WHOLE, _STOP, Reset())
    yield _completes("rubbish behind the reason", _WHOLE, _STOP, event("{broken"))
    yield _completes("rubbish behind the end mark", _WHOLE, _STOP, DONE, b"data: {broken\n\n")
    yield _completes("an answer behind the end mark", _WHOLE, _STOP, DONE, _WHOLE)
    yield _completes("an error behind the reason", _WHOLE, _STOP, event({"error": "late"}))
    yield _completes("two reasons", _WHOLE, _STOP, _STOP, DONE)
    yield _completes("the length as reason", _WHOLE, chunk({}, "length"), DONE)
    yield _completes("the filter as reason", _WHOLE, chunk({}, "content_filter"), DONE)
    yield _completes("an unknown reason", _WHOLE, chunk({}, "because"), DONE)
    yield _completes("no words at all", _BEGIN, _STOP, DONE, text="")


def _odd_framing() -> Iterator[Fault]:
    stream = _BEGIN + _WHOLE + _STOP + DONE
    yield _completes("lines that end in CRLF", stream.replace(b"\n", b"\r\n"))
    yield _completes("lines that end in CR", stream.replace(b"\n", b"\r"))
    yield _completes("one byte at a time", *(bytes([byte]) for byte in _WHOLE + _STOP))
    yield _completes("a byte order mark", b"\xef\xbb\xbf" + stream)
    yield _completes("no space behind the colon", stream.replace(b"data: ", b"data:"))
    yield _completes("no last empty line", _WHOLE + _STOP.rstrip(b"\n"))
    yield _completes("no empty lines between", (_WHOLE + _STOP).replace(b"\n\n", b"\n") + b"\n")
    yield _completes("comments between", b": ping\n\n".join((_WHOLE, _STOP, DONE)))
    yield _completes("comments behind an id", b"id: 7\n: ping\n\n" + stream)
    yield _completes("keep-alives as data", b"data: : keepalive\n\ndata: \n\ndata\n\n" + stream)
    yield _completes("other fields", b"event: message\nretry: 3000\nfoo: bar\n" + stream)
    yield _completes("an event over several lines", _over_lines(_WHOLE), _STOP)
    yield _completes(
        "line separators in the text", chunk({"content": "a\u2028b\u2029c\x85d"}), _STOP, text="a\u2028b\u2029c\x85d"
    )
    yield _completes("chunks in a list", event(json.dumps([_json_of(_WHOLE), _json_of(_STOP)])))


def _json_of(sent: bytes) -> Any:
    return json.loads(sent.removeprefix(b"data: "))


def _over_lines(sent: bytes) -> bytes:
    pretty = json.dumps(_json_of(sent), indent=1)
    return b"".join(b"data: " + line.encode() + b"\n" for line in pretty.splitlines()) + b"\n"


def _odd_tool_calls() -> Iterator[Fault]:
    call = Call("read_file", {"path": "a.txt"}, id="call_a")
    yield Fault("cut within a tool call", calls(call, text=TEXT, end=Cut()), StreamBroken, TEXT)
    half = chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": '{"pa'}}]})
    yield _breaks("half a tool call, ended", _HALF, half)
    yield _breaks("half a tool call and nothing else", half, text="")
    yield Fault("a tool call cut by length", calls(call, text="All of it", finish="length"), text="All of it")
    for arguments in ("not json", "[]", '{"path":', "null", "", '{"path": NaN}', "[" * 100_000):
        odd = Call("read_file", arguments, id="call_b")
        yield Fault(f"arguments {arguments[:12]!r}", calls(odd, text="All of it"), text="All of it")


def _too_much() -> Iterator[Fault]:
    yield _fails("an event without an end", ProtocolBroken, b"data: " + b"x" * 1_100_000, Hang())
    yield _breaks("an event of 20 MB", _HALF, b"data: ", *([b"x" * 1_000_000] * 20), b"\n\n")
    flood = chunk({"content": "y" * 500_000})
    yield Fault("an answer without an end", raw(*([flood] * 8), Hang()), StreamBroken, "y" * 2_500_000)


def _silences() -> Iterator[Fault]:
    yield _fails("silence before the status line", EndpointUnreachable, Hang(), head=b"", chunked=False, is_slow=True)
    yield _fails("silence behind the headers", EndpointUnreachable, Hang(), is_slow=True)
    yield _fails("silence behind the role", EndpointUnreachable, _BEGIN, Hang(), is_slow=True)
    yield _fails("silence behind comments", EndpointUnreachable, b": ping\n\n" * 3, Hang(), is_slow=True)
    yield _breaks("silence in the middle", _HALF, Hang(), is_slow=True)
    yield Fault("silence behind the reason", raw(_WHOLE, _STOP, Hang()), text="All of it", is_slow=True)
    yield Fault("a model that says nothing", says("", finish="stop"), text="")
