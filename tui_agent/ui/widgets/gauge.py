"""The gauge: how full the context is, where compaction is due, and what compacting would free."""

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui_agent.core.columns import padded
from tui_agent.core.events import Gauge
from tui_agent.language import _, ngettext
from tui_agent.ui.plain import is_plain, mark
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.words import word

FULL, FREE, TICK, TICK_PASSED = "▓", "░", "│", "┃"
"""Shapes, so that the bar can be read without colour."""

REPAINT_SECONDS = 0.1
"""At most ten repaints a second, however fast a reply streams or somebody types."""


def compact_number(number: int) -> str:
    """A number in at most five characters: 950, 5.1k, 62k, 1.2M."""
    if number < 1000:
        return str(number)
    if number < 99_950:
        return f"{number / 1000:.1f}k"
    if number < 999_500:
        return f"{number / 1000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def roughly(number: int) -> str:
    """A number that is only guessed, in as few digits: 900, 1.5k, 4k."""
    step = 10 ** (len(str(number)) - 1)
    step = step // 2 if step > 1 and number < 3 * step else step
    return compact_number(round(number / step) * step).replace(".0", "")


def bar(gauge: Gauge, width: int) -> str:
    """The bar, `width` cells: filled as the window is, with a tick where compaction is due.

    Without a known window the nearest trigger is the whole bar.
    """
    share = gauge.share
    tick: int | None = None
    if share is None:
        share = gauge.trigger_share
    elif gauge.window and gauge.trigger_tokens:
        tick = min(round(gauge.trigger_tokens / gauge.window * width), width - 1)
    if share is None or width < 1:
        return FREE * max(width, 0)
    filled = min(round(share * width), width)
    if filled == 0 and gauge.tokens:
        filled = 1
    cells = [FULL] * filled + [FREE] * (width - filled)
    if tick is not None:
        cells[tick] = TICK_PASSED if tick < filled else TICK
    return "".join(cells)


def tokens_text(gauge: Gauge) -> str:
    """`~5.1k/8.2k`, with the mark while estimated; `/?` while the window is unknown, `/32.8k?` where it is assumed."""
    sign = "~" if gauge.estimated else ""
    window = compact_number(gauge.window) if gauge.window else ""
    if not window or gauge.window_source == "assumed":
        window += "?"
    return f"{sign}{compact_number(gauge.tokens)}/{window}"


def in_words(gauge: Gauge) -> str:
    """`context 62 % of 8,192 tokens, compaction is near`: the bar for those who listen."""
    about = _("about ") if gauge.estimated else ""
    if gauge.window and gauge.share is not None:
        said = _("context {about}{share:.0f} % of {window:,} tokens").format(
            about=about, share=gauge.share * 100, window=gauge.window
        )
    else:
        said = _("context {about}{tokens:,} tokens, window unknown").format(about=about, tokens=gauge.tokens)
    state = state_word(gauge)
    return f"{said}, {_due_words(gauge)}" if state else said


def _due_words(gauge: Gauge) -> str:
    """How near compaction is."""
    share = gauge.trigger_share
    if share is None:
        return _("no trigger is set")
    measure = "" if gauge.trigger_name in ("", "window") else f" ({word(gauge.trigger_name)})"
    words = {
        "over": _("over the window"),
        "due": _("compaction is due{measure}").format(measure=measure),
        "paused": _("compaction is paused{measure}").format(measure=measure),
        "near": _("compaction is near{measure}").format(measure=measure),
    }
    far = _("{share:.0%} of the way to compaction{measure}").format(share=share, measure=measure)
    return words.get(state_word(gauge), far)


def state_word(gauge: Gauge) -> str:
    """In a word how near compaction is: "", "near", "due", "paused" or "over"."""
    if gauge.window and gauge.tokens > gauge.window:
        return "over"
    share = gauge.trigger_share or 0.0
    if share > 1.0:
        return "paused" if gauge.paused else "due"
    return "near" if share >= 0.9 else ""


