"""Counts tokens: by the server's own tokenizer, by a vocabulary that is on this machine already, or by an estimate."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from tui_agent.core.counting import Counter
from tui_agent.core.unicode import repaired
from tui_agent.errors import ModelError
from tui_agent.model.connection import JsonClient, Refused, ask
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.vocabulary import encoding_for, load_encoder

Estimate = Callable[[str], int]
Encode = Callable[[str], Sequence[int]]

TOKENIZE_SECONDS = 0.5
"""How long a count by a server may take before the estimate stands in for it."""

_CHUNK = 20_000
"""Characters that are counted at a time; splitting costs at most a token each time."""

_MOST_CHUNKS = 15
"""Longer texts are sampled: this many chunks, spread evenly, stand for the whole."""

_IN_THREAD_FROM = 20_000
"""Characters from which counting is moved off the event loop."""

_MOST_FAILURES = 3
"""Counts that may fail in a row before a server is not asked any more."""

_PASSED_ON = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)


class EstimateCounter:
    """The estimate as a counter."""

    id = "estimate"
    exact = False
    failure = ""

    def __init__(self, estimate: Estimate) -> None:
        self._estimate = estimate

    async def count(self, text: str) -> int:
        return self._estimate(text)


class TiktokenCounter:
    """A byte-pair tokenizer in this process.

    If it ever fails it is not used again: from then on this is the estimate, by its id too.
    """

    def __init__(self, encode: Encode, name: str, *, exact: bool, estimate: Estimate) -> None:
        self.id = f"tiktoken/{name}"
        self.exact = exact
        self.failure = ""
        """Why the tokenizer is not used any more; "" while it is."""

        self._encode: Encode | None = encode
        self._estimate = estimate

    async def count(self, text: str) -> int:
        if self._encode is None:
            return self._estimate(text)
        try:
            if len(text) < _IN_THREAD_FROM:
                return self._counted(self._encode, text)
            return await asyncio.to_thread(self._counted, self._encode, text)
        except _PASSED_ON:
            raise
        except BaseException as error:  # a panic of the native library is no Exception
            self.failure = f"{type(error).__name__}: {error}"[:200]
            self._encode = None
            self.id, self.exact = EstimateCounter.id, EstimateCounter.exact
            return self._estimate(text)

    def _counted(self, encode: Encode, text: str) -> int:
        chunks = _sample(repaired(text))
        return _scaled(sum(len(encode(chunk)) for chunk in chunks), chunks, text)


class TokenizeCounter:
    """The tokenizer of the server that runs the model (`/tokenize` of llama.cpp and vLLM).

    A count that does not come in time is an estimate; a server that keeps failing is not asked again.
    """

    exact = True

    def __init__(self, endpoint: Endpoint, model: str, *, estimate: Estimate) -> None:
        self.id = f"tokenize/{model}"
        self._endpoint = endpoint
        self._model = model
        self.failure = ""
        self._estimate = estimate
        self._failures = 0
        self._client: JsonClient | None = None

    async def works(self) -> bool:
        """Whether the server counts at all."""
        return await self._asked("one two") is not None

    async def count(self, text: str) -> int:
        if not text:
            return 0
        if self._failures >= _MOST_FAILURES:
            return self._estimate(text)
        total = 0
        chunks = _sample(repaired(text))
        for chunk in chunks:
            counted = await self._asked(chunk)
            if counted is None:
                self._note_failure()
                return self._estimate(text)
            total += counted
        self._failures = 0
        return _scaled(total, chunks, text)

    def _note_failure(self) -> None:
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            self.id, self.exact = EstimateCounter.id, EstimateCounter.exact
            self.failure = f"{self._endpoint.root}/tokenize"

    async def _asked(self, text: str) -> int | None:
        body = {"model": self._model, "content": text, "prompt": text, "add_special_tokens": False}
        if self._client is None:
            self._client = await ask(self._endpoint, TOKENIZE_SECONDS)
        try:
            return _count_in(await self._client.post(f"{self._endpoint.root}/tokenize", body))
        except (ModelError, Refused):
            return None


async def make_counter(endpoint: Endpoint, model: str, estimate: Estimate) -> Counter:
    """The best counter there is for a model: nothing is downloaded for it, and it is chosen within a second."""
    if endpoint.is_local:
        by_server = TokenizeCounter(endpoint, model, estimate=estimate)
        if await by_server.works():
            return by_server
    encoding = encoding_for(model)
    encode = await asyncio.to_thread(load_encoder, encoding.name)
    if encode is None:
        return EstimateCounter(estimate)
    return TiktokenCounter(encode, encoding.name, exact=encoding.is_the_models_own, estimate=estimate)


def _sample(text: str) -> list[str]:
    """The text in chunks, or of a very long one as many as can be counted in time."""
    starts = range(0, len(text), _CHUNK)
    if len(starts) > _MOST_CHUNKS:
        starts = range(0, len(text) - _CHUNK, (len(text) - _CHUNK) // (_MOST_CHUNKS - 1))[:_MOST_CHUNKS]
    return [text[start : start + _CHUNK] for start in starts]


def _scaled(counted: int, chunks: list[str], text: str) -> int:
    """The count of the whole text from that of its chunks."""
    length = sum(map(len, chunks))
    return counted if length >= len(text) else round(counted * len(text) / length)


def _count_in(answer: Any) -> int | None:
    """The count in an answer of `/tokenize`; None when there is none."""
    if not isinstance(answer, dict):
        return None
    tokens, count = answer.get("tokens"), answer.get("count")
    if isinstance(tokens, list):
        return len(tokens)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
