"""What a model's answer is made of: the pieces while it streams, and the whole when it has ended."""

from tui_agent.core.entries import Reasoning, ToolCall, Usage
from tui_agent.errors import ModelError
from tui_agent.values import frozen


@frozen
class Reply:
    """An answer as a whole, or what had arrived of it."""

    text: str = ""
    reasoning: Reasoning | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    """Ids are unique among themselves and against the request. Those of an answer that was cut off (`length`,
    `content_filter`) all carry `malformed`, so that none is run; a partial answer has none at all."""

    usage: Usage | None = None
    """None when the endpoint said nothing, or nothing believable."""

    finish: str | None = None
    """`stop`, `length`, `tool_calls`, `content_filter` (other spellings are translated), or what the endpoint said;
    None only in a partial answer. Whether tools were asked for is decided by `tool_calls`, not by this."""

    model: str = ""
    """The model as the endpoint names it."""


@frozen
class TextPiece:
    """A piece of the answer."""

    text: str


@frozen
class ReasoningPiece:
    """A piece of what the model thinks before it answers."""

    text: str


@frozen
class Restarted:
    """What was streamed so far was sorted wrongly: from here on the answer is `text`, the reasoning `reasoning`."""

    text: str
    reasoning: str


@frozen
class Retrying:
    """The endpoint failed before its first piece; the request is sent again after `seconds`."""

    attempt: int
    """1 for the first repetition."""

    seconds: float
    reason: str


@frozen
class Replied:
    """The answer is complete; always the last event."""

    reply: Reply


ModelEvent = TextPiece | ReasoningPiece | Restarted | Retrying | Replied


def partial_of(error: ModelError) -> Reply | None:
    """What had arrived of an answer before `error` ended it; None when nothing had."""
    return error.partial if isinstance(error.partial, Reply) else None
