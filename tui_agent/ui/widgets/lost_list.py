"""The loss report: exact details that the summary leaves out, by kind, each put back with one key."""

from collections.abc import Collection, Sequence
from itertools import count

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.core.entries import Detail
from tui_agent.language import _
from tui_agent.ui.plain import mark
from tui_agent.ui.safe_text import content
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.rows import Rows
from tui_agent.ui.words import by_kind, word


class LostList(Vertical):
    """What would be lost, the kinds that weigh most first, and the pins, which never are lost."""

    class Changed(Message):
        """Other details are to be put back."""

    def __init__(self) -> None:
        super().__init__()
        self._lost: tuple[Detail, ...] = ()
        """As they stand in the list; the place of each is the id of its row."""

        self._chosen: dict[Detail, None] = {}
        self._held: frozenset[Detail] = frozenset()
        """Those that the words of what is put back hold: they are carried with it."""

        self._is_known = False

    def compose(self) -> ComposeResult:
        yield Static(Content(_("Left out")), id="lost-heading", classes="panel-title")
        yield Rows(id="lost", markup=False, compact=True)
        yield Static(id="preview-pins")

    @property
    def put_back(self) -> tuple[Detail, ...]:
        """The details to put back, in the order of the list."""
        return tuple(detail for detail in self._lost if detail in self._chosen)

    @property
    def lost(self) -> tuple[Detail, ...]:
        """All of the report, whether it is put back or not."""
        return self._lost

    @property
    def left_out(self) -> int:
        """How many are neither put back nor held by what is."""
        return len(self._lost) - len(self._chosen) - len(self._held)

    def show_lost(self, lost: Sequence[Detail] | None, unknown: str = "") -> None:
        """Show these; of those chosen before, the ones that are still lost stay chosen. None: `unknown` says why."""
        self._is_known = lost is not None
        self._held = frozenset()
        groups = by_kind(dict.fromkeys(lost or ()))
        self._lost = tuple(detail for _headline, members in groups for detail in members)
        self._chosen = {detail: None for detail in self._chosen if detail in self._lost}
        rows = self.query_one(OptionList)
        rows.clear_options()
        places = count()
        for headline, members in groups:
            rows.add_option(Option(Content.styled(headline, MUTED), disabled=True))
            rows.add_options([Option(self._row(detail), id=str(next(places))) for detail in members])
        if self._lost:
            rows.highlighted = rows.get_option_index("0")
        else:
            words = _("nothing exact is lost") if self._is_known else unknown
            rows.add_option(Option(Content.styled(words, MUTED), disabled=True))
        self._say()

    def show_held(self, held: Collection[Detail]) -> None:
        """Mark these as carried already: what is put back says them as well."""
        before, self._held = self._held, frozenset(held) - self._chosen.keys()
        for place, detail in enumerate(self._lost):
            if (detail in before) != (detail in self._held):
                self._refresh_row(place)
        self._say()

    def show_pins(self, pins: Sequence[str]) -> None:
        """Name the pins, which every context carries."""
        if not pins:
            return
        rows = [Content.styled(_("Pins stay, word for word"), MUTED)]
        rows += [content(mark("▪ ") + pin, single_line=True) for pin in pins[:4]]
        if len(pins) > 4:
            rows.append(Content.styled(_("… and {n} more").format(n=len(pins) - 4), MUTED))
        self.query_one("#preview-pins", Static).update(Content("\n").join(rows))

    def take_focus(self) -> None:
        """Let the keys act on the list."""
        self.query_one(OptionList).focus()

    def toggle(self) -> None:
        """Put the highlighted detail back, or leave it out after all."""
        index = self._highlighted
        if index is None:
            return
        detail = self._lost[index]
        if detail in self._held:
            return
        if detail in self._chosen:
            del self._chosen[detail]
        else:
            self._chosen[detail] = None
        self._refresh_row(index)
        self._changed()

    def toggle_kind(self) -> None:
        """Put back every detail of the highlighted one's kind; if all are, leave them all out."""
        index = self._highlighted
        if index is None:
            return
        same = [detail for detail in self._lost if detail.kind == self._lost[index].kind]
        kind = [detail for detail in same if detail not in self._held]
        if all(detail in self._chosen for detail in kind):
            for detail in kind:
                del self._chosen[detail]
        else:
            self._chosen |= dict.fromkeys(kind)
        for place in range(len(self._lost)):
            self._refresh_row(place)
        self._changed()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.toggle()

    @property
    def _highlighted(self) -> int | None:
        """The place of the highlighted detail."""
        option = self.query_one(OptionList).highlighted_option
        return int(option.id) if option is not None and option.id is not None else None

    def _refresh_row(self, index: int) -> None:
        self.query_one(OptionList).replace_option_prompt(str(index), self._row(self._lost[index]))

    def _row(self, detail: Detail) -> Content:
        box = "[+] " if detail in self._chosen else "[=] " if detail in self._held else "[ ] "
        name = f"{detail.name}: " if detail.name else ""
        stated = "" if detail.origin == "user" else f"  ({word(detail.origin)})"
        text = content(f"{name}{detail.text}", single_line=True)
        return Content(box) + text + Content.styled(stated, MUTED)

    def _changed(self) -> None:
        self.post_message(self.Changed())

    def _say(self) -> None:
        back, held = len(self._chosen), len(self._held)
        if not self._is_known:
            self.query_one("#lost-heading", Static).update(Content(_("Left out")))
            return
        words = (
            _("Left out: {count}").format(count=self.left_out)
            + (_(" · {back} put back").format(back=back) if back else "")
            + (_(" (= {held} more)").format(held=held) if held else "")
            + (_(" · + puts back") if self.left_out and not held else "")
        )
        self.query_one("#lost-heading", Static).update(Content(words))
