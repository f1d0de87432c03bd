import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.screen_text import screen_text, sees
from tests.ui.support import LARGE, SMALL, USUAL, sitting, until
from tui_agent.agent.connection import has_local_model
from tui_agent.core.entries import Compacted, Item
from tui_agent.language import _
from tui_agent.model.embedded import install_command, is_installed
from tui_agent.settings import Settings
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.commands import BY_NAME
from tui_agent.ui.theme import DARK, LIGHT
from tui_agent.ui.widgets.sidebar import MemoryList, Sidebar
from tui_agent.ui.widgets.start_card import StartCard

ROOT = Path(__file__).parents[2]

PACKAGES = {"platformdirs", "rich", "textual", "typing_extensions"}
"""What of other people's the first screen needs. Not openai, httpx2, apsw, tiktoken, markdown-it, Pygments."""

PARTS = {"core", "errors", "language", "paths", "settings", "threads", "ui", "values", "whole_files"}
"""What of our own it needs."""

FIRST_PAINT = """
import asyncio, json, sys
from tests.ui.screen_text import screen_text
from tui_agent.settings import Settings
from tui_agent.ui.app import TuiAgentApp

class Painting(TuiAgentApp):
    imported = None

    def _begin(self):
        self.imported = sorted(sys.modules)

async def paint():
    app = Painting(Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        while app.imported is None:
            await pilot.pause()
        print(json.dumps([screen_text(app), app.imported]))

asyncio.run(paint())
"""


def test_the_first_paint_needs_nothing_that_takes_long_to_load() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], cwd=ROOT, capture_output=True, text=True, check=True)
    screen, imported = json.loads(done.stdout)
    assert "Ask something." in screen
    own = {each.split(".")[1] for each in imported if each.startswith("tui_agent.")}
    packages = {each.split(".")[0] for each in imported} - sys.stdlib_module_names
    assert own == PARTS
    assert {each for each in packages if not each.startswith("_")} == PACKAGES | {"tests", "tui_agent"}
    assert not {"rich.markdown", "pygments", "sqlite3"} & set(imported)
    laying_out_answers = {f"tui_agent.ui.widgets.{name}" for name in ("markdown_lines", "markdown_blocks", "tables")}
    for_changes = {"tui_agent.settings.writing", "tui_agent.settings.describe", "tui_agent.ui.written_keys"}
    assert not (laying_out_answers | for_changes) & set(imported)


AT_REST = """
import asyncio, json, sys
from tui_agent.settings import Settings
from tui_agent.ui.app import TuiAgentApp

async def rest():
    app = TuiAgentApp(Settings(data_dir=sys.argv[1], embedded="off"))
    async with app.run_test(size=(120, 40)) as pilot:
        while not app._chat.is_unconfigured:
            await pilot.pause()
        print(json.dumps(sorted(sys.modules)))

asyncio.run(rest())
"""


def test_a_start_that_finds_nobody_to_ask_loads_nothing_that_asks_or_acts(tmp_path: Path) -> None:
    if asyncio.run(has_local_model()):
        pytest.skip("a local server with a model runs on this machine, and is found")
    command = [sys.executable, "-c", AT_REST, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout))
    assert "tui_agent.agent.services" in imported
    asks_or_acts = {"model.client", "model.sdk", "agent.turn", "agent.toolbox", "agent.rehearsal", "agent.compaction"}
    starts_processes = {"ui.clipboard", "agent.tools.child_process"}
    assert not {f"tui_agent.{name}" for name in asks_or_acts | starts_processes} & imported


async def test_what_is_typed_before_anything_is_loaded_is_not_lost(tmp_path: Path) -> None:
    with ModelServer(says("here")) as server:
        settings = Settings(base_url=server.url, model="fake-model", data_dir=str(tmp_path), tools=False)
        app = TuiAgentApp(settings, directory=tmp_path)
        async with app.run_test(size=LARGE) as pilot:
            await pilot.press(*"early", "enter", *"bird")
            while not server.requests:
                await pilot.pause()
            assert server.requests[0].last_text == "early"
            assert app._chat.prompt.text == "bird"


async def test_with_nothing_configured_the_start_card_says_what_to_do(tmp_path: Path) -> None:
    if await has_local_model():
        pytest.skip("a local server with a model runs on this machine, and is found")
    settings = Settings(data_dir=str(tmp_path), embedded="off")
    app = TuiAgentApp(settings, directory=tmp_path)
    async with app.run_test(size=USUAL) as pilot:
        await until(lambda: app._chat.is_unconfigured, pilot)
        card = app._chat.query_one(StartCard)
        assert card.display
        assert card.command == ("" if is_installed() else install_command())
        await sees(pilot, "Enter an address")
        await sees(pilot, "now is kept.")
        assert ("Copy the command" in screen_text(app)) == bool(card.command)
        assert ("-m pip" in screen_text(app)) == bool(card.command)
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app._chat.prompt.has_focus


