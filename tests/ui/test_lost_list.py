"""The list of what a summary leaves out: under a headline for each kind, which counts, and put back by kind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.ui.screen_text import screen_lines, sees
from tui_agent.core.entries import Detail
from tui_agent.ui.widgets.lost_list import LostList

LOST = (
    Detail("command", "make test", (1,)),
    Detail("path", "/srv/a", (1,)),
    Detail("hash", "service-10", (2,)),
    Detail("path", "/srv/b", (3,), "tool"),
)


class ListApp(App[None]):
    """Shows the list alone."""

    def compose(self) -> ComposeResult:
        yield LostList()


@asynccontextmanager
async def listed(*lost: Detail) -> AsyncIterator[tuple[LostList, Pilot[None]]]:
    app = ListApp()
    async with app.run_test(size=(60, 20)) as pilot:
        rows = app.query_one(LostList)
        rows.show_lost(lost)
        rows.take_focus()
        await sees(pilot, lost[0].text)
        yield rows, pilot


async def test_each_kind_stands_under_a_headline_that_counts_it() -> None:
    async with listed(*LOST) as (_, pilot):
        shown = [line.strip() for line in screen_lines(pilot.app) if line.strip()]
        assert shown[1:] == [
            "command · 1",
            "[ ] make test",
            "path · 2",
            "[ ] /srv/a",
            "[ ] /srv/b  (tool)",
            "id · 1",
            "[ ] service-10",
        ]


async def test_the_arrows_go_from_detail_to_detail_over_the_headlines() -> None:
    async with listed(*LOST) as (rows, pilot):
        for _ in LOST:
            rows.toggle()
            await pilot.press("down")
        assert set(rows.put_back) == set(LOST)


async def test_all_of_a_kind_are_put_back_together_and_left_out_again() -> None:
    async with listed(*LOST) as (rows, pilot):
        await pilot.press("down")
        rows.toggle_kind()
        assert [detail.text for detail in rows.put_back] == ["/srv/a", "/srv/b"]
        await sees(pilot, "[+] /srv/b")
        rows.toggle_kind()
        assert rows.put_back == ()


async def test_a_list_of_nothing_has_no_headline_and_nothing_to_put_back() -> None:
    async with listed(*LOST) as (rows, pilot):
        rows.show_lost(())
        await sees(pilot, "nothing exact is lost")
        assert rows.query_one(OptionList).option_count == 1
        rows.toggle()
        rows.toggle_kind()
        assert rows.put_back == ()
