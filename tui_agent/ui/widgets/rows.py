"""A list of rows of which one is chosen, readable in any theme."""

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import OptionList

PAGING = "page_up", "page_down"
"""Actions that a list without a line cannot carry out."""

_LEAST_WIDTH = 8
"""Columns; a narrower list is as high as one of these."""


class Rows(OptionList):
    """An option list whose chosen row has one ink: on its ground, what is muted or coloured elsewhere could be lost."""

    # With no room for a single letter, as before it is laid out, Textual finds no width to wrap at and no line to turn
    # the page from, and ends the program.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return super().get_content_height(container, viewport, max(width, _LEAST_WIDTH))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in PAGING and not self.scrollable_content_region:
            return False
        return super().check_action(action, parameters)

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.highlighted is None or not any(_option(segment) == self.highlighted for segment in strip):
            return strip
        chosen = self.get_visual_style("option-list--option", "option-list--option-highlighted").rich_style
        ink = Style(color=chosen.color, dim=False)
        return Strip(
            [Segment(text, (style or ink) + ink, control) for text, style, control in strip], strip.cell_length
        )


def _option(segment: Segment) -> int | None:
    """The place of the option it belongs to: what the mouse goes by."""
    place = segment.style.meta.get("option") if segment.style is not None else None
    return place if isinstance(place, int) else None
