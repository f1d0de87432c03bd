"""Widget messages that more than one part posts or handles."""

from dataclasses import dataclass

from textual.message import Message

from tui_agent.core.entries import Logged
from tui_agent.core.events import Event
from tui_agent.errors import TuiAgentError


@dataclass
class Happened(Message, bubble=False):
    """A turn, a compaction or a change yielded an event."""

    event: Event


@dataclass
class Told(Message, bubble=False):
    """Something could not be done; the user is told in words."""

    error: TuiAgentError


@dataclass
class OlderRead(Message, bubble=False):
    """Older entries have been read from the archive."""

    session_id: str
    entries: list[Logged]


@dataclass
class MemoryRead(Message, bubble=False):
    """The versions of the summary have been read from the archive."""

    session_id: str
    versions: list[Logged]


@dataclass
class ApprovalShown(Message, bubble=False):
    """A question whether a tool may act has been put on the screen, or is answered."""

    is_open: bool
