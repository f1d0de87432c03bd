"""The context panel: gauge in parts, the summary with its sources, its versions, pins and exact details."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.core.entries import Compacted, Detail, Item, Logged
from tui_agent.core.events import Gauge
from tui_agent.core.readings import by_section, kind_word, lacking
from tui_agent.language import N_, _, ngettext
from tui_agent.ui.bindings import bindings
from tui_agent.ui.plain import mark
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.theme import MUTED
from tui_agent.ui.times import time_of_day
from tui_agent.ui.widgets.gauge import GaugeBlock, PauseLine, compact_number
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.words import by_kind, word
from tui_agent.values import frozen, posted

SECTIONS = {
    "goals": N_("Goals"),
    "rules": N_("Decisions and rules"),
    "files": N_("Files and commands"),
    "findings": N_("Findings"),
    "unfinished": N_("Unfinished work"),
}
"""Headings of a summary's sections, in their order."""

_PIN_LINES = 4
"""Lines of a pin that the panel shows; `/pins` and the context have all of it."""

_WORTH_TELLING = 0.5
"""Seconds from which it is said how long a summary took."""


@frozen
class PinRow:
    """A pin, as the panel shows it."""

    seq: int
    text: str
    source: int | None


@frozen
class Memory:
    """What the panel shows besides the gauge."""

    live: Logged | None = None
    """The compaction whose summary stands."""

    versions: tuple[Logged, ...] = ()
    """All compactions, oldest first."""

    pins: tuple[PinRow, ...] = ()
    details: tuple[Detail, ...] = ()
    """Carried word for word behind the summary."""

    made_ahead: int | None = None
    """The tokens that a summary made ahead has taken, while it waits to be used; None when none does."""


@frozen
class _Row:
    """What an option stands for."""

    kind: Literal["item", "version", "pin", "detail", "left out"]
    seq: int = 0
    text: str = ""
    sources: tuple[int, ...] = field(default=())


