"""How the app looks from its first paint on: theme, movement, plainness."""

from typing import Any, Protocol

from textual.app import App

from tui_agent.settings import Settings
from tui_agent.ui.bindings import usable_keys, use_keys
from tui_agent.ui.plain import use_plain
from tui_agent.ui.theme import DARK, THEMES, TINY

THEME_KEY = "theme"
"""Under this the archive remembers the theme that was chosen."""


class Remembering(Protocol):
    """The archive, as far as it remembers."""

    async def recall(self, key: str) -> Any: ...


async def wear_remembered(app: App[Any], archive: Remembering, settings: Settings) -> None:
    """Take up the theme of the settings, else the one that was chosen last, else ours."""
    wanted = settings.theme or await archive.recall(THEME_KEY)
    app.theme = str(wanted) if wanted in app.available_themes else DARK.name


def dress(app: App[Any], settings: Settings) -> None:
    """Put on what the settings say.

    The theme is worn from the beginning: chosen by assignment, it would have everything styled a second time.
    """
    for theme in THEMES:
        app.register_theme(theme)
    wanted = settings.theme if settings.theme in app.available_themes else DARK.name
    app.set_reactive(App.theme, wanted)
    app.stylesheet.set_variables(app.get_css_variables())
    app.set_class(app.current_theme.dark, "-dark-mode", update=False)
    app.set_class(not app.current_theme.dark, "-light-mode", update=False)
    use_plain(settings.plain)
    use_keys(usable_keys(settings.keys))
    app.set_class(settings.plain, "-plain", update=False)
    if settings.plain:  # one thing under the other, however wide the terminal is
        app.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (TINY, "-narrow")]
    if settings.plain or not settings.animation:
        app.animation_level = "none"
