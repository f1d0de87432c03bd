"""What is painted when a part of the chat changes: Textual's own compositor, without what it draws in vain.

For a letter in the prompt, Textual draws each widget whose parent touches the line, from top to bottom, and then throws
away what is hidden or was not asked for: a transcript and five containers for one row, half of what a key cost. When
two places change at once, it draws all that lies between them. Here only what shows in a place that has changed is
drawn, and of it only those rows. Nor are the blank rows kept that containers draw around what they hold. This relies on
`Screen._compositor`, `Widget._styles_cache` and two methods of Textual 8.2; it can go when Textual looks for what is
hidden, and at regions instead of their union.
"""

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip


class Painter(Compositor):
    """Draws what can be seen of a change, front to back."""

    _changed: tuple[Region, ...] = ()
    """The places that are being painted; none where all of it is."""

    def render_partial_update(self) -> ChopsUpdate | None:
        screen = self.size.region
        self._changed = tuple(filter(None, map(screen.intersection, self._dirty_regions)))
        try:
            return super().render_partial_update()
        finally:
            self._changed = ()

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Region, visible part and rows of each widget that is needed."""
        uncovered = list(self._changed or (crop or self.size.region,))
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            touched = [place for place in uncovered if seen.overlaps(place)]
            if not touched:
                continue
            places = Region.from_union(touched)
            rows = seen.intersection(Region(seen.x, places.y, seen.width, places.height))
            yield region, rows, widget.render_lines(rows.translate(-region.offset))
            if widget.children:  # what it drew is blank; kept, it would be a fortieth of all memory
                widget._styles_cache.clear()
            uncovered = [place for place in uncovered if not seen.contains_region(place)]
            if not uncovered:
                return
