"""Widget messages that more than one part posts or handles."""

from collections import deque
from typing import Literal

from textual.message import Message

from tui_agent.core.events import Event, ReasoningArrived, TextArrived
from tui_agent.errors import TuiAgentError
from tui_agent.values import posted

STEP = 4_000
"""Characters of an answer that are taken in one go: laying them out takes about 7 ms, for which keys wait."""

Awaited = Literal["answer", "command", "model"]
"""What waiting messages wait for: the end of an answer or of a command, or a model (or room to save them)."""


@posted
class Happened(Message, bubble=False):
    """A turn, a compaction or a change yielded events.

    More may be added until they are taken, so that an endpoint that floods costs one message for many pieces.
    """

    events: deque[Event]
    is_taken: bool = False
    """Whether all are taken and no more may be added."""

    def take(self) -> list[Event]:
        """The next events in their order, pieces of an answer that follow each other joined.

        Of a long answer only as much as is shown in one go; it is not `is_taken` then, and goes on with the next call.
        """
        taken: list[Event] = []
        room = STEP
        while self.events and room > 0:
            event = self.events.popleft()
            last = taken[-1] if taken else None
            match event:
                case TextArrived(text):
                    if len(text) > room:
                        self.events.appendleft(TextArrived(text[room:]))
                        event = TextArrived(text[:room])
                    room -= len(text)
                    if isinstance(last, TextArrived):
                        taken[-1] = TextArrived(last.text + event.text)
                        continue
                case ReasoningArrived(text):
                    room -= len(text)
                case _:
                    pass
            taken.append(event)
        self.is_taken = not self.events
        return taken


@posted
class Told(Message, bubble=False):
    """Something could not be done; the user is told in words."""

    error: TuiAgentError


@posted
class ApprovalShown(Message, bubble=False):
    """A question whether a tool may act has been put on the screen, or is answered."""

    is_open: bool
    rows: int = 0
    """How many rows it takes at the bottom of the screen."""


@posted
class QueueChanged(Message, bubble=False):
    """Other messages wait to be sent."""

    waiting: tuple[str, ...]
    until: Awaited = "answer"
