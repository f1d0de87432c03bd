"""A dialog with a field over a list: the keys act on the list while the field keeps the focus."""

from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input, OptionList

from tui_agent.ui.bindings import bindings
from tui_agent.ui.screens.modal import Modal

T = TypeVar("T")


class ChoosingScreen(Modal[T | None], Generic[T]):
    """Gives what the chosen row stands for, or None when it was closed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("picking")]
    AUTO_FOCUS = "Input"

    def value_at(self, row: int) -> T | None:
        """What a row stands for; None when it is no choice."""
        raise NotImplementedError

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose()

    def action_move(self, step: int) -> None:
        rows = self.query_one(OptionList)
        if step < 0:
            rows.action_cursor_up()
        else:
            rows.action_cursor_down()

    def action_choose(self) -> None:
        row = self.query_one(OptionList).highlighted
        value = None if row is None else self.value_at(row)
        if value is not None:
            self.dismiss(value)

    def action_close(self) -> None:
        self.dismiss(None)
