"""What a turn yields on its way to the chat: an endpoint that floods costs one message for many pieces."""

from collections import deque

from textual.message_pump import MessagePump

from tui_agent.core.events import Event
from tui_agent.ui.messages import Happened


class Posting:
    """Posts events; they join the message that was posted last until it is taken."""

    def __init__(self, chat: MessagePump) -> None:
        self._chat = chat
        self._last = Happened(deque(), is_taken=True)

    @property
    def is_behind(self) -> bool:
        """Whether something that was posted is not on the screen yet."""
        return not self._last.is_taken

    def post(self, event: Event) -> None:
        """Have an event shown."""
        if self._last.is_taken:
            self._last = Happened(deque([event]))
            self._chat.post_message(self._last)
        else:
            self._last.events.append(event)

    def drop(self) -> None:
        """Have nothing more shown of what was posted: another session is on the screen from here on."""
        self._last.events.clear()
        self._last.is_taken = True
