"""A view of blocks, drawn line by line on demand: where it stands, what is measured, what is selected.

The view is anchored to a line of a block, not to a line number: heights above are guesses until they have been drawn,
older blocks arrive above, and widths change, yet what is read stays where it is. `scroll_y` and `virtual_size` follow
from the anchor.
"""

from collections import OrderedDict
from typing import ClassVar

from textual import events, on
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tui_agent.ui.widgets.block_lines import Growth, Manner, lay_out
from tui_agent.ui.widgets.blocks import Block
from tui_agent.ui.widgets.code_colours import Coloured, coloured, put_on, uncoloured
from tui_agent.ui.widgets.folding import Folding
from tui_agent.ui.widgets.heights import Pages
from tui_agent.ui.widgets.lines import (
    GUTTER,
    MARGIN,
    NO_GUTTER,
    ROW_BITS,
    Highlight,
    Layout,
    Line,
    Look,
    Run,
    draw,
)
from tui_agent.ui.widgets.looks import COLOURS, look_of
from tui_agent.ui.widgets.selected_text import selected_text
from tui_agent.values import posted

LAYOUTS = 300
"""Blocks whose lines are kept."""

NEAR = 3
"""Screens within which scrolling walks exactly; a longer way jumps by guessed heights."""

Place = tuple[int, int]
"""A block's key and a line in it."""


