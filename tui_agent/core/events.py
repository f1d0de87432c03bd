"""What a turn, or a compaction, yields while it runs. Facts, in the order they happened."""

from dataclasses import field

from tui_agent.core.entries import Logged, ToolCall
from tui_agent.values import frozen


@frozen
class Appended:
    """An entry is on disk and in the log."""

    logged: Logged


@frozen
class CommandStarted:
    """A command of the user's own is running; what it printed comes with the entry."""

    command: str


@frozen
class CommandProgressed:
    """It has printed something, of which this may be only the end."""

    text: str


@frozen
class TextArrived:
    """A piece of the answer."""

    text: str


@frozen
class ReasoningArrived:
    text: str


@frozen
class AnswerRestarted:
    """What was streamed so far is void; the answer begins again (an inline reasoning tag turned up, or a retry)."""

    text: str = ""
    reasoning: str = ""


@frozen
class RequestSent:
    """A request has left; nothing has come back yet."""

    model: str


@frozen
class RetryScheduled:
    """The endpoint failed in a way that may pass; the request is sent again after `seconds`."""

    attempt: int
    seconds: float
    reason: str


@frozen
class ToolStarted:
    call: ToolCall


@frozen
class ToolProgressed:
    call_id: str
    text: str


@frozen
class CompactionStarted:
    """A summary is being written for `folded` messages."""

    folded: int
    trigger: str
    first: int = 0
    upto: int = 0
    """The sequence numbers of the first and the last entry that go into it; 0 where nobody says."""


@frozen
class SummaryArrived:
    """A piece of the proposed summary."""

    text: str


@frozen
class SummaryRestarted:
    """The proposed summary so far is void (retry, next chunk, fallback); `reason` says why."""

    reason: str = ""


@frozen
class CompactionEnded:
    applied: bool
    reason: str = ""


@frozen
class GaugeParts:
    """Where a context's tokens are."""

    system: int = 0
    tools: int = 0
    summary: int = 0
    pins: int = 0
    tail: int = 0
    unsent: int = 0
    retrieved: int = 0
    """Folded messages brought back for one request."""


@frozen
class Gauge:
    """The live measure of the context against window and trigger."""

    tokens: int
    """System prompt, tool schemas, summary, pins, tail and unsent text."""

    characters: int
    messages: int
    """Messages that would be sent, the system prompt not counted."""

    window: int | None
    """Tokens; None when unknown."""

    window_source: str = "unknown"
    estimated: bool = True
    """False only while `tokens` is what the endpoint last reported and nothing was added since."""

    trigger_tokens: int | None = None
    """Where compaction is due, in tokens; None when no token trigger applies."""

    trigger_share: float | None = None
    """How far the nearest of the set triggers is used up: 1.0 means compaction is due."""

    trigger_name: str = ""
    compactions: int = 0
    last_compacted: str = ""
    """When the live compaction was made (`Logged.at`), "" for never."""

    freed: int = 0
    """Roughly how many tokens a compaction by hand would free now."""

    paused: bool = False
    """Whether automatic compaction is due and waits all the same, because it failed or gained too little."""

    parts: GaugeParts = field(default_factory=GaugeParts)

    @property
    def share(self) -> float | None:
        """Tokens as a share of the window; None when the window is unknown."""
        return self.tokens / self.window if self.window else None


@frozen
class ContextMeasured:
    gauge: Gauge


@frozen
class ContextMoved:
    """Which messages the context leaves out has changed (compaction, undo, redo, restore, rewind)."""

    upto: int
    """Message entries up to this sequence number are folded; 0 for none."""

    version: int
    """Version of the live summary; 0 for none."""

    folded: int
    """How many messages are folded."""

    rewound: tuple[tuple[int, int], ...] = ()
    """Ranges of sequence numbers, both ends included, whose messages were rewound."""


@frozen
class TurnEnded:
    """The model stopped asking for tools, or the turn was stopped."""

    finish: str
    """`stop`, `length`, ... as the endpoint said it; `interrupted`, `failed`, `refused`, `limit`."""


Event = (
    Appended
    | TextArrived
    | ReasoningArrived
    | AnswerRestarted
    | RequestSent
    | RetryScheduled
    | ToolStarted
    | ToolProgressed
    | CommandStarted
    | CommandProgressed
    | CompactionStarted
    | SummaryArrived
    | SummaryRestarted
    | CompactionEnded
    | ContextMeasured
    | ContextMoved
    | TurnEnded
)
