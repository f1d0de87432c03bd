"""Widget messages that more than one part posts or handles."""

from dataclasses import dataclass

from textual.message import Message

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
class ApprovalShown(Message, bubble=False):
    """A question whether a tool may act has been put on the screen, or is answered."""

    is_open: bool


@dataclass
class QueueChanged(Message, bubble=False):
    """Other messages wait to be sent."""

    waiting: tuple[str, ...]
