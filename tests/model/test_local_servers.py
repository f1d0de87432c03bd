"""Servers on this machine: found by their ports, quickly, without a key."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.fakes.model_server import ModelServer
from tui_agent.model.local_servers import find_local_servers
from tui_agent.model.windows import Window


@pytest.fixture
async def silent_port() -> AsyncIterator[int]:
    """Something that accepts connections and never says a word."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_servers_are_found_with_their_models_and_windows() -> None:
    with (
        ModelServer(models=["gemma3:4b", "nomic-embed-text"]) as ollama,
        ModelServer(window=512, overflow="llama.cpp") as llama,
    ):
        ollama.route("GET", "/api/ps", {"models": [{"name": "gemma3:4b", "context_length": 8192}]})
        found = await find_local_servers([("ollama", ollama.port), ("llama.cpp", llama.port)], seconds=5)
    assert [server.kind for server in found] == ["ollama", "llama.cpp"]
    assert [[model.id for model in server.models] for server in found] == [["gemma3:4b"], ["fake-model"]]
    assert [server.window for server in found] == [Window(8192, "Ollama"), Window(512, "llama.cpp")]
    assert found[0].endpoint.base_url == ollama.url
    assert found[0].endpoint.name == "Ollama"
    assert all("authorization" not in request.headers for request in ollama.others)


async def test_what_is_no_model_server_is_not_found() -> None:
    with ModelServer() as web:
        web.route("GET", "/v1/models", "<html>Jenkins</html>")
        assert await find_local_servers([("llama.cpp", web.port)], seconds=5) == []


async def test_a_port_that_is_closed_or_silent_does_not_hold_up_the_search(silent_port: int) -> None:
    with ModelServer() as gone:
        closed = gone.port
    begin = time.monotonic()
    assert await find_local_servers([("ollama", closed), ("vllm", silent_port)], seconds=0.3) == []
    assert time.monotonic() - begin < 2


async def test_a_server_without_models_is_still_named() -> None:
    with ModelServer(models=[]) as server:
        (found,) = await find_local_servers([("ollama", server.port)], seconds=5)
    assert found.models == ()
