"""What is said of keys and themes in the settings that there are not."""

from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.ui.support import sitting
from tui_agent.settings import Origin
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.theme import DARK
from tui_agent.ui.unusable import unusable_looks

WRONG = """# mine
theme = "nosuch"

[keys]
quit = "ctrl+banana"
compact = "f4+"
compcat = "f8"
help = "F1"
"""


def told(origin: Origin) -> list[str]:
    return unusable_looks(origin.load().settings, origin)


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    path = tmp_path / "config.toml"
    path.write_text(WRONG)
    return Origin(path)


def test_each_is_named_with_file_line_the_value_seen_and_what_is_allowed(origin: Origin) -> None:
    (quits, compacts, stranger, theme) = told(origin)
    for problem, line, *parts in (
        (quits, 5, "keys.quit is 'ctrl+banana'", "f4, ctrl+k", "It keeps Ctrl+Q."),
        (compacts, 6, "keys.compact is 'f4+'", "f4, ctrl+k", "It keeps F4."),
        (stranger, 7, "names no binding: compcat", "/keys"),
        (theme, 2, "theme is 'nosuch'", "nord", "tui-agent-light", f"{DARK.name} is used."),
    ):
        assert problem.startswith(f"{origin.path}, line {line}: ")
        assert all(part in problem for part in parts), problem


@pytest.mark.parametrize(
    ("flags", "environ", "places"),
    [
        ({"theme": "nosuch"}, {}, ["--theme: "]),
        ({}, {"TUI_AGENT_THEME": "nosuch"}, ["TUI_AGENT_THEME: "]),
        ({}, {"TUI_AGENT_KEYS": '{quit = "f99"}'}, ["TUI_AGENT_KEYS: "]),
        ({"theme": "nord"}, {"TUI_AGENT_KEYS": '{quit = "f10", compact = "f4,ctrl+k"}'}, []),
        ({"theme": "tui-agent-light"}, {}, []),
        ({}, {}, []),
    ],
)
def test_what_comes_from_elsewhere_is_named_by_that(
    tmp_path: Path, flags: dict[str, object], environ: dict[str, str], places: list[str]
) -> None:
    said = told(Origin(tmp_path / "config.toml", flags, environ))
    assert [each.partition(": ")[0] + ": " for each in said] == places


def test_keys_in_one_line_are_named_with_that_line(origin: Origin) -> None:
    origin.path.write_text('\nkeys = {quit = "f99"}\n')
    (problem,) = told(origin)
    assert problem.startswith(f"{origin.path}, line 2: ")


async def test_the_app_tells_it_at_the_start_and_in_doctor_and_the_keys_do_what_they_did(origin: Origin) -> None:
    settings = origin.load().settings
    with ModelServer() as server:
        async with sitting(
            server, origin.path.parent, origin=origin, keys=settings.keys, theme=settings.theme
        ) as person:
            said = "\n".join(each for _, each in person.conductor.screen.notices.newest_first())
            for part in ("line 5", "line 6", "line 7", "line 2", "ctrl+banana", "nosuch"):
                assert part in said
            assert person.app.theme == DARK.name
            await person.press("f1")
            await person.sees("Ctrl+Q")
            await person.press("escape")
            await person.conductor.command("doctor")
            await person.sees("line 5: keys.quit")
            await person.press("escape")
            await person.press("ctrl+q")
            await person.until(lambda: person.app.return_code == 0)


def test_every_default_is_usable(tmp_path: Path) -> None:
    keys = ", ".join(f'"{key.id}" = "{key.keys}"' for key in KEYS)
    assert told(Origin(tmp_path / "config.toml", {}, {"TUI_AGENT_KEYS": f"{{{keys}}}"})) == []
