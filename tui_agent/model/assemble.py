"""Puts an answer together from the chunks of a stream, whatever they are made of."""

import json
from typing import Any

from tui_agent.core.entries import Reasoning, Usage
from tui_agent.model.events import ReasoningPiece, Reply, Restarted, TextPiece
from tui_agent.model.think import Sorted, ThinkSplitter
from tui_agent.model.toolcalls import ToolCallAssembler
from tui_agent.model.unicode import PieceRepair, repaired, repaired_json
from tui_agent.model.wire import DETAILS, REASONING_FIELDS, THINK

ANSWER_CAP = 2_000_000
"""Characters; the longest answer (text, reasoning and arguments together) that is accepted."""

CUT_OFF = frozenset({"length", "content_filter"})
"""Reasons for ending that leave an answer unfinished."""

_FINISHES = {
    "stop": ("eos", "eos_token", "end", "end_turn", "complete", "completed", "stop_sequence", "done", "finished"),
    "length": ("max_tokens", "max_output_tokens", "max_length", "model_context_window_exceeded", "token_limit"),
    "tool_calls": ("tool_use", "tool_call", "function_call"),
    "content_filter": ("safety", "recitation", "content_filtered", "sensitive", "blocklist", "prohibited_content"),
}
_KNOWN_FINISHES = {other: name for name, others in _FINISHES.items() for other in (name, *others)}

FAILED_FINISHES = frozenset({"error", "network_error", "failed", "server_error", "aborted", "abort", "cancelled"})
"""Reasons for ending that are failures by another name."""


def normal_finish(raw: object) -> str | None:
    """The reason for ending in its usual spelling; an unknown one as it came, None when there is none."""
    if not isinstance(raw, str) or not raw.strip():
        return None
    return _KNOWN_FINISHES.get(raw.strip().lower(), repaired(raw.strip())[:100])


class AnswerAssembler:
    """Takes chunks (JSON objects of any shape) and knows what the answer is so far."""

    def __init__(self, model: str, endpoint: str, taken_ids: frozenset[str] = frozenset()) -> None:
        self.finish: str | None = None
        self.usage: Usage | None = None
        self.has_begun = False
        """Whether anything of the answer (text, reasoning, a tool call) has arrived."""

        self._model = model
        self._endpoint = endpoint
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._characters = 0
        self._field = ""
        self._details = _Details()
        self._calls = ToolCallAssembler(taken_ids)
        self._splitter = ThinkSplitter()
        self._text_repair = PieceRepair()
        self._thought_repair = PieceRepair()

    @property
    def characters(self) -> int:
        """How long the answer is so far, reasoning and arguments included."""
        return self._characters + self._calls.characters

    def feed(self, chunk: dict[str, Any]) -> list[Sorted]:
        """What one chunk adds."""
        if isinstance(chunk.get("model"), str) and chunk["model"]:
            self._model = repaired(chunk["model"])[:200]
        choice = _first_choice(chunk)
        usage = usage_of(chunk, choice)
        if usage is not None:
            self.usage = usage
        if choice is None:
            return []
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = choice.get("message")
        settled = self._take(delta) if isinstance(delta, dict) else []
        finish = normal_finish(choice.get("finish_reason"))
        if finish is not None:
            self.finish = finish
        return settled

    def flush(self) -> list[Sorted]:
        """What was held back, when the stream has ended."""
        settled = self._keep(self._splitter.feed(self._text_repair.flush()))
        settled += self._keep(self._splitter.flush())
        rest = self._thought_repair.flush()
        return settled + self._keep([ReasoningPiece(rest)] if rest else [])

    def reply(self) -> Reply:
        """The whole answer, once it has ended with a reason."""
        calls = self._calls.calls(cut_off=self.finish in CUT_OFF)
        return Reply("".join(self._texts), self._reasoning(), calls, self.usage, self.finish, self._model)

    def partial(self) -> Reply:
        """What there is of an answer that will not be finished; its tool calls are left out, none may be run."""
        return Reply("".join(self._texts), self._reasoning(), (), self.usage, None, self._model)

    def _take(self, delta: dict[str, Any]) -> list[Sorted]:
        settled = self._take_reasoning(delta)
        text, thought = _words(delta.get("content"))
        if thought:
            settled += self._think(thought, THINK)
        refusal = delta.get("refusal")
        if not text and isinstance(refusal, str):
            text = refusal
        if text:
            self.has_begun = True
            settled += self._keep(self._splitter.feed(self._text_repair.feed(text)))
        self._calls.feed(_tool_fragments(delta))
        self.has_begun = self.has_begun or bool(self._calls)
        return settled

    def _take_reasoning(self, delta: dict[str, Any]) -> list[Sorted]:
        """The reasoning of a delta, once: some endpoints send the same words under two names."""
        details = delta.get(DETAILS)
        told = self._details.feed(details) if isinstance(details, list) else ""
        for field in REASONING_FIELDS:
            words = delta.get(field)
            if isinstance(words, str) and words:
                return self._think(words, field)
        if told and self._field in ("", DETAILS):
            return self._think(told, DETAILS)
        return []

    def _think(self, words: str, field: str) -> list[Sorted]:
        self.has_begun = True
        self._field = self._field or field
        self._splitter.expect_no_lone_closer()
        piece = self._thought_repair.feed(words)
        return self._keep([ReasoningPiece(piece)] if piece else [])

    def _keep(self, settled: list[Sorted]) -> list[Sorted]:
        return [self._kept(each) for each in settled]

    def _kept(self, each: Sorted) -> Sorted:
        match each:
            case TextPiece(text):
                self._texts.append(text)
                self._characters += len(text)
                return each
            case ReasoningPiece(text):
                self._field = self._field or THINK
                self._thoughts.append(text)
                self._characters += len(text)
                return each
            case Restarted():
                self._field = self._field or THINK
                self._thoughts = [*self._thoughts, *self._texts]
                self._texts = []
                return Restarted(text="", reasoning="".join(self._thoughts))

    def _reasoning(self) -> Reasoning | None:
        raw = self._details.as_json()
        text = "".join(self._thoughts)
        if not text.strip() and not raw:
            return None
        if self._field == THINK:
            text = text.strip()
        return Reasoning(text, self._field or DETAILS, self._endpoint, raw)


