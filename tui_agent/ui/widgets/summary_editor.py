"""The proposed summary as a text to edit."""

from textual import events
from textual.message import Message

from tui_agent.ui.widgets.safe_fields import SafeTextArea


class SummaryEditor(SafeTextArea):
    """The proposed summary as a text to edit."""

    class Left(Message):
        """Esc was pressed: the text stays as it is now."""

    class ApplyWanted(Message):
        """Ctrl+Enter was pressed."""

    async def _on_key(self, event: events.Key) -> None:
        wanted = {"escape": self.Left, "ctrl+enter": self.ApplyWanted}.get(event.key)
        if wanted is not None:
            event.stop()
            event.prevent_default()
            self.post_message(wanted())
