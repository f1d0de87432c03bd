"""Puts an answer together from the chunks of a stream, whatever they are made of."""

from typing import Any

from tui_agent.core.entries import Reasoning, Usage
from tui_agent.core.unicode import PieceRepair, repaired
from tui_agent.model.details import Details
from tui_agent.model.events import ReasoningPiece, Reply, Restarted, TextPiece
from tui_agent.model.think import Sorted, ThinkSplitter, parted_by_another_closer
from tui_agent.model.toolcalls import ToolCallAssembler, arguments_in
from tui_agent.model.usage import usage_of
from tui_agent.model.wire import DETAILS, REASONING_FIELDS, THINK

ANSWER_CAP = 2_000_000
"""Characters; the longest answer (text, reasoning and arguments together) that is accepted."""

BLANK_CAP = 4_000
"""White space with nothing else in between: more of it is no answer, and no way to say that one is coming."""

CUT_OFF = frozenset({"length", "content_filter"})
"""Reasons for ending that leave an answer unfinished."""

_FINISHES = {
    "stop": ("eos", "eos_token", "end", "end_turn", "complete", "completed", "stop_sequence", "done", "finished"),
    "length": ("max_tokens", "max_output_tokens", "max_length", "model_context_window_exceeded", "token_limit"),
    "tool_calls": ("tool_use", "tool_call", "function_call"),
    "content_filter": ("safety", "recitation", "content_filtered", "sensitive", "blocklist", "prohibited_content"),
}
_KNOWN_FINISHES = {other: name for name, others in _FINISHES.items() for other in (name, *others)}

FAILED_FINISHES = frozenset(
    {
        "error",
        "network_error",
        "failed",
        "server_error",
        "aborted",
        "abort",
        "cancelled",
        "insufficient_system_resource",
    }
)
"""Reasons for ending that are failures by another name."""


def _normal_finish(raw: object) -> str | None:
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

        self.blanks = 0
        """Characters of white space that have come, in pieces of their own, since the last piece with a word."""

        self._model = model
        self._endpoint = endpoint
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._characters = 0
        self._field = ""
        self._in_pieces = False
        self._repeated: str | None = ""
        """Reasoning in tags as long as it only repeats what was sent apart; None once it says more."""

        self._details = Details()
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
        delta = self._delta_in(choice)
        settled = self._take(delta) if delta is not None else []
        finish = _normal_finish(choice.get("finish_reason"))
        if finish is not None:
            self.finish = finish
        return settled

    def flush(self) -> list[Sorted]:
        """What was held back, when the stream has ended."""
        settled = self._keep(self._new(self._splitter.feed(self._text_repair.flush())))
        settled += self._keep(self._new(self._splitter.flush()))
        rest = self._thought_repair.flush()
        settled += self._keep([ReasoningPiece(rest)] if rest else [])
        return settled + self._parted_anew()

    def reply(self) -> Reply:
        """The whole answer, once it has ended with a reason."""
        calls = self._calls.calls(cut_off=self.finish in CUT_OFF)
        return Reply("".join(self._texts), self._reasoning(), calls, self.usage, self.finish, self._model)

    def partial(self) -> Reply:
        """What there is of an answer that will not be finished; its tool calls are left out, none may be run.

        Nor is the white space in it that it has run into.
        """
        text = "".join(self._texts)
        return Reply(text.rstrip() if self.blanks else text, self._reasoning(), (), self.usage, None, self._model)

    def _delta_in(self, choice: dict[str, Any]) -> dict[str, Any] | None:
        """What a choice adds. A whole message that follows its own pieces adds only the calls that were in none."""
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict) and (delta or not isinstance(message, dict)):
            self._in_pieces = True
            return delta
        if not isinstance(message, dict) or not self._in_pieces:
            return message if isinstance(message, dict) else None
        return None if self._calls else {"tool_calls": message.get("tool_calls")}

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
            self._count_blanks(text)
            settled += self._keep(self._new(self._splitter.feed(self._text_repair.feed(text))))
        fragments = _tool_fragments(delta)
        self._count_blanks(arguments_in(fragments))
        self._calls.feed(fragments)
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
        self._count_blanks(words)
        self._field = self._field or field
        self._splitter.expect_no_lone_closer()
        piece = self._thought_repair.feed(words)
        return self._keep([ReasoningPiece(piece)] if piece else [])

    def _count_blanks(self, words: str) -> None:
        if words:
            self.blanks = self.blanks + len(words) if words.isspace() else 0

    def _new(self, settled: list[Sorted]) -> list[Sorted]:
        """The pieces without reasoning in tags that the endpoint has sent apart already."""
        if self._repeated is None or self._field in ("", THINK):
            return settled
        kept: list[Sorted] = []
        for each in settled:
            if self._repeated is None or not isinstance(each, ReasoningPiece):
                kept.append(each)
                continue
            self._repeated += each.text
            if not "".join(self._thoughts).strip().startswith(self._repeated.strip()):
                kept.append(ReasoningPiece(self._repeated))
                self._repeated = None
        return kept

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

    def _parted_anew(self) -> list[Sorted]:
        parts = parted_by_another_closer("".join(self._thoughts)) if self._splitter.is_inside else None
        if parts is None:
            return []
        thought, answer = parts
        self._thoughts = [thought]
        self._texts.append(answer)
        return [Restarted(text="".join(self._texts), reasoning=thought)]

    def _reasoning(self) -> Reasoning | None:
        raw = self._details.as_json()
        text = "".join(self._thoughts)
        if not text.strip() and not raw:
            return None
        if self._field == THINK:
            text = text.strip()
        return Reasoning(text, self._field or DETAILS, self._endpoint, raw)


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
