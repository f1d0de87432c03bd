"""The one module that imports the MCP SDK: opens a connection to a server and turns its values into plain ones."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TextIO

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import Client, MCPError
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
    jsonrpc_message_adapter,
)

from tui_agent.agent.tools.mcp_process import ServerProcess, server_process
from tui_agent.agent.tools.mcp_values import (
    ConnectionLost,
    LocalServer,
    RemoteResult,
    RemoteServer,
    RemoteTool,
    Server,
)
from tui_agent.errors import ToolFailed

_MOST_PAGES = 50
_CONNECT_SECONDS = 20.0


class McpConnection:
    """An open connection to one server; calls may come from any task."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    async def tools(self) -> list[RemoteTool]:
        """Every tool the server offers.

        Raises:
            ToolFailed: it did not answer as it should.
        """
        tools: list[RemoteTool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            try:
                page = await self._client.list_tools(cursor=cursor)
            except MCPError as error:
                raise ToolFailed(f"The MCP server {self._name} does not list its tools: {error.message}.") from error
            for tool in page.tools:
                schema = json.dumps(tool.input_schema, ensure_ascii=False, separators=(",", ":"))
                tools.append(RemoteTool(tool.name, tool.description or tool.title or "", schema))
            cursor = page.next_cursor
            if not cursor:
                break
        return tools

    async def call(self, tool: str, arguments: Mapping[str, object], seconds: float) -> RemoteResult:
        """Call a tool.

        Raises:
            ConnectionLost: the server is gone.
            ToolFailed: it refused, or did not answer in time.
        """
        try:
            returned = await self._client.call_tool(tool, dict(arguments), read_timeout_seconds=seconds)
        except MCPError as error:
            if _is_closed(error):
                raise ConnectionLost(f"The MCP server {self._name} has ended.", "The outcome is unknown.") from error
            raise ToolFailed(f"The MCP server {self._name} refused: {error.message}.") from error
        except (OSError, httpx2.HTTPError) as error:
            raise ConnectionLost(f"The MCP server {self._name} cannot be reached: {error}.") from error
        return RemoteResult(_text_of(returned), bool(returned.is_error))


@asynccontextmanager
async def connected(server: Server, errors: TextIO) -> AsyncIterator[McpConnection]:
    """A connection to the server, closed at the end. What a local server prints as errors goes to `errors`.

    Raises:
        ToolFailed: it could not be started or reached, or does not speak the protocol.
    """
    try:
        async with _client(server, errors) as client:
            yield McpConnection(client, server.name)
    except (MCPError, OSError, ValueError, httpx2.HTTPError, ExceptionGroup) as error:
        raise ToolFailed(f"The MCP server {server.name} failed: {_reason(error)}.") from error


@asynccontextmanager
async def _client(server: Server, errors: TextIO) -> AsyncIterator[Client]:
    match server:
        case LocalServer():
            async with Client(_spoken_with(server, errors)) as client:
                yield client
        case RemoteServer(_, url, headers):
            timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
            async with (
                httpx2.AsyncClient(headers=dict(headers), timeout=timeout, follow_redirects=False) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                yield client


_Received = SessionMessage | Exception


@asynccontextmanager
async def _spoken_with(
    server: LocalServer, errors: TextIO
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[_Received], MemoryObjectSendStream[SessionMessage]]]:
    """What the SDK's own client of local servers gives, with a process that ends even if this program is killed."""
    into_client, from_server = anyio.create_memory_object_stream[_Received](0)
    to_server, out_of_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with (
        into_client,
        from_server,
        to_server,
        out_of_client,
        server_process(server, get_default_environment(), errors) as process,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(_hear, process, into_client)
        tasks.start_soon(_tell, process, out_of_client, into_client)
        yield from_server, to_server
        tasks.cancel_scope.cancel()


async def _hear(process: ServerProcess, into_client: MemoryObjectSendStream[_Received]) -> None:
    """Hand on what it says; when it says no more, or nothing that has an end, the connection is over."""
    async with into_client:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError, ValueError):
            async for line in process.lines():
                await into_client.send(_parsed(line))


def _parsed(line: str) -> _Received:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _tell(
    process: ServerProcess,
    out_of_client: MemoryObjectReceiveStream[SessionMessage],
    into_client: MemoryObjectSendStream[_Received],
) -> None:
    """Hand on what the client says; a server that does not listen is one that is gone."""
    try:
        async for sent in out_of_client:
            await process.write(sent.message.model_dump_json(by_alias=True, exclude_unset=True))
    except OSError:
        await into_client.aclose()


def _is_closed(error: MCPError) -> bool:
    return "closed" in error.message.lower()


def _text_of(returned: CallToolResult) -> str:
    pieces = [_block_text(block) for block in returned.content]
    if not pieces and returned.structured_content is not None:
        return json.dumps(returned.structured_content, ensure_ascii=False)
    return "\n".join(pieces)


def _block_text(block: ContentBlock) -> str:
    """A piece of an answer as text; pictures and sounds are named, not sent on."""
    match block:
        case TextContent(text=text):
            return text
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case EmbeddedResource(resource=resource):
            return f"[resource {resource.uri}]"
        case ResourceLink(uri=uri, name=name):
            return f"[{name}: {uri}]"
        case _:
            return f"[{block.type} {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]"


def _reason(error: Exception) -> str:
    """The innermost reason of a failure that may have come in groups."""
    innermost: BaseException = error
    while isinstance(innermost, BaseExceptionGroup):
        innermost = innermost.exceptions[0]
    return innermost.message if isinstance(innermost, MCPError) else str(innermost) or type(innermost).__name__
