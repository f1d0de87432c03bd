from pathlib import Path

import pytest
from textual.widgets._toast import Toast, ToastHolder

from tests.fakes.model_server import ModelServer
from tests.ui.screen_text import screen_lines, sees
from tests.ui.support import LARGE, SMALL, USUAL, Sitting, sitting
from tui_agent.ui.app import MOST_TOLD


def chat_rows(person: Sitting) -> list[str]:
    """What stands under the title, without the panel and the scroll bar, which is longer or shorter."""
    right = person.app.screen.query_one("#chat").region.right - 1
    return [line[:right].rstrip() for line in screen_lines(person.app)[2:-1]]


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
async def test_what_is_told_covers_neither_the_prompt_nor_what_was_said(tmp_path: Path, size: tuple[int, int]) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size) as person:
            await person.has_said(*(f"message number {n}" for n in range(30)))
            await person.type("half a thought")
            before = chat_rows(person)
            person.conductor.screen.tell("Something happened that is told.")
            await person.sees("Something happened that is told.")
            assert chat_rows(person) == before


async def test_a_short_chat_moves_down_for_what_is_told_and_is_not_covered(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            await person.has_said("only this")
            await person.sees("only this")
            person.conductor.screen.tell("Told " * 40)
            await person.sees("Told Told")
            assert "only this" in person.seen
            assert "OK, noted." in person.seen


async def test_what_was_told_can_be_read_again_the_newest_first(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/notices")
            await person.sees("No notices yet.")
            await person.press("escape")
            person.conductor.screen.tell("the first thing")
            person.conductor.screen.tell("the second [/x] thing", "A title")
            await person.send("/notices")
            await sees(person.pilot, "╭─ Notices")
            text = person.seen[person.seen.index("╭─ Notices") :]
            assert text.index("A title: the second [/x] thing") < text.index("the first thing")


async def test_what_is_told_again_leaves_nothing_of_its_first_telling(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            for theme in ("tui-agent-dark", "ansi-dark", "ansi-light"):
                person.app.theme = theme
                for _again in range(3):
                    person.conductor.screen.tell(f"Told in {theme}.")
                    await person.sees(f"Told in {theme}.")
                    await person.pilot.pause()
                assert "ToastHolder" not in person.seen
            assert len(person.app.screen.query(ToastHolder)) == 3
            for toast in person.app.screen.query(Toast):
                await toast.remove()  # as Textual does with one that ran out while another screen was on top
            await person.pilot.pause()
            assert "ToastHolder" not in person.seen


async def test_of_many_things_told_the_newest_stand_there_and_all_can_be_read_again(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            for n in range(6):
                person.conductor.screen.tell(f"Notice {n} is told.")
                await person.sees(f"Notice {n} is told.")
            shown = [n for n in range(6) if f"Notice {n} is told." in person.seen]
            assert shown == [3, 4, 5]
            assert len(person.app.screen.query(ToastHolder)) == MOST_TOLD
            await person.send("/notices")
            await sees(person.pilot, "╭─ Notices")
            text = person.seen[person.seen.index("╭─ Notices") :]
            assert all(f"Notice {n} is told." in text for n in range(6))
