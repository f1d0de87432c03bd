"""Counting tokens by a server, by a vocabulary on this machine, by an estimate: it never raises, never waits long."""

import asyncio
import base64
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.model_server import ModelServer
from tui_agent.model.counters import EstimateCounter, TiktokenCounter, TokenizeCounter, make_counter
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.vocabulary import encoding_for, load_encoder, vocabulary_file

MODELS = ["qwen3-coder:30b", "deepseek/deepseek-v4", "gpt-4o", "openai/o1", "", "local-model.gguf"]
TEXTS = {
    "end of text": "see <|endoftext|> here",
    "chat marks": "<|im_start|>system\nx<|im_end|>",
    "fill in": "<|fim_prefix|>",
    "nothing": "",
    "carets": "^" * 1_000_000,
    "letters": "a" * 1_000_000,
    "spaces": " " * 1_000_000,
    "base64": base64.b64encode(random.Random(7).randbytes(225_000)).decode(),
    "half a pair": "\ud83d",
    "NUL": "\x00",
}


def estimate(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // 4 + 1


class Panic(BaseException):
    """What a native library raises when it gives up: no Exception."""


def encode(text: str) -> Sequence[int]:
    return text.encode("utf-8")


def counter_of(function: object, *, exact: bool = True) -> TiktokenCounter:
    return TiktokenCounter(function, "fake", exact=exact, estimate=estimate)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_any_text_is_counted_for_any_model(text: str, model: str) -> None:
    counter = await make_counter(Endpoint("https://api.openai.com/v1"), model, estimate)
    async with asyncio.timeout(2):
        assert await counter.count(text) >= 0


@given(st.text(st.characters()))
def test_a_tokenizer_gets_only_valid_text(text: str) -> None:
    assert asyncio.run(counter_of(encode).count(text)) >= 0


async def test_a_long_text_is_counted_in_pieces() -> None:
    lengths: list[int] = []

    def note(text: str) -> Sequence[int]:
        lengths.append(len(text))
        return text.encode()

    assert await counter_of(note).count("a" * 250_000) == 250_000
    assert sum(lengths) == 250_000
    assert max(lengths) <= 20_000


@pytest.mark.parametrize("length", [300_001, 320_001, 1_000_000, 7_654_321])
async def test_a_very_long_text_is_sampled(length: int) -> None:
    lengths: list[int] = []

    def note(text: str) -> Sequence[int]:
        lengths.append(len(text))
        return text.encode()

    assert await counter_of(note).count("a" * length) == length
    assert sum(lengths) <= 300_000


async def test_a_sample_stands_for_all_parts_of_a_text() -> None:
    text = "a" * 500_000 + "é" * 500_000
    assert await counter_of(encode).count(text) == pytest.approx(1_500_000, rel=0.05)


@pytest.mark.parametrize("error", [ValueError("special token"), Panic("panicked at src/lib.rs")])
async def test_a_tokenizer_that_fails_is_replaced_by_the_estimate(error: BaseException) -> None:
    asked = []

    def fail(text: str) -> Sequence[int]:
        asked.append(text)
        raise error

    counter = counter_of(fail)
    assert await counter.count("abcd") == estimate("abcd")
    assert await counter.count("a" * 50_000) == estimate("a" * 50_000)
    assert len(asked) == 1, "it is not tried again"
    assert (counter.id, counter.exact) == ("estimate", False)
    assert counter.failure


async def test_a_tokenizer_that_panics_in_its_thread_is_replaced_too() -> None:
    def fail(_text: str) -> Sequence[int]:
        raise Panic("panicked")

    assert await counter_of(fail).count("a" * 50_000) == estimate("a" * 50_000)


@pytest.mark.parametrize("wanted", [KeyboardInterrupt, asyncio.CancelledError])
async def test_interrupting_and_cancelling_still_work(wanted: type[BaseException]) -> None:
    def interrupted(_text: str) -> Sequence[int]:
        raise wanted

    with pytest.raises(wanted):
        await counter_of(interrupted).count("a")


async def test_without_a_vocabulary_the_estimate_counts() -> None:
    counter = await make_counter(Endpoint("https://api.openai.com/v1"), "gpt-4o", estimate)
    assert isinstance(counter, EstimateCounter)
    assert (counter.id, counter.exact) == ("estimate", False)
    assert await counter.count("abcd") == estimate("abcd")


# ── vocabularies ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("model", "name", "is_own"),
    [
        ("gpt-4o", "o200k_base", True),
        ("gpt-4", "cl100k_base", True),
        ("gpt-4-turbo", "cl100k_base", True),
        ("gpt-4.1-mini", "o200k_base", True),
        ("gpt-6-sol", "o200k_base", True),
        ("openai/o1", "o200k_base", True),
        ("gpt-oss-120b", "o200k_base", True),
        ("qwen3-coder:30b", "o200k_base", False),
        ("", "o200k_base", False),
    ],
)
def test_each_model_has_a_vocabulary(model: str, name: str, is_own: bool) -> None:
    encoding = encoding_for(model)
    assert (encoding.name, encoding.is_the_models_own) == (name, is_own)


def cached_name(name: str) -> str:
    url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    return hashlib.sha1(url.encode()).hexdigest()


def test_a_damaged_vocabulary_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / cached_name("o200k_base")
    file.write_bytes(b"half of it")
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        assert vocabulary_file("o200k_base", {name: str(tmp_path)}) is None
    assert file.read_bytes() == b"half of it"


def test_a_missing_vocabulary_is_not_fetched(tmp_path: Path) -> None:
    assert vocabulary_file("o200k_base", {"TIKTOKEN_CACHE_DIR": str(tmp_path / "nowhere")}) is None
    assert vocabulary_file("o200k_base", {"TIKTOKEN_CACHE_DIR": ""}) is None
    assert vocabulary_file("o9999k_base", {"TIKTOKEN_CACHE_DIR": str(tmp_path)}) is None
    assert load_encoder("o200k_base") is None


# ── a server that counts ─────────────────────────────────────────────────────


async def test_a_local_server_that_counts_is_asked() -> None:
    with ModelServer(overflow="llama.cpp") as server:
        counter = await make_counter(Endpoint(server.url), "m", estimate)
        assert isinstance(counter, TokenizeCounter)
        assert counter.exact
        assert await counter.count("x" * 300) == 101
        assert await counter.count("") == 0
        assert await counter.count("\ud83d") == 1


async def test_a_count_without_tokens_is_read_too() -> None:
    with ModelServer() as server:
        server.route("POST", "/tokenize", {"count": 7, "max_model_len": 4096, "tokens": None})
        assert await (await make_counter(Endpoint(server.url), "m", estimate)).count("seven") == 7


async def test_a_local_server_that_does_not_count_is_not_asked_again() -> None:
    with ModelServer() as server:
        counter = await make_counter(Endpoint(server.url), "m", estimate)
    assert isinstance(counter, EstimateCounter)


async def test_a_hosted_endpoint_is_never_sent_texts_to_count() -> None:
    counter = await make_counter(Endpoint("https://api.example.com/v1"), "m", estimate)
    assert not isinstance(counter, TokenizeCounter)


async def test_a_server_that_stops_counting_is_replaced_by_the_estimate() -> None:
    with ModelServer(overflow="llama.cpp") as server:
        counter = await make_counter(Endpoint(server.url), "m", estimate)
        server.route("POST", "/tokenize", {"error": "busy"}, status=503)
        for _ in range(5):
            assert await counter.count("abcd") == estimate("abcd")
    assert (counter.id, counter.exact) == ("estimate", False)
    assert len(server.others) == 4, "one question whether it works, then three that failed"
