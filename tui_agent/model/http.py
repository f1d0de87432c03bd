"""Plain HTTP to an endpoint: the client that the SDK uses too, and small JSON questions without the SDK."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2

from tui_agent import __version__
from tui_agent.language import N_, _
from tui_agent.model.connection import Refused
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.failures import not_a_stream, too_slow, unreachable
from tui_agent.model.said import said_in_response

ANSWER_BYTES = 20_000_000
"""The longest JSON answer that is read; lists of models are a few megabytes at most."""

ERROR_BYTES = 256_000
"""How much of an error's body is read."""

PACKED_BYTES = 8_000
"""The same of one that is compressed: a few kilobytes may unpack to a thousand times as much, all at once."""


def new_http_client(endpoint: Endpoint, connect_seconds: float, kept_open: int = 4) -> httpx2.AsyncClient:
    """A client that follows no redirect, and for this machine no proxy; waiting for answers is timed by the caller."""
    is_encrypted = endpoint.base_url.startswith("https:")
    return httpx2.AsyncClient(
        verify=is_encrypted,  # loading certificates takes a moment; without TLS there is nothing to verify
        timeout=httpx2.Timeout(None, connect=connect_seconds, pool=connect_seconds),
        limits=httpx2.Limits(max_keepalive_connections=kept_open),
        follow_redirects=False,
        trust_env=not endpoint.is_loopback,
        event_hooks={"response": [_cap_error]},
    )


async def _cap_error(response: httpx2.Response) -> None:
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        is_packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Beginning(response.stream, PACKED_BYTES if is_packed else ERROR_BYTES)


class _Beginning(httpx2.AsyncByteStream):
    """The beginning of an error's body, so that reading it to its end does not take for ever."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._left = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece[: self._left]
            self._left -= len(piece)
            if self._left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


def headers_for(endpoint: Endpoint) -> dict[str, str]:
    """All that is told to an endpoint besides the request: no organisation, no project, nothing about this machine."""
    headers = {"User-Agent": f"tui-agent/{__version__}", "Accept": "application/json, text/event-stream"}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key}"
    return headers


class HttpJsonClient:
    """Questions to one endpoint; the key goes to its own origin alone. No connection stays open between two."""

    def __init__(self, endpoint: Endpoint, seconds: float) -> None:
        self._endpoint = endpoint
        self._seconds = seconds
        self._http = new_http_client(endpoint, seconds, kept_open=0)

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        return await self._ask("GET", url, None, headers)

    async def post(self, url: str, body: Mapping[str, Any]) -> Any:
        return await self._ask("POST", url, body, None)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _ask(
        self, method: str, url: str, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None
    ) -> Any:
        if not url.startswith(f"{self._endpoint.address}/"):
            raise ValueError(f"{url} is not at {self._endpoint.origin}")
        try:
            async with asyncio.timeout(self._seconds):
                return await self._exchange(method, url, body, {**headers_for(self._endpoint), **(headers or {})})
        except (TimeoutError, httpx2.TimeoutException):
            raise too_slow(self._endpoint, self._seconds, N_("answer")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise unreachable(error, self._endpoint) from error

    async def _exchange(self, method: str, url: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Any:
        async with self._http.stream(method, url, json=body, headers=headers) as response:
            content = await _read_capped(response, ANSWER_BYTES)
        if response.status_code != 200:
            raise Refused(said_in_response(response.status_code, response.headers, content))
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise not_a_stream(url, response.headers.get("content-type", ""), _("it is not JSON")) from None


async def _read_capped(response: httpx2.Response, most: int) -> bytes:
    """The body up to `most` bytes; the rest is not read."""
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > most:
            break
    return bytes(content[:most])
