"""Textual's command palette, which runs what was chosen once, however fast Enter is pressed again."""

from textual.command import CommandPalette

from tui_agent.ui.screens.modal import AnsweredOnce


class PaletteScreen(CommandPalette, AnsweredOnce[None]):  # styles come from the first
    """Lists our commands; `tui_agent/ui/commands.py` finds them."""