class MemoryList(Rows):
    """The rows of the panel; Enter follows one to its source."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sidebar")]

    @posted
    class SourceWanted(Message):
        """Go to this entry in the transcript."""

        seq: int

    @posted
    class CompareWanted(Message):
        """Show what this version changed, against the one before or the one that is marked."""

        seq: int
        other: int | None = None

    @posted
    class RestoreWanted(Message):
        """Make this version's summary the live one."""

        seq: int

    @posted
    class UnpinWanted(Message):
        """Stop carrying this pin."""

        seq: int

    @posted
    class PinEditWanted(Message):
        """Carry other words in the place of this pin."""

        seq: int

    @posted
    class KeepWanted(Message):
        """Carry a detail that was left out after all."""

        text: str

    def __init__(self) -> None:
        super().__init__(id="memory", markup=False, compact=True)
        self._rows: dict[str, _Row] = {}
        self._memory: Memory | None = None
        self._marked: Logged | None = None
        """The version that another is to be compared with."""

        self._turn = 0
        """How often Enter was pressed on the same row: each press goes to its next source."""

        self._was_moved_in = False
        """Whether somebody has gone to a row by hand since the list got the focus."""

        self._is_at_left_out = False
        """Whether it has the focus so that details can be put back."""

    def show(self, memory: Memory) -> None:
        """Show these rows; the place is kept when they are the same."""
        if memory == self._memory:
            return
        self._memory = memory
        if self._marked not in memory.versions:  # another session's
            self._marked = None
        nearest = self._nearest()
        self._rows = {}
        self.clear_options()
        parts = (self._ahead, self._summary, self._pins, self._details, self._versions)
        self.add_options([option for part in parts for option in part(memory)])
        self._go_to(nearest)

    def go_to_summary(self) -> bool:
        """Highlight the first line of the live summary, its heading in view; whether there is one."""
        has_one = self._go_to([row for row in self._rows.values() if row.kind == "item"])
        self.scroll_home(animate=False)
        return has_one

    def go_to_left_out(self) -> bool:
        """Highlight the weightiest detail that was left out; whether there is one."""
        self._is_at_left_out = self._go_to([row for row in self._rows.values() if row.kind == "left out"])
        return self._is_at_left_out

    def takes(self, event: events.Key) -> bool:
        """Whether a letter or sign acts on a row. Until one was gone to by hand, who types means the prompt."""
        active = self.screen.active_bindings.get(event.key)
        puts_back = active is not None and active.binding.id == "panel-keep"
        return self._was_moved_in or (self._is_at_left_out and puts_back)

    def on_key(self, event: events.Key) -> None:
        if event.key in ("up", "down", "home", "end", "pageup", "pagedown"):
            self._was_moved_in = True

    def on_blur(self) -> None:
        self._was_moved_in = self._is_at_left_out = False

    def _nearest(self) -> list[_Row]:
        """The highlighted row, those below it, and those above it; of its kind before all others."""
        current = self._row
        if current is None:
            return []
        rows = list(self._rows.values())
        place = next(at for at, row in enumerate(rows) if row is current)
        return sorted([*rows[place:], *reversed(rows[:place])], key=lambda row: row.kind != current.kind)

    def _go_to(self, wanted: Iterable[_Row]) -> bool:
        """Highlight the first of these that is there; whether one is."""
        ids = {row: option_id for option_id, row in reversed(self._rows.items())}
        found = next((ids[row] for row in wanted if row in ids), None)
        if found is not None:
            self.highlighted = self.get_option_index(found)
        return found is not None

    def _ahead(self, memory: Memory) -> Iterator[Option]:
        if memory.made_ahead is not None:
            words = _("A summary is ready, made ahead for {n:,} tokens. F4 shows it.").format(n=memory.made_ahead)
            yield self._note(words)

    def _summary(self, memory: Memory) -> Iterator[Option]:
        live, is_first = memory.live, memory.made_ahead is None
        if live is None or not isinstance(live.entry, Compacted):
            yield self._heading(_("No summary yet"), is_first=is_first)
            yield self._note(_("Everything that was said is in the context, word for word. F4 compacts."))
            return
        number = next((place for place, each in enumerate(memory.versions, 1) if each.seq == live.seq), 1)
        yield self._heading(
            _("Summary · version {number} of {versions}").format(
                number=number, versions=max(len(memory.versions), number)
            ),
            is_first=is_first,
        )
        yield self._note(describe(live))
        for section, members in by_section(live.entry.items, tuple(SECTIONS)):
            if section:
                yield self._heading(_(SECTIONS.get(section, section.capitalize())))
            for item in members:
                yield self._option(_Row("item", text=item.text, sources=item.sources), _item_text(item))

    def _pins(self, memory: Memory) -> Iterator[Option]:
        yield self._heading(_("Pins"))
        for pin in memory.pins:
            sources = (pin.source,) if pin.source is not None else (pin.seq,)
            yield self._option(_Row("pin", pin.seq, sources=sources), _pin_text(pin.text))
        if not memory.pins:
            yield self._note(_("none · /pin keeps a line in every context"))

    def _details(self, memory: Memory) -> Iterator[Option]:
        if memory.details:
            yield self._heading(_("Kept word for word"))
        for detail in memory.details:
            kind = Content.styled(f"{kind_word(detail.kind)}  ", MUTED)
            yield self._option(_Row("detail", text=detail.text, sources=detail.sources), kind + _detail_text(detail))
        live = memory.live.entry if memory.live is not None else None
        if not isinstance(live, Compacted) or not live.left_out:
            return
        from tui_agent.context.ledger import left_out  # it knows much about words; the first paint does not

        missing = left_out(live.left_out, memory.details)
        if missing:
            yield self._heading(_("Left out · + puts back"))
        for headline, members in by_kind(missing):
            yield self._note(headline)
            for detail in members:
                row = _Row("left out", text=detail.text, sources=detail.sources)
                yield self._option(row, Content(mark("· ")) + _detail_text(detail))
        if live.unnamed:
            words = _("the {n:,} of {all:,} that matter most · Ctrl+F finds the rest")
            yield self._note(words.format(n=len(live.left_out), all=lacking(live)))

    def _versions(self, memory: Memory) -> Iterator[Option]:
        if not memory.versions:
            return
        yield self._heading(_("Versions"))
        yield self._note(_("m mark · c compare · r restore"))
        for number, version in reversed(list(enumerate(memory.versions, 1))):
            is_live = memory.live is not None and version.seq == memory.live.seq
            state = mark("● ", _("live: ")) if is_live else mark("○ ")
            marked = Content.styled(_("marked  "), "$accent") if version == self._marked else Content("")
            label = Content(f"{state}v{number}  ") + marked + Content.styled(describe(version), MUTED)
            yield self._option(_Row("version", version.seq, sources=(version.seq,)), label)

    def _option(self, row: _Row, label: Content) -> Option:
        option_id = f"row-{len(self._rows)}"
        self._rows[option_id] = row
        return Option(label, id=option_id)

    @staticmethod
    def _heading(text: str, *, is_first: bool = False) -> Option:
        gap = "" if is_first else "\n"
        return Option(Content(gap) + Content.styled(safe(text, single_line=True), "bold $primary"), disabled=True)

    @staticmethod
    def _note(text: str) -> Option:
        return Option(Content.styled(text, MUTED), disabled=True)

    @property
    def _row(self) -> _Row | None:
        if self.highlighted is None:
            return None
        return self._rows.get(self.get_option_at_index(self.highlighted).id or "")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._turn = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        row = self._row
        if row is not None and row.sources:
            self.post_message(self.SourceWanted(row.sources[self._turn % len(row.sources)]))
            self._turn += 1

    def action_compare(self) -> None:
        row, marked = self._row, self._marked
        if row is not None and row.kind == "version":
            self.post_message(self.CompareWanted(row.seq, marked.seq if marked and marked.seq != row.seq else None))

    def action_mark(self) -> None:
        row, place, memory = self._row, self.highlighted, self._memory
        if row is None or row.kind != "version" or memory is None:
            return
        chosen = next(version for version in memory.versions if version.seq == row.seq)
        self._marked = None if self._marked == chosen else chosen
        self._memory = None
        self.show(memory)
        self.highlighted = place

    def action_restore(self) -> None:
        if self._row is not None and self._row.kind == "version":
            self.post_message(self.RestoreWanted(self._row.seq))

    def action_keep(self) -> None:
        if self._row is not None and self._row.kind == "left out":
            self.post_message(self.KeepWanted(self._row.text))

    def action_edit_pin(self) -> None:
        if self._row is not None and self._row.kind == "pin":
            self.post_message(self.PinEditWanted(self._row.seq))

    def action_unpin(self) -> None:
        if self._row is not None and self._row.kind == "pin":
            self.post_message(self.UnpinWanted(self._row.seq))


