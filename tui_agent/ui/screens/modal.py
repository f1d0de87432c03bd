"""A screen over others that is answered once: the key behind the one that closes it closes nothing else."""

from collections.abc import Callable
from typing import Any

from textual import events
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Button, Input, OptionList

from tui_agent.ui.screens.fitting import FittingScreen

_ANSWERS = Button.Pressed, Input.Submitted, OptionList.OptionSelected


class AnsweredOnce(FittingScreen[ScreenResultType]):
    """Textual takes away whichever screen is on top when an answer comes, and ends the program when it was the last.

    Two keys that are read at once are both on their way to the same screen, and the second finds it closed.
    """

    @property
    def is_on_top(self) -> bool:
        """Whether keys are for it."""
        return self.app.screen_stack[-1:] == [self]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close it with an answer; nothing once it is closed, or while another is over it."""
        return super().dismiss(result) if self.is_on_top else AwaitComplete()

    async def on_event(self, event: events.Event) -> None:
        """A key that was for it must not go on to the screen that has come up from under it.

        And what is closed before it has come up, by a second F4 for instance, has no widgets to fill.
        """
        if isinstance(event, events.Key) and not self.is_on_top:
            event.stop()
            return
        if isinstance(event, events.Mount) and self not in self.app.screen_stack:
            return
        await super().on_event(event)

    async def _on_message(self, message: Message) -> None:
        """Nor is a choice made twice, by what a field has posted before it was closed."""
        if isinstance(message, _ANSWERS) and not self.is_on_top:
            message.stop()
            return
        await super()._on_message(message)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing acts on it before it has come up, or once it is closed: it has no widgets to act on then."""
        return self.is_mounted and self.is_on_top and super().check_action(action, parameters)

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Nor is done then what was to be done after the next picture; Textual has the screen under it do that."""

        def while_open() -> Any:
            return callback(*args, **kwargs) if self in self.app.screen_stack else None

        return super().call_after_refresh(while_open)

    def take_away(self) -> None:
        """Close it without an answer, and before it whatever lies over it."""
        while self in self.app.screen_stack:
            self.app.screen.dismiss(None)


class Modal(ModalScreen[ScreenResultType], AnsweredOnce[ScreenResultType]):  # styles come from the first
    """What every screen over the chat is made from."""
