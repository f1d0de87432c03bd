"""A screen with a prompt, into which goes whatever is typed or pasted where nothing else takes it."""

from textual import events
from textual.getters import query_one

from tui_agent.ui.screens.selecting import SelectingScreen
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.sidebar import MemoryList
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.widgets.transcript import Transcript


class TypingAnywhere(SelectingScreen[None]):
    """Nobody has to go to the prompt first."""

    prompt = query_one(Prompt)
    transcript = query_one(Transcript)

    @property
    def _is_for_prompt(self) -> bool:
        """Whether nothing else has the focus that takes text."""
        return (
            self.focused in (None, self.transcript, self.prompt)
            or isinstance(self.focused, MemoryList)
            or self.query_one(StartCard).is_chosen_in
        )

    def _go_to_prompt(self) -> None:
        """At once: what is typed right behind it must not fall between the two."""
        self.set_focus(self.prompt)

    def on_key(self, event: events.Key) -> None:
        """What is typed outside text fields, and means nothing there, goes into the prompt.

        So does what was typed before anything had the focus: it comes here, when the prompt has it already.
        """
        if not self._is_for_prompt or not event.is_printable or event.character is None:
            return
        if isinstance(self.focused, MemoryList) and self.focused.takes(event):
            return
        if self.focused is self.prompt or not self._acts_itself(event.key):
            event.stop()
            self._go_to_prompt()
            self.prompt.add(event.character)

    def _acts_itself(self, key: str) -> bool:
        """Whether a key does something on this screen now, by the keys that the user has given its bindings."""
        active = self.active_bindings.get(key)
        return active is not None and active.node is self

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted outside text fields goes into the prompt as well."""
        if self._is_for_prompt:
            event.stop()
            self._go_to_prompt()
            self.prompt.post_message(events.Paste(event.text))
