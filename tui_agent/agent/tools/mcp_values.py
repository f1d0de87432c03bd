"""What MCP servers, their tools and their answers are here, without the SDK."""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from tui_agent.errors import ToolFailed
from tui_agent.values import frozen


@frozen
class LocalServer:
    """A program that speaks on its standard streams."""

    name: str
    command: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the few harmless variables it inherits."""

    directory: str | None = None


@frozen
class RemoteServer:
    """A server that is reached by HTTP."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


Server = LocalServer | RemoteServer


@frozen
class RemoteTool:
    """A tool as its server describes it."""

    name: str
    description: str
    parameters: str
    """JSON schema of the arguments, as compact JSON."""


@frozen
class RemoteResult:
    """What a server gave back, as text."""

    output: str
    failed: bool


class ConnectionLost(ToolFailed):
    """The server has ended or cannot be reached any more."""


class Connection(Protocol):
    """An open connection to one server."""

    async def tools(self) -> list[RemoteTool]: ...

    async def call(self, tool: str, arguments: Mapping[str, object], seconds: float) -> RemoteResult: ...
