from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult

from tests.ui.screen_text import screen_lines, screen_text
from tests.ui.support import until
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.theme import SIZES
from tui_agent.ui.widgets.activity import ActivityLine


class ActivityApp(App[None]):
    """Shows the line alone, with a clock that the test moves."""

    CSS_PATH = TuiAgentApp.CSS_PATH
    now = 100.0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return SIZES

    def compose(self) -> ComposeResult:
        line = ActivityLine(animated=False)
        line.clock = lambda: self.now
        yield line


@asynccontextmanager
async def shown() -> AsyncIterator[tuple[ActivityApp, ActivityLine]]:
    app = ActivityApp()
    async with app.run_test(size=(80, 3)):
        yield app, app.query_one(ActivityLine)


async def test_the_clock_runs_on_while_something_else_goes_on() -> None:
    async with shown() as (app, line):
        line.start("waiting")
        app.now += 2
        line.start("answering")
        app.now += 3
        assert line.render().plain == "· answering 5 s"


async def test_the_time_the_user_takes_to_answer_is_not_counted() -> None:
    async with shown() as (app, line):
        line.start("waiting")
        app.now += 2
        line.hold("waiting for your answer")
        app.now += 60
        line.hold("waiting for your answer")  # told again, as often as the question changes its height
        assert line.render().plain == "· waiting for your answer"
        line.hold("")
        line.start("running run_command")
        app.now += 1
        assert line.render().plain == "· running run_command 3 s"


async def test_a_question_that_went_away_with_its_turn_leaves_nothing_to_the_next() -> None:
    async with shown() as (app, line):
        line.hold("waiting for your answer")
        app.now += 60
        line.stop()
        line.hold("")
        line.start("waiting")
        app.now += 1
        assert line.render().plain == "· waiting 1 s"


async def test_what_does_not_fit_in_one_row_is_wrapped_and_the_row_comes_back() -> None:
    app = ActivityApp()
    async with app.run_test(size=(40, 8)) as pilot:
        line = app.query_one(ActivityLine)
        line.start("The endpoint failed on its own side. · trying again in 5 s (attempt 2)", "Esc stops")
        await until(lambda: line.size.height == 3, pilot)
        shown = " ".join(screen_text(app).split())
        assert shown == "· The endpoint failed on its own side. · trying again in 5 s (attempt 2) · Esc stops"
        line.start("answering", "Esc stops")
        await until(lambda: line.size.height == 1, pilot)
        assert screen_text(app).strip() == "· answering · Esc stops"


async def test_what_is_longer_than_three_rows_ends_in_dots_and_leaves_room_for_what_is_new() -> None:
    app = ActivityApp()
    async with app.run_test(size=(60, 8)) as pilot:
        line = app.query_one(ActivityLine)
        line.start("it went wrong and " * 20)
        line.new_below = 7
        await until(lambda: line.size.height == 3, pilot)
        first, _second, third = (row for row in screen_lines(app) if row)
        assert first.endswith("7 new · Ctrl+End")
        assert third.endswith("…")
