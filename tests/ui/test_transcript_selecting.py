"""Selecting with the mouse copies what was said: soft breaks joined, decoration left out, at any scroll position."""

from textual.pilot import Pilot

from tests.ui.screen_text import screen_lines
from tests.ui.transcript_app import TranscriptApp, exchange, log, transcript_of, user
from tui_agent.core.entries import AssistantSaid
from tui_agent.core.events import TextArrived, TurnEnded

SIZE = (40, 20)


def row_of(app: TranscriptApp, words: str) -> int:
    return next(number for number, line in enumerate(screen_lines(app)) if words in line)


async def drag(pilot: Pilot[None], app: TranscriptApp, start: tuple[int, int], end: tuple[int, int]) -> str:
    await pilot.mouse_down(app.transcript, offset=start)
    await pilot.hover(app.transcript, offset=end)
    await pilot.mouse_up(app.transcript, offset=end)
    await pilot.pause()
    return app.screen.get_selected_text() or ""


async def test_words_in_a_line() -> None:
    async with transcript_of(user("remember the password"), size=SIZE) as (app, pilot):
        row = row_of(app, "remember")
        assert await drag(pilot, app, (2 + 9, row), (2 + 11, row)) == "the"
        assert await drag(pilot, app, (2 + 11, row), (2 + 9, row)) == "the"


async def test_a_wrapped_line_is_one_line() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    async with transcript_of(AssistantSaid(text), size=SIZE) as (app, pilot):
        first, last = row_of(app, "one"), row_of(app, "twelve")
        assert last > first
        assert await drag(pilot, app, (2, first), (38, last)) == text


async def test_code_is_copied_as_it_is_with_its_tabs() -> None:
    async with transcript_of(AssistantSaid("```\ndef f():\n\treturn 1\n```"), size=SIZE) as (app, pilot):
        first = row_of(app, "def")
        assert await drag(pilot, app, (4, first), (30, first + 1)) == "def f():\n\treturn 1"


async def test_lists_and_headings_are_copied_as_markdown() -> None:
    async with transcript_of(AssistantSaid("# Plan\n\n- first\n- second\n  - inner\n\n> said"), size=SIZE) as (
        app,
        pilot,
    ):
        first, last = row_of(app, "Plan"), row_of(app, "said")
        copied = await drag(pilot, app, (0, first), (30, last))
        assert copied == "# Plan\n- first\n- second\n  - inner\n\n> said"


async def test_wide_letters_are_selected_whole() -> None:
    async with transcript_of(user("密码是periwinkle👍吗"), size=SIZE) as (app, pilot):
        row = row_of(app, "periwinkle")
        assert await drag(pilot, app, (2 + 2, row), (2 + 4, row)) == "码是"


async def test_a_selection_across_messages_stays_while_more_arrives() -> None:
    async with transcript_of(*exchange(1), *exchange(2), size=SIZE) as (app, pilot):
        first, last = row_of(app, "question 1"), row_of(app, "question 2")
        copied = await drag(pilot, app, (2, first), (2 + 9, last))
        lines = [line for line in copied.split("\n") if line]
        assert lines[0] == "question 1"
        assert "answer 1 line 0" in lines
        assert lines[-1] == "question 2"
        app.apply(*(TextArrived(f"more {number}\n\n") for number in range(30)), TurnEnded("stop"))
        await pilot.pause()
        assert app.screen.get_selected_text() == copied
        app.transcript.prepend(log(*exchange(0)), more_above=False)
        await pilot.resize_terminal(25, 20)
        await pilot.pause()
        assert app.screen.get_selected_text() == copied


async def test_the_selection_is_seen() -> None:
    async with transcript_of(user("remember the password"), size=SIZE) as (app, pilot):
        row = row_of(app, "remember")
        await drag(pilot, app, (11, row), (13, row))
        marked = app.screen.get_component_rich_style("screen--selection", partial=True).bgcolor
        strip = app.transcript.render_line(row)
        assert "".join(segment.text for segment in strip if segment.style and segment.style.bgcolor == marked) == "the"


async def test_everything_can_be_selected_without_laying_out_everything() -> None:
    async with transcript_of(*(entry for number in range(2000) for entry in exchange(number)), size=SIZE) as (app, _):
        app.transcript.text_select_all()
        copied = app.screen.get_selected_text() or ""
        assert "question 0" in copied
        assert "answer 1999 line 0" in copied
        assert len(app.transcript._layouts) < 400
