from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.widgets import OptionList

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.screen_text import screen_lines
from tests.ui.support import LARGE, SMALL, USUAL, Sitting, sitting
from tui_agent.agent import changes
from tui_agent.core.entries import Compacted, Detail, Noticed
from tui_agent.ui.screens.sessions import SessionsScreen
from tui_agent.ui.widgets.key_hints import fitting_hints


async def two_sessions(person: Sitting) -> None:
    await person.has_said("about the parser")
    await person.send("/rename The parser")
    await person.press("ctrl+n")
    await person.until(lambda: person.conductor.view.last_seq == 0)
    await person.has_said("about cats")
    await person.send("/rename Cats and dogs")


@asynccontextmanager
async def two_listed(data: Path, **options: Any) -> AsyncIterator[Sitting]:
    """The app with both in its list of sessions."""
    with ModelServer() as server:
        async with sitting(server, data, **options) as person:
            await two_sessions(person)
            await person.press("f2")
            await person.sees("The parser")
            yield person


def title(person: Sitting) -> str:
    session = person.conductor.view.session
    return session.title if session is not None else ""


async def test_sessions_are_listed_newest_first_with_a_look_inside(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await two_sessions(person)
            await person.press("f2")
            await person.sees("● Cats and dogs")
            await person.sees("about cats")
            assert person.seen.index("Cats and dogs") < person.seen.index("The parser")


async def test_enter_opens_the_highlighted_session_as_it_was(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("down", "enter")
        await person.until(lambda: title(person) == "The parser")
        await person.sees("about the parser")
        assert "about cats" not in person.seen


async def test_typing_filters_by_title(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("slash", *"parse")
        await person.until(lambda: "Cats" not in "\n".join(person.seen.split("\n")[3:20]))
        await person.press("enter")
        await person.until(lambda: title(person) == "The parser")


async def test_letters_that_change_nothing_in_the_list_leave_it_as_it_is(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        rows = person.app.screen.query_one(OptionList)
        await person.press("slash", *"dog")
        await person.until(lambda: rows.option_count == 1)
        listed = rows.options[0]
        await person.press("s")
        await person.app.workers.wait_for_complete(
            [each for each in person.app.workers if each.group in ("seek", "rows", "peek")]
        )
        assert rows.options[0] is listed
        await person.press(*["backspace"] * 4)
        await person.until(lambda: rows.option_count == 2)


async def test_a_letter_that_acts_on_nothing_begins_the_filter(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press(*"quux")
        await person.sees("Nothing found in titles or messages.")
        await person.press("escape")
        await person.sees("The parser")
        await person.press("escape")
        await person.until(lambda: not isinstance(person.app.screen, SessionsScreen))


async def test_a_session_is_renamed_in_the_list(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("down", "r")
        await person.sees("Rename the session")
        await person.press("ctrl+u", *"Grammar [/x]", "enter")
        await person.sees("Grammar [/x]")


async def test_deleting_says_what_is_deleted_and_asks(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("down", "d")
        await person.sees("2 messages, with all their summaries, pins")
        await person.press("enter")
        await person.sees("The parser")
        await person.press("d")
        await person.sees("Delete this session?")
        await person.press("y")
        await person.until(lambda: "The parser" not in person.seen)
        assert [info.title for info in await person.conductor.services.sessions()] == ["Cats and dogs"]


async def test_deleting_the_open_session_leaves_a_new_one(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await two_sessions(person)
            await person.send("/delete")
            await person.sees("Delete this session?")
            await person.press("y")
            await person.until(lambda: title(person) == "")
            assert [info.title for info in await person.conductor.services.sessions()] == ["The parser"]


async def test_a_fork_begins_like_the_session_it_comes_from(tmp_path: Path) -> None:
    with ModelServer(says("about mice")) as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("about cats")
            before = person.conductor.view.session
            await person.send("/fork")
            await person.until(lambda: person.conductor.view.session is not before)
            await person.say("and now mice")
            assert "about cats" in " ".join(server.requests[0].texts)
            assert len(await person.conductor.services.sessions()) == 2


async def test_words_are_found_in_all_sessions_and_enter_goes_there(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await two_sessions(person)
            await person.press("ctrl+f", *"parser", "tab")
            await person.sees("Search all sessions")
            await person.sees("The parser")
            await person.press("enter")
            await person.until(lambda: title(person) == "The parser")


async def test_finding_counts_and_closes(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("needle one", "needle two")
            await person.press("ctrl+f", *"needle")
            await person.sees("2 hits")
            await person.press("escape")
            await person.until(lambda: "2 hits" not in person.seen)
            assert person.conductor.prompt.has_focus


async def test_the_list_works_on_a_small_terminal(tmp_path: Path) -> None:
    async with two_listed(tmp_path, size=SMALL) as person:
        await person.press("down", "enter")
        await person.until(lambda: title(person) == "The parser")


async def test_a_session_resumed_from_the_command_line_is_shown_whole(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said(*(f"message {place}" for place in range(150)))
            await person.press("ctrl+q")
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.sees("message 149")
            await person.conductor.command("entry", "1")
            await person.sees("message 0")


async def test_sessions_are_found_by_what_was_said_in_them_and_opened_there(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said(*(f"number {place} of the grammar" for place in range(1, 300)))
            await person.send("/rename The parser")
            await person.press("ctrl+n")
            await person.has_said("about cats")
            await person.press("f2")
            await person.sees("The parser")
            await person.press("slash", *"number 7 gram")
            await person.sees("number 7 of the grammar")  # under the title, and in the look inside
            await person.press("enter")
            await person.until(lambda: title(person) == "The parser")
            await person.until(lambda: "number 7 of the grammar" in person.seen)


async def test_only_the_sessions_of_this_directory(tmp_path: Path) -> None:
    with ModelServer() as server:
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
            async with sitting(server, tmp_path, directory=tmp_path / name) as person:
                await person.has_said(f"said in {name}")
        async with sitting(server, tmp_path, directory=tmp_path / "one") as person:
            await person.press("f2")
            await person.sees("said in other")
            await person.press("h")
            await person.until(lambda: "said in other" not in person.seen)
            await person.sees("said in one")
            await person.press("h")
            await person.sees("said in other")


async def test_a_session_is_put_away_and_taken_out_again(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("down", "a")
        await person.until(lambda: "The parser" not in person.seen)
        await person.press("z")
        await person.sees("Sessions put away")
        await person.sees("The parser")
        await person.press("a")
        await person.sees("Nothing was put away")
        await person.press("z")
        await person.sees("The parser")


async def test_a_session_of_the_list_is_forked(tmp_path: Path) -> None:
    async with two_listed(tmp_path) as person:
        await person.press("down", "f")
        await person.until(lambda: len(person.app.screen_stack) == 1)
        await person.sees("about the parser")
        listed = await person.conductor.services.sessions()
        assert len(listed) == 3


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
@pytest.mark.parametrize(("language", "last"), [("en", "z away"), ("zh", "z 已收")])
async def test_the_keys_in_the_edge_are_named_whole(
    tmp_path: Path, size: tuple[int, int], language: str, last: str
) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size, language=language) as person:
            await person.press("f2")
            await person.sees(last)
            edge = next(line for line in screen_lines(person.app) if last in line)
            assert "…" not in edge


@pytest.mark.parametrize("width", range(40))
def test_hints_are_never_wider_than_their_place(width: int) -> None:
    line = fitting_hints(["Enter open", "n new", "f fork", "d delete"], width)
    assert cell_len(line) <= width
    assert line.endswith("d delete") == (width >= 8)


async def test_words_of_a_summary_lead_to_its_line_and_show_it(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said("first", "second")
            detail = Detail("path", "/srv/shop/media", (1,))
            compacted = Compacted(None, 2, (), "Goals:\n- Feed the wombat", details=(detail,), folded=2)
            line = Noticed("[history compaction: 2 old messages merged into 1 summary]", "compaction")
            person.conductor.show_events(await person.session.append(compacted, line))
            await person.has_said(*(f"later {place}" for place in range(60)))
            await person.press("ctrl+f", *"wombat", "tab")
            await person.sees("Feed the wombat")
            await person.press("enter")
            await person.sees("Summary · version 1 of 1")
            await person.sees("- Feed the wombat")
            await person.sees("/srv/shop/media")
            await person.press("escape")
            await person.sees("2 old messages merged into 1 summary")
            assert not any("There is no message" in each.message for each in person.app._notifications)


async def test_words_of_a_pin_lead_to_the_message_that_was_pinned(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("mind the wombat")
            pinned = await changes.pin(person.session, "wombat", 1)
            person.conductor.show_events(pinned)
            await person.has_said(*(f"later {place}" for place in range(60)))
            assert "mind the wombat" not in person.seen
            await person.conductor.command("entry", str(person.session.checkpoint.pins[0].seq))
            await person.sees("mind the wombat")


async def test_a_number_that_nothing_has_is_told_as_such(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            await person.conductor.command("entry", "4711")
            await person.is_told("There is no message #4711 in this session.")
