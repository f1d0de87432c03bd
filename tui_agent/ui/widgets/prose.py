"""Running text, wrapped as the transcript is: beside wide letters too, and never before closing punctuation."""

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from tui_agent.ui.widgets.wrapping import line_starts


class Prose(Static):
    """Shows `Content`. Textual breaks lines at blanks alone, of which a Chinese sentence has few."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width))

    def render(self) -> RenderResult:
        return Content("\n").join(self._rows(self.content_size.width))

    def _rows(self, width: int) -> list[Content]:
        shown = self.content
        if not isinstance(shown, Content):
            return []
        rows: list[Content] = []
        for line in shown.split("\n", allow_blank=True):
            starts = line_starts(line.plain, width) if width else [0]
            rows += [row.rstrip() for row in line.divide(starts[1:])]
        return rows
