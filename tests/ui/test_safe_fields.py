from textual.app import App, ComposeResult

from tui_agent.ui.widgets.safe_fields import SafeTextArea


class Field(App[None]):
    CSS = "SafeTextArea { width: 1; height: 3; border: none; padding: 0 1; }"

    def compose(self) -> ComposeResult:
        yield SafeTextArea(placeholder="Ask something")


async def test_a_field_without_a_column_draws_nothing_and_ends_nothing() -> None:
    async with Field().run_test(size=(1, 3)) as pilot:
        await pilot.resize_terminal(2, 2)
        assert pilot.app.query_one(SafeTextArea).content_size.width == 0
