"""A screen on which a selection goes on growing while the view scrolls under a mouse that is held still."""

from textual.screen import ScreenResultType
from textual.selection import SelectEnd

from tui_agent.ui.screens.fitting import FittingScreen


class SelectingScreen(FittingScreen[ScreenResultType]):
    """Textual takes the end of a selection from the last move of the mouse, which is right where the scrolled content
    is made of widgets; in a view that is one widget, other lines have come under the mouse by then.
    """

    def _update_select(self) -> None:
        state = self._select_state
        if state is not None and state.end is not None:
            place = self.app.mouse_position
            widget, offset = self.get_widget_and_offset_at(*place)
            if widget is state.end.content_widget and offset is not None:
                self._select_state = state.update_end(place, SelectEnd(state.end.container, widget, offset))
        super()._update_select()