class _Details:
    """Structured reasoning, put together again from its pieces."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []

    def feed(self, pieces: list[Any]) -> str:
        """Take the pieces of one delta; gives their words."""
        words = []
        for piece in pieces:
            if not isinstance(piece, dict):
                continue
            for key in ("text", "summary"):
                if isinstance(piece.get(key), str):
                    words.append(piece[key])
            self._take(piece)
        return "".join(words)

    def as_json(self) -> str:
        return json.dumps(repaired_json(self._parts), ensure_ascii=False, separators=(",", ":")) if self._parts else ""

    def _take(self, piece: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else None
        if last is None or any(last.get(key) != piece.get(key) for key in ("type", "index")):
            self._parts.append(dict(piece))
            return
        for key, value in piece.items():
            if key in ("text", "summary", "data") and isinstance(value, str) and isinstance(last.get(key), str):
                last[key] += value
            elif value is not None:
                last[key] = value


def usage_of(chunk: dict[str, Any], choice: dict[str, Any] | None) -> Usage | None:
    """What a chunk says about tokens, wherever it says it; None when it says nothing believable."""
    nested = chunk.get("x_groq")
    for holder in (chunk, choice, nested):
        told = holder.get("usage") if isinstance(holder, dict) else None
        if isinstance(told, dict):
            return _usage(told)
    return None


def _usage(told: dict[str, Any]) -> Usage | None:
    prompt = _count(told.get("prompt_tokens"))
    if not prompt:
        return None
    prompt_details, completion_details = told.get("prompt_tokens_details"), told.get("completion_tokens_details")
    cached = _count(prompt_details.get("cached_tokens")) if isinstance(prompt_details, dict) else 0
    reasoning = _count(completion_details.get("reasoning_tokens")) if isinstance(completion_details, dict) else 0
    return Usage(
        prompt=prompt,
        completion=_count(told.get("completion_tokens")),
        cached=cached or _count(told.get("prompt_cache_hit_tokens")),
        reasoning=reasoning,
    )


_MOST_TOKENS = 10**9


def _count(value: object) -> int:
    """A number of tokens; 0 for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= _MOST_TOKENS and value == int(value) else 0


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return None
    return next((each for each in choices if isinstance(each, dict) and not each.get("index")), None)


def _words(content: object) -> tuple[str, str]:
    """Text and reasoning in a content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        return "", ""
    texts, thoughts = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            if isinstance(part.get("text"), str):
                texts.append(part["text"])
            inner = part.get("thinking")
            thoughts.append(inner if isinstance(inner, str) else _words(inner)[0])
    return "".join(texts), "".join(thoughts)


def _tool_fragments(delta: dict[str, Any]) -> object:
    """The tool calls of a delta; the older single `function_call` as one of them."""
    calls = delta.get("tool_calls")
    older = delta.get("function_call")
    if not calls and isinstance(older, dict):
        return [{"index": 0, "function": older}]
    return calls
