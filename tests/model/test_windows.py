"""The window of a model: asked of every kind of server, read from lists, looked up, or unknown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.model_server import ModelServer
from tests.model.test_toolcalls import json_values
from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.listing import listed, read_entry
from tui_agent.model.refresh_windows import shortened, windows_in
from tui_agent.model.window_table import plain_name, table_window
from tui_agent.model.windows import UNKNOWN, Window, discover_window, learn


async def window_of(server: ModelServer, model: str = "fake-model", key: str = "") -> Window:
    return await discover_window(Endpoint(server.url, api_key=key), model)


# ── servers on this machine ──────────────────────────────────────────────────


async def test_llama_cpp_says_what_it_allocated() -> None:
    with ModelServer(models=[{"id": "m.gguf", "meta": {"n_ctx_train": 32768}}]) as server:
        server.route("GET", "/props", {"default_generation_settings": {"n_ctx": 512}, "total_slots": 1})
        assert await window_of(server, "m.gguf") == Window(512, "llama.cpp")


async def test_llama_cpp_says_it_in_its_list_too() -> None:
    with ModelServer(models=[{"id": "m.gguf", "meta": {"n_ctx": 2048, "n_ctx_train": 32768}}]) as server:
        assert await window_of(server, "whatever") == Window(2048, "endpoint")


async def test_a_trained_maximum_is_called_one() -> None:
    with ModelServer(models=[{"id": "m.gguf", "meta": {"n_ctx_train": 32768}}]) as server:
        assert await window_of(server, "m.gguf") == Window(32768, "trained maximum")


async def test_vllm_says_it_in_its_list() -> None:
    with ModelServer(models=[{"id": "Qwen/Qwen3-8B", "max_model_len": 40960}]) as server:
        assert await window_of(server, "Qwen/Qwen3-8B") == Window(40960, "endpoint")


async def test_lm_studio_says_what_it_has_loaded() -> None:
    loaded = {"loaded_instances": [{"id": "qwen", "config": {"context_length": 4096}}], "max_context_length": 131072}
    with ModelServer(models=["qwen"]) as server:
        server.route("GET", "/api/v1/models", {"models": [{"key": "qwen", **loaded}]})
        assert await window_of(server, "qwen") == Window(4096, "LM Studio")


async def test_an_older_lm_studio_says_it_elsewhere() -> None:
    with ModelServer(models=["qwen"]) as server:
        entry = {"id": "qwen", "loaded_context_length": 8192, "max_context_length": 131072, "state": "loaded"}
        server.route("GET", "/api/v0/models", {"data": [entry]})
        assert await window_of(server, "qwen") == Window(8192, "LM Studio")


SHOWN = {"details": {"family": "gemma3"}, "model_info": {"gemma3.context_length": 131072}, "parameters": 'stop "x"'}


async def test_ollama_says_what_a_loaded_model_runs_with() -> None:
    with ModelServer(models=["gemma3:4b"]) as server:
        server.route("GET", "/api/ps", {"models": [{"name": "gemma3:4b", "context_length": 8192}]})
        server.route("POST", "/api/show", SHOWN)
        assert await window_of(server, "gemma3:4b") == Window(8192, "Ollama")


async def test_ollama_tells_the_size_in_a_models_own_settings() -> None:
    with ModelServer(models=["gemma3:4b"]) as server:
        server.route("GET", "/api/ps", {"models": []})
        server.route("POST", "/api/show", {**SHOWN, "parameters": "temperature 0.7\nnum_ctx                16384\n"})
        assert await window_of(server, "gemma3:4b") == Window(16384, "Ollama")


async def test_the_trained_maximum_of_ollama_is_not_believed() -> None:
    with ModelServer(models=["gemma3:4b"]) as server:
        server.route("GET", "/api/ps", {"models": []})
        server.route("POST", "/api/show", SHOWN)
        assert await window_of(server, "gemma3:4b") == Window(4096, "Ollama's default")


async def test_a_local_server_that_says_nothing_is_unknown_even_for_a_known_name() -> None:
    with ModelServer(models=["gpt-4o", "llama-3"]) as server:
        assert await window_of(server, "gpt-4o") == UNKNOWN


async def test_a_server_that_is_not_there_is_unknown() -> None:
    with ModelServer() as server:
        url = server.url
    assert await discover_window(Endpoint(url), "m") == UNKNOWN


async def test_the_key_goes_along_to_the_endpoint_itself() -> None:
    with ModelServer(models=[{"id": "m", "max_model_len": 1000}], key="sk-x") as server:
        assert (await window_of(server, "m", key="sk-x")).tokens == 1000


@pytest.mark.parametrize("answer", ["<html></html>", [], None, 5, {"models": None}, {"data": [None, 3, {"id": 5}]}])
async def test_answers_of_any_shape_are_survived(answer: Any) -> None:
    with ModelServer() as server:
        for path in ("/props", "/v1/models", "/api/ps", "/api/v1/models", "/api/v0/models"):
            server.route("GET", path, answer)
        server.route("POST", "/api/show", answer)
        assert await window_of(server, "m") == UNKNOWN


# ── lists of hosted endpoints ────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"context_length": 200000, "top_provider": {"context_length": 128000, "max_completion_tokens": 9}}, 128000),
        ({"context_window": 131072, "max_completion_tokens": 32768}, 131072),
        ({"max_context_length": 32768}, 32768),
        ({"max_input_tokens": 200000, "max_tokens": 64000}, 200000),
        ({"max_input_tokens": None, "max_output_tokens": None}, None),
        ({"inputTokenLimit": 1048576, "outputTokenLimit": 65536}, 1048576),
        ({"max_model_len": 40960}, 40960),
        ({"max_tokens": 8192}, None),
        ({"context_length": "131072"}, None),
        ({"context_length": 0}, None),
        ({"context_length": -1}, None),
        ({"context_length": True}, None),
        ({"context_length": 10**30}, None),
    ],
)
def test_the_window_in_an_entry_of_a_list(entry: dict[str, Any], window: int | None) -> None:
    info = read_entry({"id": "m", **entry})
    assert info is not None
    assert info.window == window


def test_a_list_names_each_model_once_and_in_order() -> None:
    answer = {"data": [{"id": "b"}, {"id": "a"}, {"id": "b"}, {"object": "x"}, {"id": " "}, None]}
    assert [model.id for model in listed(answer)] == ["b", "a"]


def test_prices_are_read_where_they_are_told() -> None:
    info = read_entry({"id": "m", "pricing": {"prompt": "0.00000125", "completion": "0.00001"}})
    assert info is not None
    assert (info.input_price, info.output_price) == (1.25, 10.0)
    free = read_entry({"id": "m", "pricing": {"prompt": "-1", "completion": None}})
    assert free is not None
    assert (free.input_price, free.output_price) == (None, None)


async def test_a_list_is_read_to_its_last_page() -> None:
    with ModelServer() as server:
        server.route("GET", "/v1/models", {"data": [{"id": "a"}], "links": {"next": "/v1/models?page=2"}})
        server.route("GET", "/v1/models?page=2", {"data": [{"id": "b"}], "links": {"next": None}})
        client = ModelClient(Endpoint(server.url))
        assert [model.id for model in await client.models()] == ["a", "b"]


async def test_a_next_page_on_another_host_or_without_end_is_not_followed() -> None:
    with ModelServer() as elsewhere, ModelServer() as server:
        for following in (f"{elsewhere.url}/models", "/v1/models", "//evil.invalid/v1/models"):
            server.route("GET", "/v1/models", {"data": [{"id": "a"}], "links": {"next": following}})
            assert [model.id for model in await ModelClient(Endpoint(server.url)).models()] == ["a"]
    assert not elsewhere.others


def test_lists_come_in_several_wrappings() -> None:
    for answer in ({"data": [{"id": "m"}]}, {"models": [{"name": "m"}]}, [{"id": "m"}], {"models": [{"key": "m"}]}):
        assert [model.id for model in listed(answer)] == ["m"]


@given(json_values | st.fixed_dictionaries({"data": st.lists(st.dictionaries(st.just("id"), json_values))}))
def test_any_answer_is_a_list_of_models(answer: Any) -> None:
    assert all(model.id for model in listed(answer))


# ── the table ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128000),
        ("gpt-4o-mini-2024-07-18", 128000),
        ("openai/gpt-4o", 128000),
        ("openai/gpt-4o:free", 128000),
        ("ft:gpt-4o-2024-08-06:us::x", 128000),
        ("GPT-4o", 128000),
        ("gpt-4", 8192),
        ("gpt-5", 272000),
        ("gpt-5.99-unheard-of", 272000),
        ("claude-sonnet-4-5-20250929", 200000),
        ("claude-something-new", 200000),
        ("gemini-2.5-pro", 1048576),
        ("models/gemini-2.5-pro", 1048576),
        ("o3", 200000),
        ("o300", None),
        ("qwen2.5-coder", None),
        ("local-model.gguf", None),
        ("", None),
        ("/", None),
        (":", None),
    ],
)
def test_well_known_models_are_in_the_table(model: str, window: int | None) -> None:
    assert table_window(model) == window


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-6-sol"])
async def test_an_endpoint_whose_lists_are_silent_is_not_asked(model: str) -> None:
    window = await discover_window(Endpoint("https://api.openai.com/v1"), model)
    assert window == Window(table_window(model), "table")


def test_plain_names_leave_out_maker_route_and_tuning() -> None:
    assert plain_name("openrouter/anthropic/Claude-Opus-5:nitro") == "claude-opus-5"


def test_the_table_is_made_from_a_catalogue_without_repeating_itself() -> None:
    catalogue = {
        "sample_spec": {"mode": "chat", "litellm_provider": "openai", "max_input_tokens": "many"},
        "gpt-9": {"mode": "chat", "litellm_provider": "openai", "max_input_tokens": 100},
        "gpt-9-2030-01-01": {"mode": "chat", "litellm_provider": "openai", "max_input_tokens": 100},
        "gpt-9-mini": {"mode": "chat", "litellm_provider": "openai", "max_input_tokens": 50},
        "azure/gpt-9": {"mode": "chat", "litellm_provider": "azure", "max_input_tokens": 7},
        "whisper-9": {"mode": "audio", "litellm_provider": "openai", "max_input_tokens": 9},
    }
    table = shortened(windows_in(catalogue))
    assert table["gpt-9"] == 100
    assert table["gpt-9-mini"] == 50
    assert "gpt-9-2030-01-01" not in table
    assert "whisper-9" not in table


def test_a_limit_named_in_an_overflow_is_learnt() -> None:
    assert learn(Window(32768, "table"), 4096) == Window(4096, "overflow error")
    assert learn(Window(32768, "table"), None) == Window(32768, "table")
    assert learn(Window(32768, "table"), 3) == Window(32768, "table"), "5 tokens > 3 maximum"