class BlockView(ScrollView, can_focus=True):
    """Blocks one below the other, of which only what is in view is ever laid out."""

    ALLOW_SELECT = True
    FOCUS_ON_CLICK = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{name}" for name in COLOURS}

    density: var[str] = var("comfortable", init=False)
    """`comfortable` or `compact`."""

    plain: var[bool] = var(False, init=False)
    """Whether to do without symbols and box characters."""

    @posted
    class NewBelow(Message):
        """How many messages have arrived below the view while it was scrolled up; 0 when it follows again."""

        count: int

    @posted
    class CodeColoured(Message, bubble=False):
        """Code in view has got its colours."""

        done: list[Coloured]

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(id="transcript", classes=classes)
        self.blocks: Pages[Block] = Pages()
        self._folding = Folding()
        self._layouts: OrderedDict[int, Layout] = OrderedDict()
        self._growths: dict[int, Growth] = {}
        self._top: Place = (0, 0)
        self._following = True
        self._new_below = 0
        self._placing = False
        self._view = Size(0, 0)
        """The cells this view draws, as they were when it was last laid out."""

        self._window: list[tuple[int, Line]] | None = None
        self._looks: tuple[Look, Look, Look] | None = None
        self._looks_stale = True

    @property
    def following(self) -> bool:
        """Whether the view stays at the end as more arrives."""
        return self._following

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._following = True
        self._count_new(0)
        self._place(self._end_place())

    # ── measuring ────────────────────────────────────────────────────────────

    @property
    def _text_width(self) -> int:
        return max(8, self._view.width - GUTTER - MARGIN)

    @property
    def _manner(self) -> Manner:
        return Manner(plain=self.plain, compact=self.density == "compact")

    def _layout(self, key: int) -> Layout:
        """The lines of a block, made now if they are not at hand; its exact height is known from then on."""
        growth = self._growths.get(key)
        if growth is not None:
            return growth.layout
        layout = self._layouts.get(key)
        if layout is not None:
            self._layouts.move_to_end(key)
            return layout
        block = self.blocks[key]
        layout = lay_out(block, self._text_width, self._manner, self._folding.standing(block))
        self._layouts[key] = layout
        if len(self._layouts) > LAYOUTS:
            self._layouts.popitem(last=False)
        self.blocks.set_height(key, len(layout.lines))
        return layout

    def _lines(self, key: int) -> list[Line]:
        return self._layout(key).lines

    def _forget(self, key: int) -> None:
        """A block has changed and must be laid out again."""
        self._layouts.pop(key, None)
        self._window = None

    def _forget_all(self) -> None:
        self._layouts.clear()
        self._window = None
        for key, growth in self._growths.items():
            self._growths[key] = grown = Growth(
                growth.block, self._text_width, self._manner, self._folding.standing(growth.block)
            )
            self.blocks.set_height(key, len(grown.layout.lines))

    # ── placing ──────────────────────────────────────────────────────────────

    def _walk(self, place: Place, lines: int) -> Place:
        """The place so many lines further down (or up), or the nearest there is."""
        key, line = place
        line += lines
        while line < 0 and key > self.blocks.first:
            key -= 1
            line += len(self._lines(key))
        line = max(line, 0)
        while key < self.blocks.end and line >= (height := len(self._lines(key))):
            line -= height
            key += 1
        return key, line

    def _end_place(self) -> Place:
        """The top of the view when its last line is the last there is."""
        return self._walk((self.blocks.end, 0), -self._view.height)

    def _fill(self, place: Place) -> Place:
        """Measure what a view from this place on shows; the place, or the end's if less than a screen follows."""
        key, line = place
        room = self._view.height + line
        while room > 0 and key < self.blocks.end:
            room -= len(self._lines(key))
            key += 1
        return self._end_place() if room > 0 else place

    def _place(self, place: Place) -> None:
        """Put the view so that it begins at a place."""
        if not self._view.height:
            return
        self._top = key, line = self._fill(place)
        self._window = None
        self._set_geometry(self.blocks.total, self.blocks.top(key) + line)
        self._colour_code()
        self.refresh()

    def _set_geometry(self, height: int, y: int) -> None:
        """Tell Textual the height of it all and the first line in view.

        Setting `virtual_size` as usual lays out the whole screen, at each piece of an answer; this view's height does
        not depend on what is in it, so only the scrollbar has to learn of it.
        """
        self._placing = True
        virtual_size = Size(self._view.width, height)
        if virtual_size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, virtual_size)
            self._scroll_update(virtual_size)
        self.scroll_target_y = y
        self.scroll_y = y
        self._placing = False

    def _settle(self, changed: int | None = None) -> None:
        """Something has changed (in one block, if named): stay at the end when following, else where the view is."""
        if self._following:
            self._place(self._end_place())
        elif changed is None or self._window is None or changed <= self._window[-1][0]:
            self._place(self._top)
        else:
            key, line = self._top
            self._set_geometry(self.blocks.total, self.blocks.top(key) + line)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Move the anchor with the view when someone scrolls."""
        if not self._placing and self._view.height and round(old_value) != round(new_value):
            self._scrolled(round(old_value), round(new_value))
        super().watch_scroll_y(old_value, new_value)

    def _scrolled(self, old: int, new: int) -> None:
        if new >= self.max_scroll_y:
            place = self._end_place()
        elif abs(new - old) <= NEAR * self._view.height:
            place = self._walk(self._top, new - old)
        else:
            place = self.blocks.at(new)
        self._go_to(place)

    def _go_to(self, place: Place) -> None:
        """Put the view somewhere because someone wants to be there."""
        self._place(place)
        self._note_end()

    def _note_end(self) -> None:
        self._following = self.scroll_y >= self.max_scroll_y
        if self._following:
            self._count_new(0)

    def _count_new(self, count: int) -> None:
        if count != self._new_below:
            self._new_below = count
            self.post_message(self.NewBelow(count))

    # ── Textual's part ───────────────────────────────────────────────────────

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: object) -> None:
        """Scroll at once: animation would fight with heights that become exact on the way."""
        self._scroll_to(x, y, animate=False, force=bool(options.get("force")))

    def scroll_home(self, **_options: object) -> None:
        """Go to the very first line; its number is only guessed as long as not everything above has been drawn."""
        self._go_to((self.blocks.first, 0))

    def scroll_end(self, **_options: object) -> None:
        """Go to the end and stay there."""
        self.follow()

    def on_resize(self, _event: events.Resize) -> None:
        view = self.scrollable_content_region.size
        if view == self._view or not view.height:
            return
        key, line = self._top
        lines = self._lines(key) if self._view.height and key < self.blocks.end else []
        kept = lines[line] if line < len(lines) else None
        rewrap = view.width != self._view.width
        self._view = view
        if rewrap:
            self.blocks.resize(self._text_width)
            self._forget_all()
            if kept is not None and key < self.blocks.end:
                self._top = (key, self._layout(key).line_of(kept.number, kept.start))
        self._settle()

    def watch_density(self) -> None:
        self._lay_out_again()

    def watch_plain(self) -> None:
        self._lay_out_again()

    def _lay_out_again(self) -> None:
        if self._view.height:
            self._forget_all()
            self.blocks.resize(self._text_width)
            self._settle()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks_stale = True

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under a selection."""
        first = self.blocks.first if selection.start is None else selection.start.y >> ROW_BITS
        last = self.blocks.end if selection.end is None else selection.end.y >> ROW_BITS

        def layout_of(key: int) -> Layout | None:
            if last - first < LAYOUTS or key in (first, last):
                return self._layout(key)
            return None

        return selected_text(self.blocks, selection, layout_of), "\n"

    def _colour_code(self) -> None:
        """Have the code in view coloured, if some of it is not yet."""
        self._line_at(0)
        keys = dict.fromkeys(key for key, _ in self._window or ())
        wanted = uncoloured(self._layout(key) for key in keys)
        if wanted:
            self.run_worker(
                lambda: self.post_message(self.CodeColoured(coloured(wanted))), thread=True, group="colours"
            )

    @on(CodeColoured)
    def _put_colours_on(self, event: CodeColoured) -> None:
        put_on(event.done)
        self.refresh()

    # ── drawing ──────────────────────────────────────────────────────────────

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        look, folded, rewound = self._current_looks()
        width = self._view.width
        placed = self._line_at(y)
        if placed is None:
            return Strip.blank(width, look.base)
        key, line = placed
        standing = self._folding.standing(self.blocks[key])
        gutter = NO_GUTTER
        if standing.rewound:
            look, gutter = rewound, Run("  " if self.plain else "× ", "mark")
        elif standing.folded and not (standing.divider and line.row.runs[0].style == "divider"):
            look, gutter = folded, Run("  " if self.plain else "┊ ", "mark")
        gutter = self._marked_gutter(key, line, gutter)
        highlights = self._highlights(key, line)
        if highlights:
            strip = draw(line, look, key, width, gutter, highlights)
        else:
            strip = line.strip(look, key, width, gutter)
        return strip.adjust_cell_length(width, look.base)

    def _line_at(self, y: int) -> tuple[int, Line] | None:
        if self._window is None:
            self._window = []
            key, line = self._top
            while len(self._window) < self._view.height and key < self.blocks.end:
                room = self._view.height - len(self._window)
                self._window += [(key, shown) for shown in self._lines(key)[line : line + room]]
                key, line = key + 1, 0
        return self._window[y] if 0 <= y < len(self._window) else None

    def _marked_gutter(self, key: int, line: Line, gutter: Run) -> Run:
        """The gutter of a line; a subclass marks its cursor in it."""
        return gutter

    def _highlights(self, key: int, line: Line) -> list[Highlight]:
        """Stretches of a line's row that are drawn with one more style; a subclass adds its own."""
        selection = self.text_selection
        if selection is None:
            return []
        span = selection.get_span((key << ROW_BITS) | line.number)
        if span is None:
            return []
        begin, end = max(0, span[0]), len(line.row.text) if span[1] == -1 else span[1]
        return [Highlight(begin, end, "selection")] if begin < end else []

    def _current_looks(self) -> tuple[Look, Look, Look]:
        """The look of the moment, plain and under the veils of what is folded and rewound."""
        if self._looks is None or self._looks_stale:
            look = look_of(self)
            if self._looks is None or not look.means_the_same(self._looks[0]):
                self._looks = look, look.veiled("folded"), look.veiled("rewound")
            self._looks_stale = False
        return self._looks
