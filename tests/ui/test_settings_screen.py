"""The settings screen: every setting with its source, changed in the file by the code that reads it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Input, OptionList

from tests.fakes.model_server import ModelServer
from tests.ui.support import LARGE, Sitting, sitting
from tui_agent.settings import Origin
from tui_agent.settings.describe import descriptions
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.screens.settings import SettingsScreen
from tui_agent.ui.theme import DARK


@asynccontextmanager
async def at_settings(
    tmp_path: Path, text: str = "", flags: dict[str, object] | None = None, environ: dict[str, str] | None = None
) -> AsyncIterator[tuple[Sitting, Origin]]:
    """The settings screen over a file with this text."""
    origin = Origin(tmp_path / "config.toml", flags or {}, environ or {})
    origin.path.write_text(text)
    loaded = origin.load().settings
    changes = {name: getattr(loaded, name) for name in ("theme", "density", "threshold", "keys", "approval", "budget")}
    with ModelServer() as server:
        async with sitting(server, tmp_path, origin=origin, **changes) as person:
            await person.press("f9")
            await person.sees("Changes are written to")
            yield person, origin


async def choose(person: Sitting, words: str) -> None:
    """Narrow the list to one row and have it changed."""
    screen = person.app.screen
    screen.query_one(Input).value = words
    await person.until(lambda: screen.query_one(OptionList).highlighted is not None)
    await person.press("enter")
    await person.until(lambda: person.app.screen is not screen)


async def test_every_setting_and_every_key_is_listed_with_its_source(tmp_path: Path) -> None:
    environ = {"TUI_AGENT_BUDGET": "900"}
    async with at_settings(tmp_path, 'density = "compact"\n', {"theme": "nord"}, environ) as (person, _):
        screen = person.app.screen
        assert isinstance(screen, SettingsScreen)
        names = {each.name for each in descriptions()} - {"keys"} | {f"key {key.id}" for key in KEYS}
        assert set(screen._shown) == names
        sources = {name: screen._shown[name].source for name in ("theme", "density", "budget", "mouse", "key compact")}
        assert sources == {
            "theme": "--theme",
            "density": "config.toml",
            "budget": "TUI_AGENT_BUDGET",
            "mouse": "default",
            "key compact": "default",
        }


async def test_a_choice_is_written_and_acts_at_once(tmp_path: Path) -> None:
    async with at_settings(tmp_path, "# mine\nmouse = true # yes\n") as (person, origin):
        await choose(person, "density")
        await person.press("down", "enter")
        await person.sees("Saved, and in effect.")
        assert person.conductor.transcript.density == "compact"
        assert origin.path.read_text() == '# mine\nmouse = true # yes\ndensity = "compact"\n'


async def test_what_acts_at_the_next_start_says_so(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, origin):
        await choose(person, "language")
        await person.sees("follows the locale")
        await person.press(*"zh", "enter")
        await person.sees("It takes effect at the next start.")
        assert origin.load().settings.language == "zh"


async def test_a_wrong_value_is_told_and_can_be_corrected(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, origin):
        await choose(person, "compaction.threshold")
        await person.press("ctrl+u", *"7", "enter")
        await person.sees("is not allowed")
        assert origin.path.read_text() == ""
        await person.press("ctrl+u", *"0.5", "enter")
        await person.sees("Saved, and in effect.")
        assert person.conductor.services.settings.threshold == 0.5
        assert origin.load().settings.threshold == 0.5


async def test_a_theme_is_tried_while_it_is_chosen(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, origin):
        await choose(person, "theme")
        await person.press("down")
        await person.until(lambda: person.app.theme != DARK.name)
        await person.press("escape")
        await person.until(lambda: person.app.theme == DARK.name)
        await choose(person, "theme")
        await person.press(*"nord", "enter")
        await person.sees("Saved, and in effect.")
        assert (person.app.theme, origin.load().settings.theme) == ("nord", "nord")
        await person.press("escape", "delete")
        await person.until(lambda: person.app.theme == DARK.name)


async def test_what_a_variable_says_stays_in_force(tmp_path: Path) -> None:
    async with at_settings(tmp_path, "", None, {"TUI_AGENT_DENSITY": "comfortable"}) as (person, origin):
        await choose(person, "density")
        await person.press("down", "enter")
        await person.sees("TUI_AGENT_DENSITY overrides it")
        assert person.conductor.transcript.density == "comfortable"
        assert 'density = "compact"' in origin.path.read_text()


async def test_del_takes_a_setting_out_of_the_file(tmp_path: Path) -> None:
    async with at_settings(tmp_path, 'density = "compact" # small\n# last\n') as (person, origin):
        assert person.conductor.transcript.density == "compact"
        person.app.screen.query_one(Input).value = "density"
        await person.press("delete")
        await person.sees("Saved, and in effect.")
        assert person.conductor.transcript.density == "comfortable"
        assert origin.path.read_text() == "# last\n"


async def test_keys_are_bound_anew_and_no_two_things_get_one_key(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, origin):
        await choose(person, "keys: in the chat new")
        await person.press("ctrl+u", *"ctrl+f", "enter")
        await person.sees("Ctrl+F is already taken")
        await person.press("ctrl+u", *"ctrl +", "enter")
        await person.sees("is no key")
        await person.press("ctrl+u", *"f6", "enter")
        await person.sees("it edits text in the prompt")
        await person.press("ctrl+u", *"f10", "enter")
        await person.sees("Saved, and in effect.")
        assert origin.load().settings.keys == {"new": "f10"}
        await person.press("escape", "escape")
        await person.until(lambda: len(person.app.screen_stack) == 1)
        before = person.conductor.view.session
        await person.press("ctrl+n")
        assert person.conductor.view.session is before
        await person.press("f10")
        await person.until(lambda: person.conductor.view.session is not before)


async def test_what_cannot_be_changed_here_says_why(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, _):
        person.app.screen.query_one(Input).value = "api_key"
        await person.press("enter")
        await person.sees("never from a file")


async def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, origin):
        origin.path.write_text("density = \n")
        await choose(person, "density")
        await person.press("down", "enter")
        await person.sees("Correct it in an editor")
        assert origin.path.read_text() == "density = \n"


async def test_the_screen_is_reached_by_the_palette_and_by_a_command(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE, origin=Origin(tmp_path / "config.toml")) as person:
            await person.send("/settings")
            await person.sees("Changes are written to")
            await person.press("escape", "ctrl+p", *"/settings", "enter")
            await person.sees("Changes are written to")


async def test_the_model_is_said_to_change_at_once_with_its_command(tmp_path: Path) -> None:
    async with at_settings(tmp_path) as (person, _):
        person.app.screen.query_one(Input).value = "model to talk to"
        await person.until(lambda: "; /model changes it at once." in " ".join(person.seen.replace("│", "").split()))
