"""Widget messages that more than one part posts or handles."""

from dataclasses import dataclass

from textual.message import Message

from tui_agent.core.events import Event, TextArrived
from tui_agent.errors import TuiAgentError


@dataclass
class Happened(Message, bubble=False):
    """A turn, a compaction or a change yielded events.

    More may be added until they are taken, so that an endpoint that floods costs one message for many pieces.
    """

    events: list[Event]
    is_taken: bool = False

    def take(self) -> list[Event]:
        """The events in their order, pieces of an answer that follow each other joined; from here on no more come."""
        self.is_taken = True
        joined: list[Event] = []
        for event in self.events:
            last = joined[-1] if joined else None
            if isinstance(event, TextArrived) and isinstance(last, TextArrived):
                joined[-1] = TextArrived(last.text + event.text)
            else:
                joined.append(event)
        return joined


@dataclass
class Told(Message, bubble=False):
    """Something could not be done; the user is told in words."""

    error: TuiAgentError


@dataclass
class ApprovalShown(Message, bubble=False):
    """A question whether a tool may act has been put on the screen, or is answered."""

    is_open: bool
    rows: int = 0
    """How many rows it takes at the bottom of the screen."""


@dataclass
class QueueChanged(Message, bubble=False):
    """Other messages wait to be sent."""

    waiting: tuple[str, ...]
    is_answering: bool = True
    """Whether it is an answer that they wait for, and no model or room to save them."""
