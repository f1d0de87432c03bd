"""Failures of an endpoint as the program's own errors: what happened (host, port, cause), what it means, what to do."""

import errno
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from tui_agent.errors import (
    AuthFailed,
    ContextOverflow,
    EndpointUnreachable,
    ModelError,
    ProtocolBroken,
    RateLimited,
    RequestRefused,
    Retryable,
    ServerFailed,
    StreamBroken,
    ToolsRefused,
)
from tui_agent.language import _
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import Reply
from tui_agent.model.overflow import overflow_in
from tui_agent.model.quirks import is_template_trouble, refuses_tools
from tui_agent.model.said import ServerSaid

_VERSION = re.compile(r"/v\d\w*(?:/|$)")

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530})
"""Statuses after which the same request may succeed."""

_ABOUT_THE_KEY = (
    *("invalid_api_key", "api_key_invalid", "api key not valid", "invalid api key", "authentication_error"),
    *("invalidapikey", "invalid api-key", "incorrect api key", "api key expired", "令牌已过期"),
)
_ABOUT_MONEY = (
    *("insufficient_quota", "insufficient credits", "insufficient balance", "billing_hard", "insufficient_balance"),
    *("balance is insufficient", "balance is too low", "arrearage", "余额不足", "欠费"),
)
_ABOUT_THE_RATE = ("rate_limit", "too many requests")


class NotRepeated(EndpointUnreachable):
    """No connection for a reason that will be the same in a few seconds, or after a long wait already."""


def failure_of(said: ServerSaid, endpoint: Endpoint, model: str = "", *, tools: bool = False) -> ModelError:
    """The error for a refusal; `tools` says whether the request offered any."""
    overflow = overflow_in(said, endpoint.host)
    if overflow is not None:
        return _overflow(said, endpoint, overflow.limit)
    status, told = _status(said), _told(said, endpoint)
    if tools and refuses_tools(said):
        meaning, todo = _("This model cannot use tools."), _("Choose another model, or turn tools off.")
        return _refused(ToolsRefused(told, meaning, todo), said)
    words = said.words()
    if status == 402 or _says_any(words, _ABOUT_MONEY):
        meaning, todo = _("The account has no credit left."), _("Top it up, or choose another endpoint.")
        return _refused(RequestRefused(told, meaning, todo), said)
    if status in (401, 403) or _says_any(words, _ABOUT_THE_KEY):
        return _auth(said, endpoint, status)
    if is_template_trouble(said):
        meaning = _("The model's chat template cannot put these messages together.")
        return _refused(RequestRefused(told, meaning, _("Choose another model, or start a new session.")), said)
    if status == 429 or _says_any(words, _ABOUT_THE_RATE):
        return _passing(RateLimited(told, _("Too many requests for now."), _wait(said)), said)
    if status in _PASSING or (status is not None and status >= 500 and status not in (501, 505)):
        return _passing(ServerFailed(told, _("The endpoint failed on its own side."), _wait(said)), said)
    if status is None:
        return _passing(ServerFailed(told, _("The endpoint reported an error."), _("Try again.")), said)
    return _refused(_refusal(said, endpoint, model, status), said)


def unreachable(error: BaseException, endpoint: Endpoint) -> EndpointUnreachable:
    """The error for a connection that could not be made, or broke before an answer."""
    place = f"{endpoint.host}:{endpoint.port}"
    for cause in _causes(error):
        match cause:
            case ssl.SSLCertVerificationError():
                reason = getattr(cause, "verify_message", "") or _("it could not be verified")
                return NotRepeated(
                    _("No secure connection to {place}: its certificate was not accepted ({reason}).").format(
                        place=place, reason=reason
                    ),
                    _("The machine that answers may not be the one you mean."),
                    _("Check the address, or have the certificate added to this machine."),
                )
            case ssl.SSLError():
                return NotRepeated(
                    _("No secure connection to {place}: TLS failed ({failed}).").format(
                        place=place, failed=cause.reason or _("handshake failed")
                    ),
                    _("The port may not speak https."),
                    _("Try http:// in the endpoint's address if it is a local server."),
                )
            case socket.gaierror():
                return NotRepeated(
                    _("No connection to {place}: the name {host!r} was not found.").format(
                        place=place, host=endpoint.host
                    ),
                    _("The address is wrong, or this machine has no network."),
                    _("Check the endpoint's address and the network."),
                )
            case ConnectionRefusedError():
                return EndpointUnreachable(
                    _("No connection to {place}: connection refused.").format(place=place),
                    _("Nothing listens there."),
                    _("Start the server, or choose another endpoint."),
                )
            case OSError() if cause.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN):
                return EndpointUnreachable(
                    _("No connection to {place}: no route to it.").format(place=place),
                    "",
                    _("Check the network and the endpoint's address."),
                )
            case _:
                continue
    return EndpointUnreachable(
        _("The connection to {place} failed: {error}.").format(place=place, error=_described(error)),
        "",
        _("Check the endpoint's address and the network."),
    )


