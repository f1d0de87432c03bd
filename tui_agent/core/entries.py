"""The entries a session's log is made of. Pure values: where and when they are stored is the archive's concern."""

from typing import Literal

from tui_agent.core.deeds import DeedPart
from tui_agent.core.notices import NoticeKind
from tui_agent.values import frozen

Origin = Literal["user", "assistant", "tool"]
"""Who stated something."""

Trigger = Literal["manual", "window", "characters", "messages", "overflow", "background"]
"""Why a compaction was made."""


# ── parts of entries ─────────────────────────────────────────────────────────


@frozen
class TextPart:
    """Words of a user's message."""

    text: str


@frozen
class ImagePart:
    """A picture in a user's message, by URL (`https:` or `data:`)."""

    url: str
    name: str = ""


@frozen
class OtherPart:
    """A kind of content this program does not make itself but must carry without loss (imported, or newer)."""

    kind: str
    raw: str
    """The part as compact JSON."""


Part = TextPart | ImagePart | OtherPart | DeedPart


@frozen
class ToolCall:
    """A model's wish to run a tool."""

    id: str
    name: str
    arguments: str
    """A JSON object in a string, always; what the model sent otherwise is in `malformed`."""

    malformed: str | None = None
    """The arguments as they came when they were no JSON object; such a call is never run."""

    extra: str = ""
    """Unknown keys of the call as a JSON object, sent back as they came (some endpoints demand it); "" for none."""


@frozen
class Reasoning:
    """What the model thought before it answered. Sent back only to the endpoint it came from."""

    text: str
    field: str = "reasoning_content"
    """The wire field it came in; "think" when it stood in tags inside the content."""

    endpoint: str = ""
    raw: str = ""
    """Structured reasoning as it came (compact JSON), for endpoints that want it back unchanged; "" for none."""


@frozen
class Usage:
    """What an endpoint says a request took, in tokens."""

    prompt: int
    completion: int
    cached: int = 0
    reasoning: int = 0


@frozen
class Size:
    """A context's size as recorded with a compaction."""

    tokens: int
    characters: int
    messages: int


@frozen
class Item:
    """One statement of a summary, with identity, so that versions can be compared and sources followed."""

    id: str
    """`i1`, `i2`, ... : unique within a session's chain of compactions, kept by later versions."""

    section: str
    """goals, rules, files, findings, unfinished, or "" (text the user edited is one opaque item without section)."""

    text: str
    sources: tuple[int, ...] = ()
    """Sequence numbers of the entries it rests on; empty when nothing supports it."""

    tool_only: bool = False
    """Whether it rests on tool output alone."""

    supersedes: tuple[str, ...] = ()
    """Ids of standing items that it replaced."""


DetailKind = Literal[
    "rule", "named value", "path", "url", "command", "code", "number", "version", "hash", "error", "quoted", "request"
]
"""Classes of exact details; `request` is the user's open request, carried while its turn is being worked on."""


@frozen
class Detail:
    """One exact detail, never paraphrased. Its `words`, if known, are those it was said in, carried in its place."""

    kind: DetailKind
    text: str
    sources: tuple[int, ...] = ()
    origin: Origin = "user"
    name: str = ""
    """For a named value: what it is the value of ("the deploy password"), so that a later one supersedes it."""
    words: str = ""


Found = tuple[tuple[DetailKind, str, str, Origin], ...]
"""What was found in one entry: kind, text and name of each exact detail, and who stated it."""


# ── entries ──────────────────────────────────────────────────────────────────


@frozen
class SystemPromptSet:
    """The session's system prompt from here on; date and directory are added fresh at each request."""

    text: str


@frozen
class UserSaid:
    """The user's message: words, pictures, or something the user did."""

    parts: tuple[Part, ...]


@frozen
class AssistantSaid:
    """One answer of a model, with the tool calls it asks for."""

    text: str
    reasoning: Reasoning | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """None when the endpoint did not say, or said something unbelievable."""

    finish: str | None = "stop"
    """The endpoint's reason for ending; None when the answer was interrupted."""

    model: str = ""
    endpoint: str = ""
    estimated: int = 0
    """The uncalibrated estimate, in tokens, of the request that this answers (0: unknown); calibrates the gauge."""

    seconds: float = 0.0


@frozen
class ToolReturned:
    """What came of a call, with a `summary` of it for the screen (`62 lines`); each call has exactly one."""

    call_id: str
    output: str
    failed: bool = False
    name: str = ""
    subject: str = ""
    """What the call was about in a word (a path, a command): one result supersedes another of the same subject."""
    summary: str = ""
    seconds: float = 0.0