async def test_looking_again_in_vain_says_so(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            await person.sees("Get started")
            await person.conductor.command("start", "again")
            await person.is_told("Still no model found.")


async def test_an_address_entered_at_the_start_card_connects_and_sends_what_waits(tmp_path: Path) -> None:
    with ModelServer(says("at last")) as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            await person.sees("Get started")
            await person.send("are you there?")
            await person.sees("queued  are you there?")
            person.conductor.screen.query_one("#start-choices").focus()
            await person.press("down", "down", "enter")
            await person.sees("Enter an address")
            await person.press("ctrl+u", *server.url, "enter")
            await person.sees("at last")
            assert "Get started" not in person.seen


async def test_an_address_may_be_entered_without_a_scheme_and_one_that_is_none_is_told_of(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            for typed, shown in (("nonsense", "begins with http"), (server.url.removeprefix("http://"), server.url)):
                await person.sees("Get started")
                person.conductor.screen.query_one("#start-choices").focus()
                await person.press("home", "down", "down", "enter")
                await person.sees("Enter an address")
                await person.press("ctrl+u", *typed, "enter")
                await person.sees(shown.removesuffix("/v1"))


async def test_another_model_is_asked_at_the_place_that_was_found_and_nowhere_else(tmp_path: Path) -> None:
    with ModelServer(says("here")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            services = person.conductor.services
            services.change_settings(base_url="", api_key="")  # as if the server had been found and not configured
            await person.conductor.command("model", "other")
            assert services.bench is not None
            assert services.bench.connection.model == "other"
            assert services.bench.connection.endpoint.base_url == server.url


async def test_an_address_that_was_refused_is_there_again_to_be_mended(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            for typed in ("", "nonsense"):
                await person.sees("Get started")
                await person.conductor.command("start", "local")
                await person.sees(typed or "http://127.0.0.1:9/v1")
                await person.press("ctrl+u", *"nonsense", "enter")
                await person.is_told("begins with http")


async def test_an_address_that_cannot_be_read_asks_nobody_until_one_is_entered_that_can(tmp_path: Path) -> None:
    with ModelServer(says("at last")) as server:
        refused = "OPENAI_BASE_URL is 'nonsense', which is not allowed."
        async with sitting(server, tmp_path, base_url="", refused_endpoint=refused, model="") as person:
            await person.sees("OPENAI_BASE_URL is 'nonsense'")
            await person.sees("no connection was made")
            for command in ("/model other", "/new"):
                await person.send(command)
            await person.conductor.command("use-key", "sk-other")
            await person.sees("no connection was made")
            assert person.conductor.services.bench is None
            assert not server.requests
            await person.conductor.command("use-url", server.url.removeprefix("http://"))
            await person.until(lambda: person.conductor.services.bench is not None)
            await person.say("are you there?")
            await person.sees("at last")


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL, (59, 16), (40, 12)])
async def test_prompt_and_gauge_are_there_at_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path, size=size) as person:
            await person.say("hello")
            screen = person.conductor.screen
            for selector in ("#prompt", "#status-bar", "#transcript"):
                region = screen.query_one(selector).region
                assert region.width > 0, selector
                assert region.right <= size[0], selector
                assert region.bottom <= size[1], selector
            assert "▓" in person.seen.split("\n")[-1]
            await person.sees("hello")


async def test_the_panel_is_a_column_where_there_is_room_and_an_overlay_where_there_is_none(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            sidebar = person.conductor.screen.query_one(Sidebar)
            assert not sidebar.display
            await person.press("f3")
            await person.until(lambda: bool(sidebar.display))
            assert person.conductor.screen.query_one(MemoryList).has_focus
            await person.press("escape")
            assert not sidebar.display
            assert person.conductor.prompt.has_focus
            await person.pilot.resize_terminal(*LARGE)
            await person.until(lambda: bool(sidebar.display))
            await person.press("ctrl+t")
            await person.until(lambda: not sidebar.display)


async def test_tab_goes_round_through_prompt_and_panel(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            seen = set()
            for _ in range(4):
                focused = person.app.focused
                seen.add(type(focused).__name__)
                await person.press("tab")
            assert {"Prompt", "MemoryList"} <= seen
            await person.press("escape")
            await person.until(lambda: person.conductor.prompt.has_focus)


async def test_summary_goes_to_the_summary_in_a_panel_that_is_open_and_says_where_there_is_none(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/summary")
            await person.is_told("No summary yet")
            await person.press("escape")
            await person.has_said("The host is alpha", "and so on")
            session = person.conductor.view.session
            assert session is not None
            items = (Item("i1", "findings", "The host is alpha.", (1,)),)
            person.conductor.show_events(
                await session.append(Compacted(None, 2, items, "- The host is alpha.", folded=2))
            )
            await person.sees("Summary · version 1 of 1")
            await person.send("/summary")
            rows = person.conductor.screen.query_one(MemoryList)
            await person.until(lambda: rows.has_focus and rows._row is not None and rows._row.kind == "item")


async def test_enter_on_an_item_of_the_panel_goes_to_its_source(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said(*(f"message {place}" for place in range(60)))
            await person.conductor.command("pin", "a line")
            await person.conductor.screen.run_action("scroll_edge(-1)")
            await person.send("/summary")
            await person.press("end", "enter")
            await person.until(lambda: person.conductor.transcript.scroll_y > 0)


async def test_a_theme_is_tried_while_it_is_chosen_and_remembered(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            assert person.app.theme == DARK.name
            await person.conductor.command("theme")
            await person.press("down")
            await person.until(lambda: person.app.theme != DARK.name)
            await person.press("escape")
            await person.until(lambda: person.app.theme == DARK.name)
            await person.conductor.command("theme", LIGHT.name)
            await person.press("ctrl+q")
        async with sitting(server, tmp_path) as person:
            assert person.app.theme == LIGHT.name


async def test_another_model_is_chosen_from_what_the_endpoint_lists(tmp_path: Path) -> None:
    with ModelServer(says("from the other"), models=("fake-model", "other-model")) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/model")
            await person.sees("other-model")
            await person.press(*"other", "enter")
            await person.sees("● other-model")
            await person.say("who are you?")
            assert server.requests[-1].body["model"] == "other-model"


@pytest.mark.parametrize(("language", "words"), [("en", "nothing matches"), ("zh", "没有匹配")])
async def test_the_palette_says_in_the_readers_language_that_nothing_matches(
    tmp_path: Path, language: str, words: str
) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, language=language) as person:
            await person.press("ctrl+p", *"zzzqqq")
            await person.sees(words)
            await person.press("enter")
            await person.until(lambda: person.app.screen is person.conductor.screen)


async def test_the_palette_says_once_what_a_command_does(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.press("ctrl+p", *"doctor")
            about = _(BY_NAME["doctor"].help)
            await person.sees(about)
            assert person.seen.count(about) == 1


async def test_every_command_is_in_the_palette(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.press("ctrl+p")
            await person.press(*"undo-comp")
            await person.sees("/undo-compact")
            await person.press("enter")
            await person.until(lambda: len(person.app.screen_stack) == 1)
            await person.sees("There is no compaction to undo")


async def test_shift_tab_goes_through_the_approval_modes(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            for mode in ("edits", "all", "ask"):
                await person.press("shift+tab")
                await person.sees(f"approve: {mode}")


async def test_an_attached_text_goes_into_the_prompt_and_a_picture_beside_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("remember the milk")
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with ModelServer(says("seen")) as server:
        async with sitting(server, tmp_path) as person:
            await person.conductor.command("attach", "notes.txt")
            await person.conductor.command("attach", "dot.png")
            await person.sees("with [dot.png]")
            await person.type("what is this?")
            await person.press("enter")
            await person.sees("seen")
            parts = server.requests[0].messages[-1]["content"]
            assert "remember the milk" in parts[0]["text"]
            assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("/dev/zero", "neither a text nor a picture"),
        ("pipe", "neither a text nor a picture"),
        (".", "cannot be read"),
        ("~nobody-of-that-name/x", "cannot be read"),
        ("a\0b", "cannot be read"),
        ("large", "5,000,001 bytes"),
    ],
)
async def test_what_cannot_be_attached_is_told_whatever_it_is(tmp_path: Path, name: str, told: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(5_000_001)
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.conductor.command("attach", name)
            await person.is_told(told)
            assert person.prompt_text == ""


async def test_an_export_to_a_home_that_is_not_known_is_told(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello there")
            await person.conductor.command("export", "md ~nobody-of-that-name/x")
            await person.sees("exported.")


async def test_exports_are_written_and_nothing_is_overwritten(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello there")
            await person.conductor.command("export", "md notes.md")
            await person.until((tmp_path / "notes.md").exists)
            assert "hello there" in (tmp_path / "notes.md").read_text()
            assert (tmp_path / "notes.md").stat().st_mode & 0o777 == 0o600
            await person.conductor.command("export", "md notes.md")
            await person.is_told("already exists")


async def test_a_broken_part_ends_the_program_with_one_line_and_no_values(tmp_path: Path) -> None:
    secret = "sk-very-secret"
    app = TuiAgentApp(Settings(data_dir=str(tmp_path), embedded="off", api_key=secret), directory=tmp_path)

    async def breaks() -> None:
        async with app.run_test(size=USUAL) as pilot:
            app._chat.call_later(lambda: 1 // len(secret[99:]))
            await pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await breaks()
    assert app.return_code == 1
    (crash,) = (tmp_path / "log").glob("crash-*.txt")
    assert "ZeroDivisionError" in crash.read_text()
    assert secret not in crash.read_text()
    assert crash.stat().st_mode & 0o777 == 0o600


async def test_page_keys_scroll_the_transcript_from_the_prompt_and_following_pauses(tmp_path: Path) -> None:
    with ModelServer(says("the newest words")) as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said(*(f"message {place}" for place in range(40)))
            transcript = person.conductor.transcript
            await person.until(lambda: transcript.max_scroll_y > 0 and transcript.scroll_y == transcript.max_scroll_y)
            await person.press("pageup", "pageup")
            place = transcript.scroll_y
            assert place < transcript.max_scroll_y
            await person.say("and now?")
            assert transcript.following
            await person.press("pageup", "pageup", "pageup")
            await person.has_said("one more")
            await person.sees("new · Ctrl+End")
            await person.press("ctrl+end")
            await person.sees("one more")
