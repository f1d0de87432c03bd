"""An answer while it is written: nothing of it is lost, the end stays in view, and a reader above is left alone."""

from time import monotonic

import pytest
from textual.pilot import Pilot

from tests.ui.screen_text import screen_lines, screen_text, sees
from tests.ui.transcript_app import USUAL, TranscriptApp, exchange, log, transcript_of, user
from tui_agent.core.entries import AssistantSaid, Failed, Interrupted
from tui_agent.core.events import Appended, Event, ReasoningArrived, TextArrived, TurnEnded
from tui_agent.ui.keys_first import KeysFirst
from tui_agent.ui.messages import STEP
from tui_agent.ui.widgets.blocks import AnswerBlock
from tui_agent.ui.widgets.transcript import Transcript

FENCE = ["```python\n", *(f"print({number})\n" for number in range(5000))]
STREAMS = {
    "an open fence": FENCE,
    "a tilde fence": ["~~~~\n", *FENCE[1:]],
    "a split marker": ["``", "`python\n", *FENCE[1:]],
    "one line in a fence": ["```\n", *["x" * 100] * 3000, "print(4999)"],
    "a table": [
        "|a|b|c|d|e|f|g|h|\n",
        "|-|-|-|-|-|-|-|-|\n",
        *["|1|2|3|4|5|6|7|8|\n"] * 399,
        "|print(4999)|2|3|4|5|6|7|8|\n",
    ],
    "prose": ["word word word "] * 3000 + ["print(4999)"],
}


def endings(text: str) -> dict[str, list[Event]]:
    whole = log(AssistantSaid(text))[0]
    length = log(AssistantSaid(text, finish="length"))[0]
    broken, stopped, failed = log(AssistantSaid(text, finish=None), Interrupted(), Failed("The connection broke."))
    return {
        "done": [Appended(whole), TurnEnded("stop")],
        "length": [Appended(length), TurnEnded("length")],
        "stopped": [Appended(broken), Appended(stopped), TurnEnded("interrupted")],
        "failed": [Appended(broken), Appended(failed), TurnEnded("failed")],
    }


@pytest.mark.parametrize("ending", ["done", "length", "stopped", "failed"])
@pytest.mark.parametrize("pieces", STREAMS.values(), ids=STREAMS.keys())
async def test_the_last_line_is_shown_however_the_answer_ends(pieces: list[str], ending: str) -> None:
    async with transcript_of() as (app, pilot):
        app.apply(*(TextArrived(piece) for piece in pieces))
        app.apply(*endings("".join(pieces))[ending])
        await pilot.pause()
        await sees(pilot, "print(4999)")
        app.transcript.cursor_up()
        while app.transcript.current is not None and app.transcript.current.role != "assistant":
            app.transcript.cursor_up()
        assert app.transcript.current is not None
        assert app.transcript.current.text == "".join(pieces)


async def test_pieces_cost_no_more_late_than_early_and_keys_are_answered() -> None:
    async with transcript_of() as (app, pilot):
        costs: list[float] = []
        for begin in range(0, 5000, 1000):
            started = monotonic()
            for number, piece in enumerate(FENCE[begin : begin + 1000]):
                app.apply(TextArrived(piece))
                if number % 200 == 0:
                    await pilot.pause()
            costs.append(monotonic() - started)
        assert min(costs[3:]) < 3 * max(costs[:2])
        await pilot.press("pageup")
        assert not app.transcript.following


async def test_a_key_is_seen_before_the_next_frame_of_an_answer() -> None:
    async with transcript_of() as (app, pilot):
        transcript = app.transcript
        transcript.keys_first = KeysFirst(lambda: 100.0)
        transcript.keys_first.pressed()
        app.apply(TextArrived("an answer"))
        assert not len(transcript.blocks), "a frame came before the key"
        await sees(pilot, "an answer")


async def test_without_a_key_an_answer_is_seen_at_once() -> None:
    app = TranscriptApp()
    async with app.run_test(size=USUAL):
        app.apply(TextArrived("an answer"))
        assert len(app.transcript.blocks)


