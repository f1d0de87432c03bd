from textual.app import App, ComposeResult

from tests.ui.screen_text import screen_text
from tests.ui.support import until
from tui_agent.ui.widgets.lines_view import Line, LinesView


class LinesApp(App[None]):
    def compose(self) -> ComposeResult:
        yield LinesView()


async def test_what_the_scroll_bar_takes_from_the_width_is_wrapped_too() -> None:
    words = [f"w{place:03}" for place in range(200)]
    app = LinesApp()
    async with app.run_test(size=(39, 10)) as pilot:
        view = app.query_one(LinesView)
        view.set_lines([Line(" ".join(words))])
        await until(lambda: view.show_vertical_scrollbar, pilot)
        await until(lambda: "w000" in screen_text(app), pilot)
        seen = [word for word in words if word in screen_text(app)]
        assert seen == words[: len(seen)]
        assert len(seen) >= 60
