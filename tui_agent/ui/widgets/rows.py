"""A list of rows of which one is chosen, readable in any theme."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList


class Rows(OptionList):
    """An option list whose chosen row has one ink: on its ground, what is muted or coloured elsewhere could be lost."""

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