def too_slow(endpoint: Endpoint, seconds: float, awaited: str, *, waits_by_setting: bool = False) -> NotRepeated:
    """The error when the endpoint said nothing in time; `awaited` names what did not come.

    `waits_by_setting` says that it is the user who decides how long that is waited for.
    """
    return NotRepeated(
        _("{host}:{port} sent no {awaited} within {seconds:g} seconds.").format(
            host=endpoint.host, port=endpoint.port, awaited=_(awaited), seconds=seconds
        ),
        _("It is overloaded, or still reading a long request."),
        _("Try again, or raise the setting answer_wait.") if waits_by_setting else _("Try again."),
    )


def only_blanks(endpoint: Endpoint, seconds: float) -> NotRepeated:
    """The error when all that came for long was white space."""
    return NotRepeated(
        _("{host}:{port} sent nothing but white space for {seconds:g} seconds.").format(
            host=endpoint.host, port=endpoint.port, seconds=seconds
        ),
        _("The model or its server runs idle."),
        _("Try again, or choose another model."),
    )


def too_blank(characters: int) -> ProtocolBroken:
    """The error for an answer that has become nothing but white space."""
    return ProtocolBroken(
        _("The last {characters:,} characters of the answer were white space and nothing else; it was stopped.").format(
            characters=characters
        ),
        _("The model or its server runs idle."),
        _("Try again, or choose another model."),
    )


def broken_off(endpoint: Endpoint, beginning: str) -> ServerFailed:
    """The error for an answer that ended within its first piece."""
    return ServerFailed(
        _("{label} broke off within the first piece of its answer: {beginning!r}.").format(
            label=endpoint.label, beginning=beginning
        ),
        "",
        _("Try again."),
    )


def not_connected(endpoint: Endpoint, seconds: float) -> NotRepeated:
    """The error when no connection came about in time."""
    is_tls = endpoint.base_url.startswith("https:")
    return NotRepeated(
        _("No {connection} to {host}:{port} within {seconds:g} seconds.").format(
            connection=_("secure connection (TLS)") if is_tls else _("connection"),
            host=endpoint.host,
            port=endpoint.port,
            seconds=seconds,
        ),
        _("The host does not answer, or the port does not speak https.") if is_tls else _("The host does not answer."),
        _("Check the endpoint's address and the network."),
    )


def not_a_stream(url: str, content_type: str, why: str) -> ProtocolBroken:
    """The error for a success that is no chat completion."""
    return ProtocolBroken(
        _("{url} answered, but not with a chat completion: {why} (content type {given}).").format(
            url=url, why=why, given=content_type or _("not given")
        ),
        _("The address may be a web page, or lead to another interface."),
        _("Check the endpoint's address.")
        if _has_version(url)
        else _("Check the endpoint's address; it usually ends in /v1."),
    )


def broken(cause: ModelError | None, partial: Reply) -> StreamBroken:
    """The error for an answer that stopped in the middle, with what had arrived."""
    error = StreamBroken(
        cause.what if cause else _("The endpoint ended the answer without saying that it was complete."),
        _("The answer is incomplete."),
        _("Retry, or go on from what there is."),
    )
    error.partial = partial
    error.__cause__ = cause
    return error


