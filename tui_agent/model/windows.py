"""Finds out how many tokens a model accepts: what the server runs with, else what it lists, else a table."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from tui_agent.errors import ModelError
from tui_agent.model.catalogue import fetch_entries
from tui_agent.model.connection import JsonClient, Refused, ask
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.listing import ModelInfo, entries_of, read_entry, tokens_in
from tui_agent.model.window_table import plain_name, table_window
from tui_agent.values import frozen

PROBE_SECONDS = 2.0

OLLAMA_DEFAULT = 4096
"""What Ollama gives a model on most machines unless it was told otherwise; it cuts longer requests in silence."""

_SILENT_HOSTS = ("api.openai.com", "api.deepseek.com", "api.x.ai")
"""Their lists of models say nothing of windows."""

_GEMINI_HOST = "generativelanguage.googleapis.com"


@frozen
class Window:
    """The most tokens a model accepts, and who says so."""

    tokens: int | None = None
    source: str = "unknown"
    listed: ModelInfo | None = field(default=None, compare=False, repr=False)
    """What the endpoint's list says of the model besides, where it was asked."""


UNKNOWN = Window()

LEAST_LEARNT = 256
"""Tokens below which what an error seems to name is no window that anybody could chat in, but another number."""


def learn(window: Window, limit: int | None) -> Window:
    """The window after an overflow that named its limit; without one, or with an absurd one, it stays."""
    return Window(limit, "overflow error") if limit and limit >= LEAST_LEARNT else window


async def discover_window(endpoint: Endpoint, model: str, seconds: float = PROBE_SECONDS) -> Window:
    """The window of `model`, or `Window(None, "unknown")`. Asks the endpoint for at most `seconds`; never raises.

    On this machine and in a private network only what a server says is believed: the table knows what a model could
    take, a server may run it with far less.
    """
    if endpoint.host in _SILENT_HOSTS:
        return _from_table(model)
    client = await ask(endpoint, seconds)
    try:
        found = await (_of_local(client, endpoint, model) if endpoint.is_local else _of_hosted(client, endpoint, model))
    finally:
        await client.aclose()
    if found != UNKNOWN:
        return found
    return UNKNOWN if endpoint.is_local else _from_table(model)


def _from_table(model: str) -> Window:
    tokens = table_window(model)
    return Window(tokens, "table") if tokens else UNKNOWN


async def _of_hosted(client: JsonClient, endpoint: Endpoint, model: str) -> Window:
    if endpoint.host == _GEMINI_HOST:
        return await _of_gemini(client, endpoint, model)
    entry = _entry_for(await _answer(fetch_entries, client, endpoint), model)
    if entry is None:
        return UNKNOWN
    info = read_entry(entry)
    return Window(info.window, info.window_source, info) if info and info.window else UNKNOWN


async def _of_gemini(client: JsonClient, endpoint: Endpoint, model: str) -> Window:
    """Gemini tells its windows only in its own interface, which takes the key in a header of its own."""
    url = f"{endpoint.address}/v1beta/models/{plain_name(model)}"
    answer = await _answer(client.get, url, {"x-goog-api-key": endpoint.api_key})
    tokens = tokens_in(answer.get("inputTokenLimit")) if isinstance(answer, dict) else None
    return Window(tokens, "endpoint") if tokens else UNKNOWN


