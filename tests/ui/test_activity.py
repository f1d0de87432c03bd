from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult

from tui_agent.ui.widgets.activity import ActivityLine


class ActivityApp(App[None]):
    """Shows the line alone, with a clock that the test moves."""

    now = 100.0

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
