"""Chat completions through the openai SDK, made safe for any host. Imported at first use: it costs half a second."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx2
import openai
from openai import Omit

from tui_agent.model.connection import Refused
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.failures import not_connected, unreachable
from tui_agent.model.http import headers_for, new_http_client
from tui_agent.model.said import ServerSaid, said_in_response

_OPERATION = "/chat/completions"


class _SafeClient(openai.AsyncOpenAI):
    """The SDK's client without what it would tell any host from the environment or about this machine."""

    def __init__(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> None:
        self._own_headers = headers_for(endpoint)
        super().__init__(
            api_key=endpoint.api_key or "none",
            admin_api_key="none",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http_client,
        )

    @property
    def default_headers(self) -> dict[str, str | Omit]:
        return {"Content-Type": "application/json", **self._own_headers}


class SdkConnection:
    """Chat completions at one endpoint."""

    def __init__(self, endpoint: Endpoint, connect_seconds: float) -> None:
        self._endpoint = endpoint
        self._connect_seconds = connect_seconds
        self._http = new_http_client(endpoint, connect_seconds)
        self._client = _SafeClient(endpoint, self._http)
        unsaid = ["x-stainless-retry-count", "x-stainless-read-timeout"]
        if not endpoint.api_key:
            unsaid.append("Authorization")
        self._unsaid = {name: Omit() for name in unsaid}

    async def open(self, body: Mapping[str, Any]) -> "SdkAnswer":
        try:
            response = await self._client.post(
                _OPERATION,
                cast_to=httpx2.Response,
                body=body,
                stream=True,
                stream_cls=None,
                options={"headers": self._unsaid, "follow_redirects": False},
            )
        except openai.APIStatusError as error:
            raise Refused(_said(error)) from None
        except openai.APITimeoutError:
            raise not_connected(self._endpoint, self._connect_seconds) from None
        except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
            raise unreachable(error, self._endpoint) from error
        return SdkAnswer(response, self._endpoint)

    async def aclose(self) -> None:
        await self._http.aclose()


class SdkAnswer:
    """A response whose body is still coming, as bytes: reading events is our own business."""

    def __init__(self, response: httpx2.Response, endpoint: Endpoint) -> None:
        self.url = str(response.request.url)
        self.content_type = response.headers.get("content-type", "")
        self._response = response
        self._endpoint = endpoint

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(self._response.aiter_bytes()) as pieces:
                async for piece in pieces:
                    yield piece
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            raise unreachable(error, self._endpoint) from error

    async def aclose(self) -> None:
        await self._response.aclose()


def _said(error: openai.APIStatusError) -> ServerSaid:
    response = error.response
    return said_in_response(response.status_code, response.headers, response.content)
