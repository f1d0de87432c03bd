"""A box that is as high as what stands in it, and no higher than its limit: then the lines in it scroll."""

from itertools import chain
from typing import ClassVar

from textual.containers import Vertical
from textual.geometry import Size
from textual.layout import ArrangeResult
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

from tui_agent.ui.widgets.lines_view import LinesView


class _Fitting(VerticalLayout):
    """From top to bottom, each as high as it wants to be; where that is too much, the lines have what is left."""

    name = "fitting"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        placed = super().arrange(parent, children, size, greedy)
        excess = max((each.region.bottom + each.margin.bottom for each in placed), default=0) - size.height
        at = next((at for at, each in enumerate(placed) if isinstance(each.widget, LinesView)), None)
        if at is None or excess <= 0 or size.height <= 0:
            return placed
        lines = placed[at]
        taken = min(excess, max(lines.region.height - 1, 0))
        shorter = lines._replace(region=lines.region.shrink((0, 0, taken, 0)))
        below = (each._replace(region=each.region.translate((0, -taken))) for each in placed[at + 1 :])
        return list(chain(placed[:at], (shorter,), below))


class FittingBox(Vertical):
    """Holds one `LinesView`, of automatic height, among other things."""

    FITTING: ClassVar[VerticalLayout] = _Fitting()

    @property
    def layout(self) -> VerticalLayout:
        return self.FITTING
