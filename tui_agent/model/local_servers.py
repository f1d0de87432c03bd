"""Looks for model servers on this machine, on the ports where they usually listen."""

import asyncio
from collections.abc import Sequence

from tui_agent.errors import ModelError
from tui_agent.model.connection import Refused, ask
from tui_agent.model.endpoint import Endpoint, EndpointKind
from tui_agent.model.listing import ModelInfo, listed
from tui_agent.model.windows import UNKNOWN, Window, discover_window
from tui_agent.values import frozen

USUAL_PORTS: tuple[tuple[EndpointKind, int], ...] = (
    ("ollama", 11434),
    ("llama.cpp", 8080),
    ("lmstudio", 1234),
    ("vllm", 8000),
)

_LOOK_SECONDS = 0.8

_NAMES: dict[EndpointKind, str] = {
    "ollama": "Ollama",
    "llama.cpp": "llama.cpp",
    "lmstudio": "LM Studio",
    "vllm": "vLLM",
}


@frozen
class LocalServer:
    """A server that answered with a list of models."""

    endpoint: Endpoint
    kind: EndpointKind
    models: tuple[ModelInfo, ...]
    """Those that can chat; empty when none is installed."""

    window: Window = UNKNOWN
    """Of the first model."""


async def find_local_servers(
    ports: Sequence[tuple[EndpointKind, int]] = USUAL_PORTS, seconds: float = _LOOK_SECONDS
) -> list[LocalServer]:
    """The servers that answer within `seconds`, in the order of `ports`. None of them is sent a key; never raises."""
    looks = await asyncio.gather(*(_look(kind, port, seconds) for kind, port in ports))
    return [server for server in looks if server is not None]


async def _look(kind: EndpointKind, port: int, seconds: float) -> LocalServer | None:
    if not await _listens(port, seconds):
        return None
    endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", name=_NAMES.get(kind, ""), kind=kind)
    client = await ask(endpoint, seconds)
    try:
        answer = await client.get(f"{endpoint.base_url}/models")
    except (ModelError, Refused):
        return None
    finally:
        await client.aclose()
    if not isinstance(answer, dict):
        return None
    models = tuple(model for model in listed(answer) if not _only_embeds(model.id))
    window = await discover_window(endpoint, models[0].id, seconds) if models else UNKNOWN
    return LocalServer(endpoint, kind, models, window)


async def _listens(port: int, seconds: float) -> bool:
    """Whether anything listens: cheaper than a client, and the usual answer is no."""
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _only_embeds(model: str) -> bool:
    """Whether the model makes vectors and cannot chat."""
    return any(word in model.lower() for word in ("embed", "bge-", "rerank", "whisper"))