async def test_what_is_much_is_laid_out_before_more_of_it_comes() -> None:
    app = TranscriptApp()
    async with app.run_test(size=USUAL):
        transcript = app.transcript
        app.apply(TextArrived("begin"), TextArrived("x" * (STEP - 1)))
        block = transcript.blocks[transcript.blocks.first]
        assert isinstance(block, AnswerBlock)
        assert block.text == "begin", "the next frame is soon enough"
        app.apply(TextArrived("y"))
        assert len(block.text) == len("begin") + STEP


async def test_reasoning_grows_folded_and_open() -> None:
    async with transcript_of() as (app, pilot):
        app.apply(ReasoningArrived("first thought\n"))
        await sees(pilot, "▸ thinking")
        app.transcript.toggle_details()
        app.apply(*(ReasoningArrived(f"thought {number}\n") for number in range(100)))
        app.apply(TextArrived("Answer"))
        await drained(pilot, app)
        await sees(pilot, "thought 99")
        assert screen_lines(app)[-1].strip() == "Answer"
        app.transcript.toggle_details()
        await pilot.pause()
        assert "thought 99" not in screen_text(app)


async def test_blank_pieces_at_the_start_show_nothing_and_are_not_lost() -> None:
    async with transcript_of() as (app, pilot):
        app.apply(TextArrived("\n\n"))
        await pilot.pause()
        assert screen_text(app).strip() == ""
        app.apply(TextArrived("x"), Appended(log(AssistantSaid("\n\nx"))[0]), TurnEnded("stop"))
        app.transcript.cursor_up()
        assert app.transcript.current is not None
        assert app.transcript.current.text == "\n\nx"


async def test_a_carriage_return_at_the_seam_of_two_pieces_is_one_newline() -> None:
    async with transcript_of() as (app, pilot):
        app.apply(TextArrived("one\r"), TextArrived("\ntwo\r"), TextArrived("three"))
        await drained(pilot, app)
        assert [line.strip() for line in screen_lines(app) if line.strip()][1:] == ["one", "two␍three"]


# ── following ────────────────────────────────────────────────────────────────


async def streamed(pilot: Pilot[None], app: TranscriptApp, first: int, last: int, burst: int = 10) -> None:
    for begin in range(first, last, burst):
        app.apply(*(TextArrived(f"line {number}\n\n") for number in range(begin, min(begin + burst, last))))
        await pilot.pause()


def reading(app: TranscriptApp) -> list[str]:
    """The lines in view without the scrollbar."""
    return [line[: USUAL[0] - 1].rstrip() for line in screen_lines(app)]


async def drained(pilot: Pilot[None], app: TranscriptApp) -> None:
    app.apply(TurnEnded("stop"))
    await pilot.pause()


async def test_a_reader_above_is_left_alone_until_going_to_the_end() -> None:
    async with transcript_of() as (app, pilot):
        await streamed(pilot, app, 0, 100)
        app.transcript.scroll_relative(y=-20)
        await pilot.pause()
        before = reading(app)
        await streamed(pilot, app, 100, 200)
        assert reading(app) == before
        assert not app.transcript.following
        app.transcript.focus()
        await pilot.press("end")
        await streamed(pilot, app, 200, 300)
        await drained(pilot, app)
        await sees(pilot, "line 299")
        assert app.transcript.following


async def test_an_untouched_view_shows_the_end_through_bursts_and_a_resize() -> None:
    async with transcript_of() as (app, pilot):
        await streamed(pilot, app, 0, 150, burst=40)
        await pilot.resize_terminal(40, 24)
        await streamed(pilot, app, 150, 300, burst=40)
        await drained(pilot, app)
        await sees(pilot, "line 299")


async def test_what_arrives_below_is_counted_and_the_count_ends_at_the_end() -> None:
    async with transcript_of(*(entry for number in range(20) for entry in exchange(number))) as (app, pilot):
        app.transcript.scroll_page_up(animate=False)
        app.apply(Appended(log(user("new"), first=41)[0]), TextArrived("answer"), TextArrived(" more"))
        await pilot.pause()
        counts = [message.count for message in app.posted if isinstance(message, Transcript.NewBelow)]
        assert counts == [1, 2]
        app.transcript.follow()
        await pilot.pause()
        counts = [message.count for message in app.posted if isinstance(message, Transcript.NewBelow)]
        assert counts == [1, 2, 0]
