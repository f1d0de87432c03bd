"""A screen that follows the terminal's size, and none that it had before."""

from textual import events
from textual.screen import Screen, ScreenResultType


class FittingScreen(Screen[ScreenResultType]):
    """Textual 8.2.8 tells a screen its size again once it is laid out, as it tells every widget.

    When the next size is on its way by then, both are told in turn: each lays the screen out anew, which tells it once
    more, and so on without an end. This can go when Textual leaves the screen itself out of those it tells.
    """

    async def on_event(self, event: events.Event) -> None:
        """A size that the terminal has no more is not told: the one it has now is, by the application."""
        if isinstance(event, events.Resize) and event.size != self.app.size:
            event.stop()
            return
        await super().on_event(event)