def style_of(gauge: Gauge) -> str:
    """The theme colour that goes with the state; the words say the same."""
    styles = {"over": "$error", "due": "$warning", "paused": "$warning", "near": "$warning"}
    return styles.get(state_word(gauge), "$primary")


class GaugeBlock(Widget):
    """The gauge in parts, for the context panel. Repaints without layout."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._gauge: Gauge | None = None
        self._last = ""
        self._painted = Content("")

    def show(self, gauge: Gauge, last_compacted: str = "") -> None:
        """Show this measure; `last_compacted` is the time of day of the last compaction."""
        self._gauge = gauge
        self._last = last_compacted
        if not self._content().is_same(self._painted):
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 11 if is_plain() else 8

    def render(self) -> Content:
        self._painted = self._content()
        return self._painted

    def _content(self) -> Content:
        gauge = self._gauge
        width = self.content_size.width
        if gauge is None or width < 1:
            return Content("")
        rows = [
            self._bar_row(gauge, width),
            Content(
                _("{tokens} tok · {characters} ch").format(
                    tokens=tokens_text(gauge), characters=compact_number(gauge.characters)
                )
            ),
            *self._part_rows(gauge, width),
            Content(self._messages_text(gauge)),
            self._due_row(gauge),
            Content.styled(self._compactions_text(gauge), MUTED),
        ]
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in rows)

    @staticmethod
    def _bar_row(gauge: Gauge, width: int) -> Content:
        if is_plain():
            return Content(in_words(gauge))
        share = f"{gauge.share:4.0%}" if gauge.share is not None else "   ?"
        filled_bar = bar(gauge, max(width - cell_len(share) - 1, 1))
        return Content.styled(filled_bar, style_of(gauge)) + Content.styled(f" {share}", "bold")

    @staticmethod
    def _part_rows(gauge: Gauge, width: int) -> list[Content]:
        parts = gauge.parts
        named = [
            (_("system"), parts.system),
            (_("tools"), parts.tools),
            (_("summary"), parts.summary),
            (_("pins"), parts.pins),
            (_("tail"), parts.tail),
            # What is brought back stands there for one turn, in which little is typed.
            (_("found"), parts.retrieved) if parts.retrieved else (_("unsent"), parts.unsent),
        ]
        if is_plain():
            return [Content(f"{name} {count:,}") for name, count in named]
        column = max(width // 2, 1)
        cells = [padded(f"{padded(name, 8)}{compact_number(count):>6}", column) for name, count in named]
        rows = ["".join(cells[index : index + 2]).rstrip() for index in range(0, len(cells), 2)]
        return [Content.styled(row, MUTED) for row in rows]

    @staticmethod
    def _messages_text(gauge: Gauge) -> str:
        freed = _(" · F4 frees about {freed}").format(freed=roughly(gauge.freed)) if gauge.freed else ""
        words = ngettext("{n} message{freed}", "{n} messages{freed}", gauge.messages)
        return words.format(n=gauge.messages, freed=freed)

    @staticmethod
    def _due_row(gauge: Gauge) -> Content:
        return Content.styled(_due_words(gauge), style_of(gauge) if state_word(gauge) else MUTED)

    def _compactions_text(self, gauge: Gauge) -> str:
        if not gauge.compactions:
            return _("not compacted")
        last = _(" · last {last}").format(last=self._last) if self._last else ""
        said = _("compactions {compactions}{last}").format(compactions=gauge.compactions, last=last)
        return mark("⟲ ") + said


class PauseLine(Prose):
    """Why automatic compaction waits, and how it goes on; not there while it does not wait."""

    _words = ""

    def show(self, words: str) -> None:
        """Say this; "" takes the line away."""
        if words != self._words:
            self._words = words
            self.set_class(bool(words), "-open")
            self.update(Content(words))
