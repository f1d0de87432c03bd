"""Text fields that show what is put into them and obey none of it, and that take keys in the order they are pressed.

Textual's own draw escape sequences as they come. And they act on Backspace and the like only when the key has found its
way up to the application, by when letters that were typed after it are there: what is typed fast, or arrives at once
over a slow line, is garbled.
"""

from textual import events
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets.text_area import EditResult

from tui_agent.ui.bursts import TYPED_AHEAD
from tui_agent.ui.safe_text import safe

Location = tuple[int, int]
"""Row and column, as Textual has them."""


async def act_at_once(field: Widget, event: events.Key) -> None:
    """Act on a key that is bound, in the field or above it, before what was pressed after it."""
    if event.is_printable:
        return
    if field.screen not in field.app.screen_stack:
        return  # closed by the key before; the screen stops it from going on to the one below
    # As the application does it, later; it would not find the field any more if the terminal has lost the focus since,
    # and it would find another field where a screen has come up over this one.
    is_seen = field.screen is field.app.screen and field.screen.focused is not None
    has_acted = await (field.app._check_bindings(event.key) if is_seen else _act_from(field, event))
    if has_acted:
        event.stop()
        event.prevent_default()


async def _act_from(field: Widget, event: events.Key) -> bool:
    """Act on a key as if the field had the focus; whether it is bound."""
    for node in field.ancestors_with_self:
        bindings = node._bindings.copy()
        bindings.apply_keymap(field.app._keymap)
        for binding in bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and await field.app.run_action(binding.action, node):
                return True
        if node.is_modal:
            break
    return False


class SafeInput(Input):
    """One line of text."""

    async def _on_key(self, event: events.Key) -> None:
        await act_at_once(self, event)

    def validate_value(self, value: str) -> str:
        return safe(value, single_line=True)


class SafeTextArea(TextArea):
    """Lines of text; what is typed or pasted is made safe. Text that is loaded has to be safe already."""

    async def _on_key(self, event: events.Key) -> None:
        await act_at_once(self, event)

    _dressed: tuple[object, object] = (None, None)
    """What the colours were taken from that it is drawn in."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual asks for all colours of a field again at each letter, which is a third of what that costs."""
        worn = self._theme, self._component_styles.get("text-area--cursor")  # others whenever anything is restyled
        if worn[0] is self._dressed[0] and worn[1] is self._dressed[1]:
            return ScrollView.render_lines(self, crop)
        self._dressed = worn
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """A field without a column draws nothing; Textual would fail at wrapping its placeholder."""
        return super().render_line(y) if self.content_size.width > 0 else Strip.blank(self.size.width)

    def _replace_via_keyboard(self, insert: str, start: Location, end: Location) -> EditResult | None:
        return super()._replace_via_keyboard(safe(insert.removesuffix(TYPED_AHEAD)), start, end)