async def _of_local(client: JsonClient, endpoint: Endpoint, model: str) -> Window:
    """Ask in every way that local servers know, all at once; the surest answer counts."""
    root = endpoint.root
    props, listed, loaded, studio, older_studio, shown = await asyncio.gather(
        _answer(client.get, f"{root}/props"),
        _answer(client.get, f"{endpoint.base_url}/models"),
        _answer(client.get, f"{root}/api/ps"),
        _answer(client.get, f"{root}/api/v1/models"),
        _answer(client.get, f"{root}/api/v0/models"),
        _answer(client.post, f"{root}/api/show", {"model": model}),
    )
    entry = _entry_for(listed, model)
    info = read_entry(entry) if entry is not None else None
    allocated = (
        Window(_llama_cpp_window(props), "llama.cpp"),
        Window(_allocated(entry), "endpoint"),
        Window(_lm_studio_window(studio, model), "LM Studio"),
        Window(_loaded_with(older_studio, model, "loaded_context_length"), "LM Studio"),
        Window(_loaded_with(loaded, model, "context_length"), "Ollama"),
        Window(_configured_window(shown), "Ollama"),
        Window(_default_of_ollama(loaded, shown), "Ollama's default"),
        Window(info.window if info else None, "endpoint"),
    )
    return next((window for window in allocated if window.tokens), _as_trained(info))


def _as_trained(info: ModelInfo | None) -> Window:
    return Window(info.trained, "trained maximum") if info and info.trained else UNKNOWN


async def _answer(ask: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """What was answered; None when there was no answer, which is an answer too."""
    try:
        return await ask(*arguments)
    except (ModelError, Refused):
        return None


def _entry_for(answer: Any, model: str) -> Mapping[str, Any] | None:
    """The entry of `model` in a list: by its name, by its plain name, or because it is the only one."""
    entries = list(entries_of(answer))
    for same in (_is_called, _is_plainly_called):
        for entry in entries:
            if same(entry, model):
                return entry
    return entries[0] if len(entries) == 1 else None


def _names(entry: Mapping[str, Any]) -> list[str]:
    return [entry[key] for key in ("id", "key", "name", "model") if isinstance(entry.get(key), str)]


def _is_called(entry: Mapping[str, Any], model: str) -> bool:
    return any(name in (model, f"{model}:latest", f"models/{model}") for name in _names(entry))


def _is_plainly_called(entry: Mapping[str, Any], model: str) -> bool:
    return any(plain_name(name) == plain_name(model) for name in _names(entry))


def _llama_cpp_window(props: Any) -> int | None:
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    return tokens_in(settings.get("n_ctx")) if isinstance(settings, dict) else None


def _allocated(entry: Mapping[str, Any] | None) -> int | None:
    """What llama.cpp and vLLM say in their lists that they run the model with."""
    if entry is None:
        return None
    meta = entry.get("meta")
    told = [entry.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, dict) else None]
    return next((tokens for tokens in map(tokens_in, told) if tokens), None)


def _lm_studio_window(answer: Any, model: str) -> int | None:
    """What LM Studio has loaded the model with; nothing while it is not loaded."""
    for entry in entries_of(answer):
        instances = entry.get("loaded_instances")
        for instance in instances if isinstance(instances, list) else ():
            if not isinstance(instance, dict):
                continue
            is_meant = _is_called(entry, model) or _is_called(instance, model)
            config = instance.get("config")
            if is_meant and isinstance(config, dict):
                return tokens_in(config.get("context_length"))
    return None


def _loaded_with(answer: Any, model: str, field: str) -> int | None:
    """What the model runs with at this moment, by a list that tells it under this name."""
    entry = next((each for each in entries_of(answer) if _is_called(each, model)), None)
    return tokens_in(entry.get(field)) if entry is not None else None


def _configured_window(shown: Any) -> int | None:
    """`num_ctx` in the model's own settings; its trained maximum, which stands there too, is no promise."""
    parameters = shown.get("parameters") if isinstance(shown, dict) else None
    told = re.search(r"^\s*num_ctx\s+(\d{1,9})\s*$", parameters, re.MULTILINE) if isinstance(parameters, str) else None
    return int(told.group(1)) if told else None


def _default_of_ollama(loaded: Any, shown: Any) -> int | None:
    is_ollama = isinstance(loaded, dict) and isinstance(loaded.get("models"), list)
    knows_model = isinstance(shown, dict) and ("model_info" in shown or "details" in shown)
    return OLLAMA_DEFAULT if is_ollama and knows_model else None
