"""What an endpoint says when it refuses: one value for every shape that error bodies come in."""

import json
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from tui_agent.core.unicode import repaired
from tui_agent.language import _
from tui_agent.values import frozen

LONGEST_TEXT = 500
"""Characters of an endpoint's own words that are shown."""

_MESSAGE_KEYS = (
    *("message", "detail", "msg", "error_description", "error_message", "error_msg", "errmsg", "status_msg", "title"),
    *("errors", "base_resp", "faultstring", "reason"),
)
"""Where the words of an error have been found; some of them hold more of these."""

_DEEPEST = 8
"""Objects within one another in which the words of an error are looked for."""

_LONGEST_READ = 20_000
"""Characters in which an error is looked for."""


@frozen
class ServerSaid:
    """An error as the endpoint told it."""

    status: int | None
    """None when it came inside a stream that had begun with 200."""

    message: str
    """Its own words, whole."""

    code: str = ""
    type: str = ""
    param: str = ""
    everything: str = ""
    """The whole body as text, for what is said in unusual places."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """The error object."""

    retry_after: float | None = None
    """Seconds; None when nothing sensible was said."""

    location: str = ""
    """Where a redirect points."""

    def words(self) -> str:
        """All that may tell one error from another, in lower case."""
        return f"{self.code} {self.type} {self.message} {self.everything}".lower()

    def shown(self, secret: str = "") -> str:
        """Its words as shown to the user: one paragraph, cut, without the key."""
        text = " ".join(self.message.split())
        if secret:
            text = text.replace(secret, "[key]")
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " […]"


def said_in_response(status: int, headers: Mapping[str, str], content: bytes) -> ServerSaid:
    """The error in a response whose status is one."""
    text = repaired(content.decode("utf-8", "replace"))
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = _framed(text)
    said = said_in(parsed, status)
    return replace(said, retry_after=_retry_after(headers), location=headers.get("location", ""))


def _framed(text: str) -> object:
    """The JSON of the first event where a refusal came as a stream of events; else the text."""
    if text.lstrip().startswith(("data:", "event:")):
        data = next((line[5:] for line in text.split("\n") if line.startswith("data:")), "")
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            return data.strip() or text
    return text


def said_in(parsed: object, status: int | None = None) -> ServerSaid:
    """The error in a decoded body, or in an event of a stream."""
    if isinstance(parsed, list):
        parsed = next((each for each in parsed if isinstance(each, dict)), "")
    if isinstance(parsed, str):
        return ServerSaid(status, _readable(parsed[:_LONGEST_READ]), everything=parsed[:_LONGEST_READ])
    if not isinstance(parsed, dict):
        return ServerSaid(status, "")
    error = parsed.get("error")
    holder = error if isinstance(error, dict) else parsed
    code = next(filter(None, map(_word, map(holder.get, ("code", "type", "status")))), "") if holder is error else ""
    message = next(filter(None, (_as_text(error), _message(holder), _message(parsed), code)), "")
    return ServerSaid(
        status=status,
        message=repaired(message[:_LONGEST_READ]),
        code=_word(holder.get("code")) or _word(holder.get("error_code")),
        type=_word(holder.get("type")) or _word(holder.get("status")),
        param=_word(holder.get("param")),
        everything=_dumped(_without_echo(parsed)),
        fields=holder,
    )


def _without_echo(parsed: dict[str, Any]) -> dict[str, Any]:
    """The body without the request that some validators send back: its words are not the endpoint's."""
    details = parsed.get("detail")
    if not isinstance(details, list):
        return parsed
    told = ("type", "loc", "msg")
    return {"detail": [{key: each[key] for key in told if key in each} for each in details if isinstance(each, dict)]}


def _message(holder: dict[str, Any], depth: int = _DEEPEST) -> str:
    """The words of an error object; a provider's own words behind a gateway are the better ones."""
    metadata = holder.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    texts = (_as_text(holder.get(key), depth) for key in _MESSAGE_KEYS)
    message = next(filter(None, texts), "")
    if not message:  # an object of an unknown name may hold them: "status", "header", "response"
        inner = (each for key, each in holder.items() if isinstance(each, dict) and key not in _MESSAGE_KEYS)
        message = next(filter(None, (_as_text(each, depth) for each in inner)), "")
    return f"{message} ({raw})" if isinstance(raw, str) and raw and raw not in message else message


def _as_text(value: object, depth: int = _DEEPEST) -> str:
    if isinstance(value, str):
        return value if value.strip() else ""
    if depth <= 0:
        return ""
    if isinstance(value, dict):
        return _message(value, depth - 1)
    if isinstance(value, list):
        return "; ".join(filter(None, (_as_text(each, depth - 1) for each in value)))
    return ""


def _readable(text: str) -> str:
    """Plain text as it is; of a web page only its title."""
    lowered = text.lower()
    if "<html" not in lowered and "<!doctype" not in lowered:
        return text.strip()
    start, end = lowered.find("<title>"), lowered.find("</title>")
    return text[start + len("<title>") : end].strip() if 0 <= start < end else _("a web page")


def _word(value: object) -> str:
    return repaired(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _dumped(value: object) -> str:
    try:
        return repaired(json.dumps(value, ensure_ascii=False))[:_LONGEST_READ]
    except (ValueError, RecursionError):
        return ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `Retry-After` (a number or a date) or `retry-after-ms`; None for what makes no sense."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = headers.get(name, "").strip()
        try:
            seconds = float(told) * unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    return _seconds_until(headers.get("retry-after", ""), headers.get("date", ""))


def _seconds_until(when: str, now: str) -> float | None:
    """Seconds between two dates of one response: the endpoint's clock is compared with itself."""
    from email.utils import parsedate_to_datetime  # a quarter of a megabyte, and seldom wanted

    try:
        return max(0.0, (parsedate_to_datetime(when) - parsedate_to_datetime(now)).total_seconds())
    except (TypeError, ValueError):
        return None
