"""The two themes of our own, what is mended in those of others, and the sizes that several stylesheets share."""

from collections.abc import Mapping

from textual.color import BLACK, WHITE, Color
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

MUTED = "$muted 60%"
"""The style of what may be overlooked, in any theme. ($text-muted has no meaning in content without a background.)"""

FAINT = "$foreground 30%"
"""The style of rules between things."""


SIZES = {
    "sidebar-width": "36",
    "dialog-width": "76",
    "gutter": "2",
    "muted": "#808080",
}
"""Cells, and an ink until a theme is worn. Variables in a stylesheet are per file; these are known in all of them."""

LEGIBLE, LEGIBLE_MUTED = 4.5, 3.0
"""Contrast, as WCAG reckons it, that a chosen row has at least, and what may be overlooked."""

_GROUNDS = ("background", "surface", "panel")
_MUTED_SHARE = 0.6
"""Of the ink that is muted, what is left of it."""

_STEPS = 10
"""From the foreground to black or white."""


def legible(variables: Mapping[str, str]) -> dict[str, str]:
    """A theme's variables with an ink of the chosen row that can be read on its ground, and one to be muted.

    Colours that the terminal chooses stay as they are: nobody here knows them.
    """
    mended = {**variables, "muted": variables["foreground"]}
    foreground, background = Color.parse(variables["foreground"]), Color.parse(variables["background"])
    if foreground.ansi is not None or background.ansi is not None:
        return mended
    grounds = [background + Color.parse(variables[name]) for name in _GROUNDS]
    furthest = background.get_contrast_text(1.0)
    for step in range(_STEPS + 1):
        ink = foreground.blend(furthest, step / _STEPS) if step else foreground
        muted = ink.with_alpha(_MUTED_SHARE)
        if all(_contrast(ground + muted, ground) >= LEGIBLE_MUTED for ground in grounds):
            break
    mended["muted"] = ink.hex if step else variables["foreground"]
    for row in ("block-cursor", "block-cursor-blurred"):
        ground = background + Color.parse(variables[f"{row}-background"])
        if _contrast(_ink_on(ground, variables[f"{row}-foreground"]), ground) < LEGIBLE:
            mended[f"{row}-foreground"] = max(BLACK, WHITE, key=lambda ink: _contrast(ink, ground)).hex
    return mended


def _ink_on(ground: Color, ink: str) -> Color:
    """The colour that an ink has on a ground; `auto 87%` is what stands out from it most, so strongly."""
    if ink.startswith("auto"):
        return ground + ground.get_contrast_text(float(ink.removeprefix("auto").strip(" %") or 100) / 100)
    return ground + Color.parse(ink)


def _contrast(ink: Color, ground: Color) -> float:
    lighter, darker = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


NARROW = 100
"""Below this many columns the sidebar is an overlay instead of a column."""

TINY = 60
"""Below this many columns only chat, prompt and gauge are shown."""

LOW = 24
"""Below this many rows the title row is left out."""