@frozen
class ApprovalAsked:
    """A call waits until the user has allowed or denied it."""

    call_id: str
    summary: str
    """What would be done, in a line."""


@frozen
class ApprovalAnswered:
    call_id: str
    decision: Literal["once", "session", "always", "denied"]
    comment: str = ""


@frozen
class Compacted:
    """Up to `upto`, `text` stands in the context."""

    previous: int | None
    """Sequence number of the compaction this one builds on."""

    upto: int
    """The last folded sequence number."""

    items: tuple[Item, ...]
    text: str
    """What stands in the context, byte for byte."""

    details: tuple[Detail, ...] = ()
    """Carried verbatim behind the summary."""

    fence: str = ""
    """A random mark round the block, recorded so that the log folds to the same bytes again."""

    trigger: Trigger = "manual"
    model: str = ""
    """Empty for a deterministic extract made without a model."""
    window: int | None = None
    before: Size = Size(0, 0, 0)
    after: Size = Size(0, 0, 0)
    folded: int = 0
    """How many messages this compaction folded anew."""
    left_out: tuple[Detail, ...] = ()
    """The weightiest details that neither `text` nor `details` hold: named rather than dropped in silence."""
    unnamed: int = 0
    """How many further details they do not hold: too many to be named."""

    seconds: float = 0.0
    usage: Usage | None = None
    """The summary request's own usage: a cost, never a size of the context."""

    limit: int | None = None
    """The trigger's value in its own unit when the compaction was made (tokens, characters or messages)."""


@frozen
class DetailKept:
    """A detail put back behind a summary after it was applied."""

    compaction: int
    detail: Detail


@frozen
class CompactionUndone:
    compaction: int
    """Sequence number of the `Compacted` or `SummaryRestored` that is taken back."""


@frozen
class CompactionRedone:
    """A compaction that was undone stands again."""

    compaction: int


@frozen
class SummaryRestored:
    """An earlier version's summary is the live one again; what it did not cover is back in the context."""

    compaction: int


@frozen
class Pinned:
    text: str
    source: int | None = None
    """The pinned entry, or None for a line of text."""


@frozen
class Unpinned:
    pin: int
    """Sequence number of the `Pinned`."""


@frozen
class Pruned:
    """Old tool output replaced in the context by stubs."""

    seqs: tuple[int, ...]
    stubs: tuple[str, ...]
    """One for each sequence number: what it was, how big, how to get it back."""


@frozen
class Unpruned:
    """Tool output that stubs stood for is whole in the context again."""

    seqs: tuple[int, ...]


@frozen
class Rewound:
    """What was said after `after` is out of the context, still in the archive."""

    after: int


@frozen
class ForkedFrom:
    """The session begins as a copy of another one, up to `seq`."""

    session: str
    seq: int


@frozen
class ModelChosen:
    model: str
    endpoint: str = ""


@frozen
class TitleSet:
    title: str
    by_user: bool = False


@frozen
class Noticed:
    """A line for the screen, never for the context."""

    text: str
    kind: NoticeKind = "note"


@frozen
class Interrupted:
    """A turn ended before its answer was complete."""

    reason: str = "stopped by the user"


@frozen
class Failed:
    """A turn ended with an error, told to the user."""

    what: str
    meaning: str = ""
    todo: str = ""


Entry = (
    SystemPromptSet
    | UserSaid
    | AssistantSaid
    | ToolReturned
    | ApprovalAsked
    | ApprovalAnswered
    | Compacted
    | DetailKept
    | CompactionUndone
    | CompactionRedone
    | SummaryRestored
    | Pinned
    | Unpinned
    | Pruned
    | Unpruned
    | Rewound
    | ForkedFrom
    | ModelChosen
    | TitleSet
    | Noticed
    | Interrupted
    | Failed
)

MessageEntry = UserSaid | AssistantSaid | ToolReturned
"""The entries that are messages; every one is in the context, covered by the live summary, or rewound."""


@frozen
class Logged:
    """An entry in its place in a log."""

    seq: int
    """1, 2, 3, ... within the session: the only order there is."""

    at: str
    """UTC, ISO 8601 with milliseconds; decoration, never order."""

    entry: Entry
    tokens: int = 0
    """Size as a message, by `counter`; 0 for what is no message."""

    counter: str = ""
    characters: int = 0
    """Length of the message as compact JSON, non-ASCII kept; 0 for what is no message."""
