"""Every error the program raises on purpose, as one tree named by what the caller can do.

    TuiAgentError
    ├── UsageError                the command line cannot be carried out (exit 2)
    ├── ConfigInvalid             a setting has a value that is not allowed
    ├── ImportRefused             a file holds no sessions that can be taken over
    ├── ArchiveError
    │   ├── ArchiveUnavailable    the file cannot be opened or read
    │   ├── ArchiveTooNew         a newer version of the program wrote it
    │   ├── ArchiveDamaged        an entry or the file is corrupt
    │   ├── NotSaved              a write did not reach the disk
    │   ├── SessionNotFound
    │   └── SessionBusy           another window writes this session
    ├── ModelError
    │   ├── NothingConfigured     there is nothing to talk to
    │   ├── EndpointUnreadable    the address that was chosen is none; no other is asked
    │   ├── Retryable
    │   │   ├── EndpointUnreachable
    │   │   ├── RateLimited
    │   │   └── ServerFailed
    │   ├── AuthFailed
    │   ├── RequestRefused        any other refusal by the endpoint
    │   │   └── ToolsRefused      the endpoint or its model cannot use tools
    │   ├── ContextOverflow       the request is longer than the window
    │   ├── ProtocolBroken        what came back is not a chat completion stream
    │   ├── StreamBroken          the answer stopped in the middle
    │   └── EmbeddedModelFailed
    ├── CompactionError
    │   ├── NothingToFold
    │   ├── ContextChanged        a summary was made from what does not stand any more
    │   ├── SummaryRejected
    │   ├── ApprovalPending
    │   └── DoesNotFit            undo or redo would not fit the window
    └── ToolFailed                goes back to the model as a result

A message says what happened, what it means, and what to do, in this order.
"""

from tui_agent.language import sentences


class TuiAgentError(Exception):
    """The root: anything the user is told about in one sentence instead of a traceback."""

    def __init__(self, what: str, meaning: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.meaning = meaning
        self.todo = todo

    def __str__(self) -> str:
        return sentences((self.what, self.meaning, self.todo))


class UsageError(TuiAgentError):
    """The command line cannot be carried out."""


class ConfigInvalid(TuiAgentError):
    """A setting has a value that is not allowed; the text names file, line, key, value and choices."""


class ImportRefused(TuiAgentError):
    """A file holds no sessions that can be taken over; nothing of it was. The text names the file and what is wrong."""


class ArchiveError(TuiAgentError):
    """The archive could not do what was asked."""


class ArchiveUnavailable(ArchiveError):
    """The archive file cannot be opened or read."""


class ArchiveTooNew(ArchiveError):
    """A newer version of the program wrote this archive; nothing was touched."""


class ArchiveDamaged(ArchiveError):
    """The file or one of its entries is corrupt."""


class NotSaved(ArchiveError):
    """A write did not reach the disk; nothing of it is kept."""


class SessionNotFound(ArchiveError):
    """No session has this id."""


class SessionBusy(ArchiveError):
    """Another process is writing this session."""


class ModelError(TuiAgentError):
    """The endpoint gave no usable answer."""

    partial: object | None = None
    """What had arrived of the answer (`model.events.partial_of` reads it); None when nothing had."""


class NothingConfigured(ModelError):
    """No endpoint, no key, no local server and no embedded model."""

    command: str = ""
    """The one that installs the embedded model, where that would help."""


class EndpointUnreadable(ModelError):
    """The endpoint that was chosen cannot be read; no connection was made, to it or to another."""


class Retryable(ModelError):
    """The same request may succeed later."""

    retry_after: float | None = None
    """Seconds the endpoint asked to wait; None when it said nothing."""


class EndpointUnreachable(Retryable):
    """No connection, or no answer in time."""


class RateLimited(Retryable):
    """Too many requests for now."""


class ServerFailed(Retryable):
    """The endpoint failed on its own side."""


class AuthFailed(ModelError):
    """The key is missing or was refused."""


class RequestRefused(ModelError):
    """The endpoint refused this request."""

    status: int | None = None


class ToolsRefused(RequestRefused):
    """The endpoint, or the model behind it, cannot use tools; the same request without them may do."""


class ContextOverflow(ModelError):
    """The request is longer than the window."""

    limit: int | None = None
    """Tokens the endpoint says it accepts; None when it did not say."""


class ProtocolBroken(ModelError):
    """What came back is not a chat completion stream."""


class StreamBroken(ModelError):
    """The answer stopped in the middle; what had arrived is in the log, marked incomplete."""


class EmbeddedModelFailed(ModelError):
    """The embedded model is not installed, is damaged, or did not start."""


class CompactionError(TuiAgentError):
    """A compaction was not carried out; the context is as it was."""


class NothingToFold(CompactionError):
    """No message is old enough to be folded."""


class ContextChanged(CompactionError):
    """A summary was made from messages, or on top of a summary, that do not stand any more."""


class SummaryRejected(CompactionError):
    """The proposed summary cannot stand for the messages it should replace."""


class ApprovalPending(CompactionError):
    """A tool call waits for the user; no compaction may cross it."""


class DoesNotFit(CompactionError):
    """What would come back is longer than the window."""


class ToolFailed(TuiAgentError):
    """A tool could not do what was asked; the text goes back to the model as a result."""
