"""Running text, wrapped as the transcript is: beside wide letters too, and never before closing punctuation."""

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from tui_agent.ui.widgets.wrapping import line_starts


class Prose(Static):
    """Shows `Content`. Textual breaks lines at blanks alone, of which a Chinese sentence has few."""

    def __init__(
        self,
        shown: Content = Content(""),  # noqa: B008 - it cannot be changed
        *,
        hang: int = 0,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        """`hang` is how many cells are left blank before what goes on from a line above."""
        super().__init__(shown, id=id, classes=classes)
        self._hang = hang

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
            first, *rest = line.divide(starts[1:2])
            rows.append(first.rstrip())
            room = max(width - self._hang, 1)
            for more in rest:
                further = more.divide(line_starts(more.plain, room)[1:])
                rows += [Content(" " * self._hang) + row.rstrip() for row in further]
        return rows
