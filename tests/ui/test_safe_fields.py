import pytest
from textual import events
from textual.app import App, ComposeResult

from tui_agent.ui.widgets.safe_fields import SafeInput, SafeTextArea


class Field(App[None]):
    CSS = "SafeTextArea { width: 1; height: 3; border: none; padding: 0 1; }"

    def compose(self) -> ComposeResult:
        yield SafeTextArea(placeholder="Ask something")


class Fields(App[None]):
    def compose(self) -> ComposeResult:
        yield SafeInput()
        yield SafeTextArea()


BURST = (
    ("a", "a"),
    ("x", "x"),
    ("backspace", "\x7f"),
    ("b", "b"),
    ("home", None),
    ("1", "1"),
    ("end", None),
    ("c", "c"),
)
"""Keys, with their characters, that arrive before any of them is acted on, as over a slow line."""


async def test_a_field_without_a_column_draws_nothing_and_ends_nothing() -> None:
    async with Field().run_test(size=(1, 3)) as pilot:
        await pilot.resize_terminal(2, 2)
        assert pilot.app.query_one(SafeTextArea).content_size.width == 0


@pytest.mark.parametrize("kind", [SafeInput, SafeTextArea])
async def test_keys_act_in_the_order_they_are_pressed(kind: type[SafeInput | SafeTextArea]) -> None:
    async with Fields().run_test() as pilot:
        field = pilot.app.query_one(kind)
        field.focus()
        await pilot.pause()
        for key, character in BURST:
            pilot.app.post_message(events.Key(key, character))
        pilot.app.post_message(events.Key("home", None))
        pilot.app.post_message(events.Paste("0"))
        await pilot.pause()
        await pilot.pause()
        text = field.value if isinstance(field, SafeInput) else field.text
        assert text == "01abc"


async def test_what_is_cleared_before_a_paste_does_not_clear_the_paste() -> None:
    async with Fields().run_test() as pilot:
        field = pilot.app.query_one(SafeInput)
        field.value = "http://127.0.0.1:8080/v1"
        field.focus()
        await pilot.pause()
        pilot.app.post_message(events.Key("ctrl+u", "\x15"))
        pilot.app.post_message(events.Paste("http://10.0.0.1/v1"))
        await pilot.pause()
        await pilot.pause()
        assert field.value == "http://10.0.0.1/v1"
