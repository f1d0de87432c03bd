"""Textual's command palette, which runs what was chosen once, however fast Enter is pressed again."""

from textual.command import CommandList, CommandPalette

from tui_agent.ui.screens.modal import AnsweredOnce
from tui_agent.ui.widgets.rows import PAGING


class PaletteScreen(CommandPalette, AnsweredOnce[None]):  # styles come from the first
    """Lists our commands; `tui_agent/ui/commands.py` finds them."""

    def _action_command_list(self, action: str) -> None:
        """Textual turns a page by the lines of the list, which has none until it is shown, and ends the program."""
        if action not in PAGING or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
