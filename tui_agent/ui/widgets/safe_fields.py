"""Text fields that show what is put into them and obey none of it: Textual's own draw escape sequences as they come."""

from textual.strip import Strip
from textual.widgets import Input, TextArea
from textual.widgets.text_area import EditResult

from tui_agent.ui.safe_text import safe

Location = tuple[int, int]
"""Row and column, as Textual has them."""


class SafeInput(Input):
    """One line of text."""

    def validate_value(self, value: str) -> str:
        return safe(value, single_line=True)


class SafeTextArea(TextArea):
    """Lines of text; what is typed or pasted is made safe. Text that is loaded has to be safe already."""

    def render_line(self, y: int) -> Strip:
        """A field without a column draws nothing; Textual would fail at wrapping its placeholder."""
        return super().render_line(y) if self.content_size.width > 0 else Strip.blank(self.size.width)

    def _replace_via_keyboard(self, insert: str, start: Location, end: Location) -> EditResult | None:
        return super()._replace_via_keyboard(safe(insert), start, end)
