import importlib
import pkgutil
from typing import Any

import pytest
from textual.color import Color
from textual.screen import ModalScreen, Screen
from textual.theme import BUILTIN_THEMES, Theme

from tests.ui import pictures
from tests.ui.drawing import runs_of
from tests.ui.pictures import PictureApp
from tests.ui.screen_text import screen_text, sees
from tests.ui.support import LARGE, USUAL, until
from tui_agent.ui import screens
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.theme import DARK, LIGHT, MUTED, THEMES, legible
from tui_agent.ui.widgets.gauge import GaugeBlock


async def test_every_theme_can_be_worn_by_chat_and_preview() -> None:
    app = PictureApp(pictures.preview())
    async with app.run_test(size=LARGE) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)), pilot)
        app.fill()
        await pilot.pause()
        for name in sorted(app.available_themes):
            app.theme = name
            await pilot.pause()
            await sees(pilot, "approve: ask")
        app.open_modal()
        await until(lambda: "Left out: 3" in screen_text(app), pilot)
        for name in sorted(app.available_themes):
            app.theme = name
            await pilot.pause()
            await sees(pilot, "Proposed summary")


def test_words_of_our_themes_can_be_read_on_their_grounds() -> None:
    for theme in (DARK, LIGHT):
        for ground in (theme.background, theme.surface, theme.panel):
            for ink in (theme.foreground, theme.primary, theme.secondary, theme.accent, theme.success, theme.error):
                assert _contrast(str(ink), str(ground)) >= 4.5, f"{theme.name}: {ink} on {ground}"


async def test_the_chosen_row_can_be_told_from_the_others_and_read_in_every_theme() -> None:
    app = PictureApp(PickScreen("Things", [Choice("a", "chosen", "its note"), Choice("b", "other")]))
    async with app.run_test(size=USUAL) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)), pilot)
        app.open_modal()
        await sees(pilot, "its note")
        for name in sorted(app.available_themes):
            app.theme = name
            await pilot.pause()
            runs = [run for strip in app.screen._compositor.render_strips() for run in runs_of(strip)]
            chosen, note, other = (
                next(run for run in runs if words in run.text) for words in ("chosen", "its note", "other")
            )
            assert chosen.ground == note.ground != other.ground, name
            assert _contrast(note.ink, note.ground) >= 4.5, f"{name}: {note.ink} on {note.ground}"


@pytest.mark.parametrize("theme", [*THEMES, *BUILTIN_THEMES.values()], ids=lambda theme: theme.name)
def test_rows_that_are_chosen_and_what_is_muted_can_be_read_in_every_theme(theme: Theme) -> None:
    variables = legible({**theme.to_color_system().generate(), **theme.variables})
    if "ansi" in variables["foreground"]:
        pytest.skip("the terminal chooses the colours")
    background = Color.parse(variables["background"])
    for row in ("block-cursor", "block-cursor-blurred"):
        ground = background + Color.parse(variables[f"{row}-background"])
        assert _contrast(shown(variables[f"{row}-foreground"], ground).hex, ground.hex) >= 4.5, row
    for name in ("background", "surface", "panel"):
        ground = background + Color.parse(variables[name])
        for ink in (MUTED.replace("$muted", variables["muted"]), variables["text-muted"]):
            assert _contrast(shown(ink, ground).hex, ground.hex) >= 3, f"{ink} on {name}"


def test_our_themes_need_no_mending() -> None:
    for theme in THEMES:
        variables = {**theme.to_color_system().generate(), **theme.variables}
        assert legible(variables) == {**variables, "muted": variables["foreground"]}


def shown(ink: str, ground: Color) -> Color:
    """The colour of `#d8dbe2`, `#d8dbe2 60%` or `auto 60%` on a ground."""
    colour, _, share = ink.partition(" ")
    alpha = float(share.rstrip("%") or 100) / 100
    return ground + (ground.get_contrast_text(alpha) if colour == "auto" else Color.parse(colour).multiply_alpha(alpha))


def _contrast(ink: str, ground: str) -> float:
    """As WCAG reckons it: 1 is invisible, 4.5 is enough for text, 21 is black on white."""
    lighter, darker = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def every_screen() -> list[type[Screen[Any]]]:
    for module in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}."):
        importlib.import_module(module.name)
    found: list[type[Screen[Any]]] = []
    left: list[type[Screen[Any]]] = [Screen]
    while left:
        left += (subclasses := left.pop().__subclasses__())
        found += [each for each in subclasses if each.__module__.startswith(screens.__name__)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("screen", every_screen(), ids=lambda screen: screen.__name__)
def test_what_lies_over_the_chat_is_dressed_as_such(screen: type[Screen[Any]]) -> None:
    """Textual follows the first base alone: with another before it, a modal has the looks of a whole screen."""
    own = {"ModalScreen", "SystemModalScreen"} & screen._css_type_names  # the second is Textual's palette
    assert bool(own) == issubclass(screen, ModalScreen)
