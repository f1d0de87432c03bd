"""What the client needs from the wire. Implemented in `sdk` and `http`, which are slow to import and come in late."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from importlib import import_module
from typing import Any, Protocol

from tui_agent.model.endpoint import Endpoint
from tui_agent.model.said import ServerSaid


class Refused(Exception):
    """The endpoint answered with a status that is an error."""

    def __init__(self, said: ServerSaid) -> None:
        super().__init__(said.message)
        self.said = said


class Answer(Protocol):
    """An answer whose head has arrived and whose body is still coming."""

    url: str
    content_type: str

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it arrives.

        Raises:
            EndpointUnreachable: the connection broke.
        """
        ...

    async def aclose(self) -> None:
        """Close the connection at once, so that the endpoint stops working."""
        ...


class Connection(Protocol):
    """Chat completions at one endpoint."""

    async def open(self, body: Mapping[str, Any]) -> Answer:
        """Send a request.

        Raises:
            Refused: the status is an error.
            EndpointUnreachable: no connection.
        """
        ...

    async def aclose(self) -> None: ...


class JsonClient(Protocol):
    """Small questions to a server, answered with JSON."""

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON at `url`, which must be at the endpoint's own origin.

        Raises:
            Refused: the status is an error.
            EndpointUnreachable: no connection, or no answer in time.
            ProtocolBroken: the answer is no JSON.
        """
        ...

    async def post(self, url: str, body: Mapping[str, Any]) -> Any:
        """The JSON answered to `body`; raises as `get` does."""
        ...

    async def aclose(self) -> None: ...


async def prepare() -> None:
    """Load what `connect` needs: it takes half a second, in which other things can be done."""
    await asyncio.to_thread(_load)


def _load() -> None:
    from tui_agent.model.sdk_loading import load_sdk  # many starts connect to nothing

    load_sdk()


async def connect(endpoint: Endpoint, connect_seconds: float) -> Connection:
    """A connection through the SDK, which is imported in a thread the first time."""
    await prepare()
    from tui_agent.model.sdk import SdkConnection

    return await asyncio.to_thread(SdkConnection, endpoint, connect_seconds)


async def ask(endpoint: Endpoint, seconds: float) -> JsonClient:
    """A client for small questions; `seconds` bound each of them as a whole."""
    await asyncio.to_thread(import_module, "tui_agent.model.http")
    from tui_agent.model.http import HttpJsonClient

    return await asyncio.to_thread(HttpJsonClient, endpoint, seconds)