class Sidebar(Vertical):
    """The column at the right, or an overlay on narrow terminals."""

    def compose(self) -> ComposeResult:
        yield Static(Content(_("Context")), classes="panel-title")
        yield GaugeBlock()
        yield PauseLine()

    def show_gauge(self, gauge: Gauge, paused: str = "") -> None:
        """Show this measure, and why compaction waits, if it does."""
        self.query_one(GaugeBlock).show(gauge, time_of_day(gauge.last_compacted))
        self.query_one(PauseLine).show(paused)

    def show_memory(self, memory: Memory) -> None:
        """Show these rows. The list is mounted with its first ones: an empty one takes time to draw."""
        if not self.query(MemoryList):
            self.mount(MemoryList())
        self.query_one(MemoryList).show(memory)


def describe(version: Logged) -> str:
    """A version in a line: when, why, by which model, what it saved, what it covers."""
    entry = version.entry
    if not isinstance(entry, Compacted):
        return ""
    model = safe(entry.model, single_line=True, strict=True) or _("extract, no model")
    saved = _("{before} → {after} tokens").format(
        before=compact_number(entry.before.tokens), after=compact_number(entry.after.tokens)
    )
    told = [time_of_day(version.at), word(entry.trigger), model]
    if entry.seconds >= _WORTH_TELLING:
        told.append(_("{n:.0f} s").format(n=entry.seconds))
    return " · ".join([*told, saved, _("up to #{upto}").format(upto=entry.upto)])


def _pin_text(text: str) -> Content:
    """A pin in its own lines; of a long one the first, and how many there are besides."""
    lines = text.split("\n")
    shown = Content("\n  ").join(content(line, single_line=True) for line in lines[:_PIN_LINES])
    further = len(lines) - _PIN_LINES
    if further > 0:
        more = ngettext("{n} more line", "{n} more lines", further).format(n=further)
        shown += Content.styled(f"\n  … {more}", MUTED)
    return Content(mark("▪ ")) + shown


def _detail_text(detail: Detail) -> Content:
    said = "" if detail.origin == "user" else f"  ({word(detail.origin)})"
    text = content(detail.words or detail.text, single_line=True)
    return text + Content.styled(said, MUTED) if said else text


def _item_text(item: Item) -> Content:
    from tui_agent.context.provenance import is_instruction_like  # it knows much about words; the first paint does not

    text = Content(mark("· ")) + content(item.text, single_line=True)
    if not item.sources:
        return text + Content.styled(_("  no source"), "$warning")
    origin = _(" tool") if item.tool_only else ""
    if is_instruction_like(item):
        text = text.stylize("$warning")
        origin = _(" tool, reads like an instruction")
    places = " ".join(f"#{seq}" for seq in item.sources[:2]) + ("…" if len(item.sources) > 2 else "")
    return text + Content.styled(mark(" ↗", _(", from ")) + f"{places}{origin}", MUTED)
