"""The two themes of our own, and the sizes that several stylesheets share."""

from textual.theme import Theme

DARK = Theme(
    name="tui-agent-dark",
    primary="#6cb6a8",
    secondary="#8ea6d4",
    accent="#e3b566",
    foreground="#d8dbe2",
    background="#14161b",
    surface="#1a1d24",
    panel="#22262f",
    boost="#22262f",
    success="#8fbf7a",
    warning="#e3b566",
    error="#e8787d",
    dark=True,
    variables={
        "border": "#6cb6a8",
        "border-blurred": "#343a46",
        "block-cursor-background": "#2f4a48",
        "block-cursor-foreground": "#f2f4f8",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#262b34",
        "block-cursor-blurred-foreground": "#d8dbe2",
        "block-cursor-blurred-text-style": "none",
        "input-selection-background": "#3a5f5a",
        "scrollbar": "#2b303a",
        "scrollbar-hover": "#3a414e",
        "scrollbar-active": "#6cb6a8",
        "scrollbar-background": "#14161b",
        "scrollbar-background-hover": "#14161b",
        "scrollbar-background-active": "#14161b",
        "scrollbar-corner-color": "#14161b",
    },
)
"""Ours, for dark terminals: teal for what acts, amber for what concerns memory."""

LIGHT = Theme(
    name="tui-agent-light",
    primary="#1d7268",
    secondary="#3d5a99",
    accent="#875600",
    foreground="#2a2c32",
    background="#faf8f3",
    surface="#f3f0e9",
    panel="#e9e5db",
    boost="#e9e5db",
    success="#3d7329",
    warning="#875600",
    error="#b3363d",
    dark=False,
    variables={
        "border": "#1d7268",
        "border-blurred": "#cfc9bb",
        "block-cursor-background": "#cfe3dd",
        "block-cursor-foreground": "#1c1d21",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#e9e5db",
        "block-cursor-blurred-foreground": "#2a2c32",
        "block-cursor-blurred-text-style": "none",
        "input-selection-background": "#b7d8cf",
        "scrollbar": "#d8d3c6",
        "scrollbar-hover": "#bfb9a9",
        "scrollbar-active": "#1d7268",
        "scrollbar-background": "#faf8f3",
        "scrollbar-background-hover": "#faf8f3",
        "scrollbar-background-active": "#faf8f3",
        "scrollbar-corner-color": "#faf8f3",
    },
)
"""Ours, for light terminals: ink on paper."""

THEMES = (DARK, LIGHT)

MUTED = "$foreground 60%"
"""The style of what may be overlooked, in any theme. ($text-muted has no meaning in content without a background.)"""

FAINT = "$foreground 30%"
"""The style of rules between things."""


SIZES = {
    "sidebar-width": "36",
    "dialog-width": "76",
    "gutter": "2",
}
"""Cells. Variables in a stylesheet are per file; these are known in all of them."""

NARROW = 100
"""Below this many columns the sidebar is an overlay instead of a column."""

TINY = 60
"""Below this many columns only chat, prompt and gauge are shown."""

LOW = 24
"""Below this many rows the title row is left out."""
