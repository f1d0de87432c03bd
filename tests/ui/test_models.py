"""Choosing a model: what is known of each, and what a smaller window means for the session."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import refuses, says
from tests.ui.support import LARGE, USUAL, sitting
from tui_agent.agent.connection import Connection
from tui_agent.context.gauge import Limits
from tui_agent.context.tokens import estimate
from tui_agent.model.client import ModelClient
from tui_agent.model.counters import EstimateCounter
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.listing import ModelInfo, read_entry
from tui_agent.model.windows import UNKNOWN
from tui_agent.ui.model_notes import note_of

LARGE_MODEL = {"id": "large-model", "context_length": 32_000, "pricing": {"prompt": "0.00000015", "completion": "6e-7"}}
SMALL_MODEL = {"id": "small-model", "context_length": 2_000}
LONG = "words of a long message, " * 60


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        (LARGE_MODEL, "window 32.0k (endpoint) · $0.15 in, $0.60 out per 1M tokens"),
        ({"id": "m", "pricing": {"prompt": "0", "completion": "0"}}, "free"),
        (
            {"id": "m", "pricing": {"prompt": "0.00000005", "completion": "0.0000004"}},
            "$0.05 in, $0.40 out per 1M tokens",
        ),
        ({"id": "m"}, ""),
        ({"id": "openai/gpt-4o-mini"}, "window 128k (table)"),
    ],
)
def test_window_and_price_are_told_where_they_are_known(entry: dict[str, Any], note: str) -> None:
    info = read_entry(entry)
    assert isinstance(info, ModelInfo)
    prices = {info.id: (info.input_price, info.output_price)} if info.input_price is not None else {}
    assert note_of(info, prices, None) == note  # type: ignore[arg-type]


def test_the_model_in_use_is_measured_as_the_gauge_measures_it() -> None:
    limits = Limits(window=4096, window_source="setting", reserve=0)
    assert note_of(ModelInfo("m", 8192, "endpoint"), {}, limits) == "in use · window 4.1k (setting)"


async def test_the_list_of_models_shows_windows_and_prices(tmp_path: Path) -> None:
    with ModelServer(models=(LARGE_MODEL, SMALL_MODEL)) as server:
        async with sitting(server, tmp_path, model="small-model") as person:
            await person.send("/model")
            await person.sees("$0.15 in, $0.60 out per")
            await person.sees("window 32.0k (endpoint)")
            await person.sees("in use · window 2.0k (endpoint)")


async def test_a_smaller_window_that_still_holds_the_session_is_told(tmp_path: Path) -> None:
    with ModelServer(models=(LARGE_MODEL, SMALL_MODEL)) as server:
        async with sitting(server, tmp_path, model="large-model") as person:
            await person.has_said("short")
            await person.send("/model small-model")
            await person.sees("Smaller window")
            await person.sees("has about")
            assert len(person.app.screen_stack) == 1


async def test_a_window_too_small_for_the_session_offers_compaction_and_it_can_be_taken(tmp_path: Path) -> None:
    # More than one request: what is to be read is larger than the new window.
    with ModelServer(models=(LARGE_MODEL, SMALL_MODEL), otherwise=says("- words were said")) as server:
        async with sitting(server, tmp_path, model="large-model", keep_recent=2) as person:
            await person.has_said(*(f"{LONG} {place}" for place in range(6)))
            await person.send("/model small-model")
            await person.sees("Its window is 2,000 tokens")
            await person.press("y")
            await person.sees("words were said")
            await person.press("a")
            await person.sees("old messages merged")


async def test_a_larger_window_is_only_told_of(tmp_path: Path) -> None:
    with ModelServer(models=(LARGE_MODEL, SMALL_MODEL)) as server:
        async with sitting(server, tmp_path, model="small-model") as person:
            await person.has_said("short")
            await person.send("/model large-model")
            await person.sees("large-model answers from now on.")
            assert "Smaller window" not in person.seen


async def test_an_address_that_would_carry_the_key_unencrypted_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
        async with sitting(server, tmp_path, base_url="http://models.example.com/v1") as person:
            await person.sees("unencrypted")


@pytest.mark.parametrize(
    ("url", "key", "is_told"),
    [
        ("http://models.example.com/v1", "", True),
        ("http://192.168.1.4:11434/v1", "sk", True),
        ("http://192.168.1.4:11434/v1", "", False),  # a server at home, asked without a key
        ("http://127.0.0.1:11434/v1", "sk", False),
        ("https://models.example.com/v1", "sk", False),
    ],
)
async def test_only_what_crosses_a_network_in_the_clear_is_warned_of(url: str, key: str, is_told: bool) -> None:
    endpoint = Endpoint(url, key)
    connection = Connection(ModelClient(endpoint), endpoint, "m", UNKNOWN, EstimateCounter(estimate))
    assert bool(connection.warning) is is_told


@pytest.mark.parametrize(("size", "is_placed"), [(LARGE, True), (USUAL, False)])
async def test_a_long_address_never_pushes_the_model_off_the_status_bar(
    tmp_path: Path, size: tuple[int, int], is_placed: bool
) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size, model="a-model-with-a-fairly-long-name") as person:
            await person.sees("● a-model-with-a-")
            assert (f"@ {server.url.removesuffix('/v1')}" in person.seen) is is_placed


async def test_a_key_is_entered_where_the_refusal_for_want_of_one_says(tmp_path: Path) -> None:
    with ModelServer(refuses(401, "no key")) as server:
        async with sitting(server, tmp_path, api_key="") as person:
            await person.send("hello")
            await person.sees("/model lists")
            await person.send("/model")
            await person.sees("Enter a key  for this run")
            await person.press(*"enter")
            await person.until(lambda: "fake-model  " not in person.seen)
            await person.press("enter")
            await person.sees("It goes to")
            await person.press(*"sk1", "enter")
            await person.until(lambda: person.conductor.services.settings.api_key == "sk1")


async def test_where_there_is_a_key_the_list_of_models_has_models_alone(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/model")
            await person.sees("in use")
            assert "Enter a key" not in person.seen