def _overflow(said: ServerSaid, endpoint: Endpoint, limit: int | None) -> ContextOverflow:
    window = _(" It accepts {limit:,} tokens.").format(limit=limit) if limit else ""
    error = ContextOverflow(
        _told(said, endpoint),
        _("The request is longer than the model's window.{window}").format(window=window),
        _("Compact the context."),
    )
    error.limit = limit
    return error


def _auth(said: ServerSaid, endpoint: Endpoint, status: int | None) -> AuthFailed:
    if status == 403:
        return AuthFailed(
            _told(said, endpoint),
            _("The key is not allowed to do this."),
            _("Check the key's rights and the model's name."),
        )
    if not endpoint.api_key:
        return AuthFailed(
            _told(said, endpoint),
            _("{label} wants a key.").format(label=endpoint.label),
            _('Set OPENAI_API_KEY, or choose "Enter a key" on the start card or at the end of what /model lists.'),
        )
    return AuthFailed(_told(said, endpoint), _("The key was refused."), _("Check that it belongs to this endpoint."))


def _refusal(said: ServerSaid, endpoint: Endpoint, model: str, status: int) -> RequestRefused:
    told = _told(said, endpoint)
    if 300 <= status < 400:
        where = _(" to {location}").format(location=said.location[:200]) if said.location else ""
        return RequestRefused(
            _("{base_url} redirects{where}.").format(base_url=endpoint.base_url, where=where),
            _("Redirects are not followed, so that key and messages stay with the host they were meant for."),
            _("Set the endpoint's address to the right place."),
        )
    if status == 404:
        named = _(" or the model {model!r}").format(model=model) if model else ""
        if _has_version(endpoint.base_url):
            todo = _("Check both.") if model else _("Check the endpoint's address.")
        else:
            todo = _("Check both; addresses usually end in /v1.") if model else _("Addresses usually end in /v1.")
        return RequestRefused(
            told,
            _("The address {base_url}{named} is unknown there.").format(base_url=endpoint.base_url, named=named),
            todo,
        )
    return RequestRefused(told, _("The endpoint does not accept this request."), "")


def _has_version(url: str) -> bool:
    """Whether an address has what it usually ends in: `/v1`, or the like, before what is asked for there."""
    return _VERSION.search(urlsplit(url).path) is not None


def _told(said: ServerSaid, endpoint: Endpoint) -> str:
    answered = (
        _("{label} answered {status}").format(label=endpoint.label, status=said.status)
        if said.status
        else _("{label} reported an error").format(label=endpoint.label)
    )
    words = said.shown(endpoint.api_key)
    return f"{answered}: {words}" if words else _("{answered}, without a reason.").format(answered=answered)


def _status(said: ServerSaid) -> int | None:
    """The status; inside a stream, where there is none, the code when it looks like one."""
    if said.status is not None:
        return said.status
    code = said.code or str(said.fields.get("status", ""))
    return int(code) if len(code) == 3 and code.isdecimal() and code[0] in "45" else None


def _refused(error: RequestRefused, said: ServerSaid) -> RequestRefused:
    error.status = _status(said)
    return error


def _passing(error: Retryable, said: ServerSaid) -> Retryable:
    error.retry_after = said.retry_after
    return error


def _wait(said: ServerSaid) -> str:
    if said.retry_after and said.retry_after > 1:
        return _("Try again in {retry_after}.").format(retry_after=_duration(said.retry_after))
    return _("Try again later.")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return _("{seconds:.0f} seconds").format(seconds=seconds)
    return (
        _("{seconds:.0f} minutes").format(seconds=seconds / 60)
        if seconds < 7200
        else _("{seconds:.0f} hours").format(seconds=seconds / 3600)
    )


def _says_any(words: str, phrases: Sequence[str]) -> bool:
    return any(phrase in words for phrase in phrases)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what lies behind it, the outermost first."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        current = pending.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            pending.extend(current.exceptions)
        pending.extend((current.__cause__, current.__context__))


def _described(error: BaseException) -> str:
    """The innermost words of an error that has no name of its own here."""
    words = [str(cause) for cause in _causes(error) if str(cause)]
    return words[-1].rstrip(".")[:200] if words else type(error).__name__
