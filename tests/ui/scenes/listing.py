"""What is listed over the chat: sessions, models, settings, commands, help."""

from textual.command import CommandPalette as PaletteScreen
from textual.widgets import OptionList

from tests.ui import pictures
from tests.ui.scenes.scene import Scene, state
from tui_agent.archive import Hit
from tui_agent.language import _
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.help import HelpScreen, key_lines
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.screens.search import SearchScreen
from tui_agent.ui.screens.sessions import SessionSource, SessionsScreen
from tui_agent.ui.widgets.lines_view import Line, LinesView
from tui_agent.ui.words import word


async def listed(scene: Scene, source: SessionSource = pictures.SESSIONS) -> None:
    """The list of sessions, with a look inside the first."""
    screen = SessionsScreen(source)
    await scene.open(screen)
    await scene.until(lambda: bool(screen.query_one("#sessions-peek", LinesView).lines))


@state(is_filled=False)
async def sessions(scene: Scene) -> None:
    await listed(scene)


@state(is_filled=False)
async def sessions_found_by_what_was_said(scene: Scene) -> None:
    await listed(scene)
    await scene.press(*"/parser")
    await scene.sees("…")


@state(is_filled=False)
async def no_session_put_away(scene: Scene) -> None:
    await listed(scene)
    await scene.press("z")
    await scene.sees(_("Nothing was put away. z shows the others."))


@state(is_filled=False)
async def search_of_all_sessions(scene: Scene) -> None:
    async def search(words: str) -> list[Hit]:
        return [
            *await pictures.SESSIONS.search(words),
            Hit("a", "Refactor the parser", 4, "2026-03-04T09:44:00Z", "assistant", "the parser", ((4, 10),), 1),
        ]

    screen = SearchScreen(search, "parser")
    await scene.open(screen)
    await scene.until(lambda: screen.query_one(OptionList).option_count == 2)


@state(is_filled=False)
async def models(scene: Scene) -> None:
    choices = [
        Choice(
            "a", "qwen2.5-0.5b", _("in use") + " · " + _("window {size} ({source})").format(size="8.2k", source="?")
        ),
        Choice("b", "qwen2.5-1.5b", _("free")),
        Choice("c", "[/x] odd-model-with-a-very-long-name-and-a-date-2026-03-04", "$0.15 in, $0.60 out"),
    ]
    about = _("{model} at {place} · window {size} ({source})").format(
        model="qwen2.5-0.5b", place="127.0.0.1:11434", size="8.2k", source=word("endpoint")
    )
    await scene.open(PickScreen(_("Models"), choices, explanation=about))


@state()
async def a_theme_being_tried(scene: Scene) -> None:
    choices = [Choice(name, name) for name in ("tui-agent-dark", "tui-agent-light", "nord", "gruvbox", "dracula")]
    await scene.open(PickScreen(_("Themes"), choices, highlighted=lambda name: None))


@state(is_filled=False)
async def nothing_matches(scene: Scene) -> None:
    await scene.open(PickScreen(_("What you sent before"), [Choice("0", scene.story.typed)]))
    await scene.press(*"zzz")


@state(is_filled=False)
async def settings(scene: Scene) -> None:
    await scene.open(pictures.settings_screen())


@state(is_filled=False)
async def settings_filtered(scene: Scene) -> None:
    await scene.open(pictures.settings_screen())
    await scene.press(*"/theme", "down")


@state(is_filled=False)
async def a_setting_being_written(scene: Scene) -> None:
    await scene.open(pictures.settings_screen())
    await scene.press(*"/threshold", "enter")


@state(is_filled=False, starts_anew=True)
async def palette(scene: Scene) -> None:
    await scene.open(PaletteScreen(placeholder=_("Search for commands…")))
    await scene.sees("/new")


@state(is_filled=False)
async def help_(scene: Scene) -> None:
    await scene.open(HelpScreen({}))


@state(is_filled=False)
async def help_further_down(scene: Scene) -> None:
    await scene.open(HelpScreen({}))
    await scene.press("pagedown")


@state(is_filled=False)
async def key_ids(scene: Scene) -> None:
    await scene.open(ReadingScreen(_("{n} key bindings").format(n=80), key_lines({"compact": "f5"})))


@state(is_filled=False)
async def a_long_paste(scene: Scene) -> None:
    lines = [Line(safe(f"{number}\tpanic: nil map in clamp.go:{number}  ", single_line=True)) for number in range(40)]
    hint = _("i put it into the prompt as text · Esc close")
    await scene.open(ReadingScreen(_("Pasted"), lines, exact=True, hint=hint, has_extra=True))
