"""Moving about in a long session: scrolling, older entries, resizing, the cursor, folding, finding, clicking."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.events import MouseScrollUp
from textual.pilot import Pilot

from tests.ui.screen_text import screen_lines, screen_text, sees
from tests.ui.transcript_app import USUAL, TranscriptApp, call, exchange, log, returned, transcript_of, user
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import AssistantSaid, Entry, Logged, Noticed, Reasoning, UserSaid
from tui_agent.core.events import Appended, ContextMoved, TextArrived, TurnEnded
from tui_agent.ui.widgets.block_lines import OUTPUT_SHOWN
from tui_agent.ui.widgets.transcript import Transcript


def session(exchanges: int, lines: int = 3) -> list[Logged]:
    return log(*(entry for number in range(exchanges) for entry in exchange(number, lines)))


def reading(app: TranscriptApp) -> list[str]:
    """The lines in view without the scrollbar."""
    return [line[: app.size.width - 1].rstrip() for line in screen_lines(app)]


async def scrolled(pilot: Pilot[None], app: TranscriptApp, lines: int) -> list[str]:
    app.transcript.scroll_relative(y=lines)
    await pilot.pause()
    return reading(app)


# ── scrolling ────────────────────────────────────────────────────────────────


async def test_a_loaded_session_is_shown_from_its_end() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(300), more_above=False)
        await pilot.pause()
        assert reading(app)[-1] == "  answer 299 line 2"
        assert app.transcript.following


async def test_scrolling_up_line_by_line_shows_each_line_once() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(40), more_above=False)
        await pilot.pause()
        before = reading(app)
        for _ in range(60):
            after = await scrolled(pilot, app, -1)
            assert after[1:] == before[:-1]
            before = after


async def test_pages_overlap_nowhere_and_leave_nothing_out() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(60), more_above=False)
        await pilot.pause()
        pages = [reading(app)]
        while app.transcript.scroll_y > 0:
            pages.insert(0, await scrolled(pilot, app, -USUAL[1]))
        lines = [line for page in pages for line in page]
        said = [line.strip() for line in lines if "answer" in line or "question" in line]
        assert list(dict.fromkeys(said)) == [
            part
            for number in range(60)
            for part in (f"question {number}", *(f"answer {number} line {line}" for line in range(3)))
        ]


@pytest.mark.parametrize("exchanges", [9, 2000])
async def test_home_and_end_reach_the_first_and_the_last_line(exchanges: int) -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(exchanges, lines=1), more_above=False)
        app.transcript.focus()
        await pilot.press("home")
        assert reading(app)[2] == "  question 0"
        assert not app.transcript.following
        await pilot.press("end")
        assert reading(app)[-1] == f"  answer {exchanges - 1} line 0"
        assert app.transcript.following


async def test_dragging_the_scrollbar_far_stays_in_order() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(500, lines=9), more_above=False)
        await pilot.pause()
        seen = []
        for share in (0.8, 0.5, 0.2, 0.6):
            app.transcript.scroll_to(y=share * app.transcript.max_scroll_y)
            await pilot.pause()
            seen.append(
                next(int(line.split()[1]) for line in reading(app) if line.strip().startswith(("question", "answer")))
            )
        assert seen[2] < seen[1] < seen[3] < seen[0]


async def test_the_mouse_wheel_scrolls() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(50), more_above=False)
        await pilot.pause()
        before = app.transcript.scroll_y
        await pilot._post_mouse_events([MouseScrollUp], app.transcript)
        assert app.transcript.scroll_y < before


# ── older entries ────────────────────────────────────────────────────────────


async def test_older_entries_are_asked_for_near_the_top_and_come_in_above_what_is_read() -> None:
    everything = session(300)
    async with transcript_of() as (app, pilot):
        app.transcript.load(everything[400:], more_above=True)
        await pilot.pause()
        assert app.posted == []
        app.transcript.scroll_home()
        await pilot.pause()
        assert [message.before for message in app.posted if isinstance(message, Transcript.OlderWanted)] == [401]
        before = reading(app)
        app.transcript.prepend(everything[200:400], more_above=True)
        await pilot.pause()
        assert reading(app) == before
        assert "question 199" in "\n".join(await scrolled(pilot, app, -20))
        app.transcript.scroll_home()
        await pilot.pause()
        wanted = [message.before for message in app.posted if isinstance(message, Transcript.OlderWanted)]
        assert wanted == [401, 201]
        app.transcript.prepend(everything[:200], more_above=False)
        app.transcript.scroll_home()
        await pilot.pause()
        await sees(pilot, "question 0")


async def test_a_short_tail_asks_for_older_entries_at_once() -> None:
    everything = session(30)
    async with transcript_of() as (app, pilot):
        app.transcript.load(everything[-2:], more_above=True)
        await pilot.pause()
        assert isinstance(app.posted[0], Transcript.OlderWanted)
        app.transcript.prepend(everything[:-2], more_above=False)
        await pilot.pause()
        assert reading(app)[-1] == "  answer 29 line 2"


async def test_a_result_loaded_before_its_call_goes_into_the_card_of_the_call() -> None:
    entries = log(
        user("q"),
        AssistantSaid("", tool_calls=(call("shell", '{"command": "ls"}'),)),
        returned("x\ny"),
        AssistantSaid("done"),
    )
    async with transcript_of() as (app, pilot):
        app.transcript.load(entries[2:], more_above=True)
        app.transcript.prepend(entries[:2], more_above=False)
        await pilot.pause()
        text = screen_text(app)
        assert text.count("✓ 2 lines") == 1
        assert "▸ shell ls  ✓ 2 lines" in text
        assert text.count("agent") == 1


async def test_the_divider_appears_when_the_folded_messages_are_loaded() -> None:
    everything = session(100)
    async with transcript_of() as (app, pilot):
        app.transcript.load(everything[150:], more_above=True)
        app.apply(ContextMoved(upto=140, version=1, folded=140))
        app.transcript.prepend(everything[:150], more_above=False)
        assert app.transcript.jump_to(141)
        await scrolled(pilot, app, -3)
        await sees(pilot, "140 messages folded")


# ── resizing ─────────────────────────────────────────────────────────────────


async def test_what_is_read_stays_in_view_when_the_width_changes() -> None:
    long_lines = [
        entry
        for number in range(60)
        for entry in (user(f"question {number}"), AssistantSaid(f"start{number} " + "word " * 150))
    ]
    async with transcript_of(*long_lines) as (app, pilot):
        app.transcript.jump_to(81)
        await pilot.pause()
        assert reading(app)[2] == "  question 40"
        for width in (40, 120, 33, 80):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            await sees(pilot, "question 40")


async def test_growing_and_shrinking_while_at_the_end_stays_at_the_end() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(50), more_above=False)
        for size in ((80, 10), (30, 40), (80, 1), (100, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert reading(app)[-1].strip() == "answer 49 line 2"


@pytest.mark.parametrize("size", [(1, 1), (5, 3), (20, 5), (12, 40)])
async def test_tiny_terminals_do_no_harm(size: tuple[int, int]) -> None:
    app = TranscriptApp()
    async with app.run_test(size=size) as pilot:
        app.transcript.load(session(5), more_above=False)
        app.apply(TextArrived("|a|b|\n|-|-|\n|1|2|\n> q\n\n```\nx\n```"), TurnEnded("stop"))
        await pilot.pause()
        assert app.is_running


# ── huge messages ────────────────────────────────────────────────────────────


async def test_a_megabyte_in_one_line_is_folded_and_opens() -> None:
    async with transcript_of(user("x" * 1_000_000), AssistantSaid("ok")) as (app, pilot):
        text = screen_text(app)
        assert "more lines (Space or a click shows them)" in text
        app.transcript.cursor_up()
        app.transcript.cursor_up()
        app.transcript.toggle_fold()
        await pilot.pause()
        assert app.transcript.virtual_size.height > 12_000
        assert app.transcript.current is not None
        assert len(app.transcript.current.text) == 1_000_000


async def test_many_short_lines_are_folded_with_their_count() -> None:
    async with transcript_of(user("row\n" * 20_000)) as (app, pilot):
        await sees(pilot, "… 19,961 more lines (Space or a click shows them)")
        await pilot.click(app.transcript, offset=(10, 23))
        assert app.transcript.virtual_size.height > 20_000


# ── cursor, folding, code ────────────────────────────────────────────────────


async def test_the_cursor_walks_over_messages_and_says_where_it_is() -> None:
    async with transcript_of(*exchange(1), Noticed("note"), *exchange(2)) as (app, pilot):
        for expected in ((5, "assistant"), (4, "user"), (2, "assistant"), (1, "user"), (1, "user")):
            app.transcript.cursor_up()
            assert app.transcript.current is not None
            assert (app.transcript.current.seq, app.transcript.current.role) == expected
        await pilot.pause()
        assert any(line.startswith("▌ question 1") for line in screen_lines(app))
        for _ in range(4):
            app.transcript.cursor_down()
        assert app.transcript.current is None
        await pilot.pause()
        moved = [message for message in app.posted if isinstance(message, Transcript.CursorMoved)]
        assert moved[-1].current is None
        assert len(moved) == 8


async def test_the_cursor_brings_its_message_into_view() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(100, lines=2), more_above=False)
        await pilot.pause()
        for _ in range(60):
            app.transcript.cursor_up()
            await pilot.pause()
            assert app.transcript.current is not None
            await sees(pilot, app.transcript.current.text.split("\n")[0])
        for _ in range(30):
            app.transcript.cursor_down()
        await pilot.pause()
        assert app.transcript.current is not None
        await sees(pilot, app.transcript.current.text.split("\n")[-1])


async def test_the_block_under_the_cursor_folds() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(
            log(AssistantSaid("", tool_calls=(call("shell"),)), returned("the output")), more_above=False
        )
        await pilot.pause()
        app.transcript.cursor_up()
        app.transcript.toggle_fold()
        await pilot.pause()
        await sees(pilot, "the output")
        app.transcript.toggle_fold()
        await pilot.pause()
        assert "the output" not in screen_text(app)


async def test_details_that_were_opened_stay_open_for_what_comes() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.toggle_details()
        entries = log(
            AssistantSaid("", reasoning=Reasoning("deep"), tool_calls=(call("shell"),)), returned("the output")
        )
        app.apply(*(Appended(entry) for entry in entries))
        await pilot.pause()
        await sees(pilot, "deep")
        await sees(pilot, "the output")


async def test_a_long_output_opens_in_two_steps_and_folds_again() -> None:
    async with transcript_of() as (app, pilot):
        output = "\n".join(f"row {number}" for number in range(1000))
        app.transcript.load(log(AssistantSaid("", tool_calls=(call("shell"),)), returned(output)), more_above=False)
        await pilot.pause()
        app.transcript.cursor_up()
        heights = []
        for _ in range(3):
            app.transcript.toggle_fold()
            await pilot.pause()
            heights.append(app.transcript.virtual_size.height)
        assert 200 < heights[0] < 210
        assert heights[1] > 1000
        assert heights[2] < 5


async def test_a_click_on_a_header_folds_it() -> None:
    async with transcript_of(AssistantSaid("so", reasoning=Reasoning("deep thought"))) as (app, pilot):
        header = next(number for number, line in enumerate(screen_lines(app)) if "▸ thought" in line)
        await pilot.click(app.transcript, offset=(6, header))
        await pilot.pause()
        await sees(pilot, "deep thought")


async def test_code_blocks_come_one_after_the_other() -> None:
    app = TranscriptApp()
    async with app.run_test(size=USUAL):
        source = "a\n```py\nx = 1\n```\n- b\n  ~~~\n  y\n\n    z\n  ~~~\n```\nopen"
        app.transcript.load(log(AssistantSaid(source), user("no code")), more_above=False)
        assert [app.transcript.next_code_block() for _ in range(4)] == ["x = 1", "y\n\n  z", "open", "x = 1"]
        app.transcript.cursor_up()
        assert app.transcript.next_code_block() is None


async def test_a_chosen_link_is_posted_and_not_opened() -> None:
    async with transcript_of(AssistantSaid("see [here](https://a.example/x)")) as (app, pilot):
        row = next(number for number, line in enumerate(screen_lines(app)) if "see here" in line)
        await pilot.click(app.transcript, offset=(7, row))
        assert [message.url for message in app.posted if isinstance(message, Transcript.LinkChosen)] == [
            "https://a.example/x"
        ]


# ── jumping and finding ──────────────────────────────────────────────────────


async def test_jumping_shows_the_message_or_says_it_is_not_loaded() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(500)[200:], more_above=True)
        await pilot.pause()
        assert app.transcript.jump_to(301)
        await pilot.pause()
        assert reading(app)[2] == "  question 150"
        assert not app.transcript.jump_to(7)
        assert not app.transcript.jump_to(5000)


async def test_a_result_is_found_at_its_call() -> None:
    app = TranscriptApp()
    async with app.run_test(size=USUAL):
        app.transcript.load(
            log(user("q"), AssistantSaid("", tool_calls=(call("shell"),)), returned("x")), more_above=False
        )
        assert app.transcript.jump_to(3)


async def test_finding_counts_shows_and_walks_the_hits() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(100), more_above=False)
        await pilot.pause()
        assert app.transcript.find("QUESTION 5") == 11
        await pilot.pause()
        await sees(pilot, "question 59")
        app.transcript.find_previous()
        await pilot.pause()
        await sees(pilot, "question 58")
        app.transcript.find_next()
        app.transcript.find_next()
        await pilot.pause()
        assert any(line.strip() == "question 5" for line in reading(app))
        assert app.transcript.find("no such words") == 0
        app.transcript.clear_find()


async def test_a_hit_in_a_folded_block_opens_it() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(
            log(AssistantSaid("", tool_calls=(call("shell"),)), returned("a\nneedle\nb"), *exchange(1)),
            more_above=False,
        )
        assert app.transcript.find("needle") == 1
        await pilot.pause()
        await sees(pilot, "needle")


async def test_the_arguments_of_a_folded_call_are_found_and_opened() -> None:
    async with transcript_of() as (app, pilot):
        write = call("write_file", json.dumps({"path": "notes.md", "content": "one\nthe needle\nthree"}))
        app.transcript.load(
            log(AssistantSaid("", tool_calls=(write,)), returned("written"), *exchange(1)), more_above=False
        )
        assert app.transcript.find("the needle") == 1
        await pilot.pause()
        await sees(pilot, "the needle")
        assert app.transcript.find("written") == 1
        assert app.transcript.find("write_file") == 1
        assert app.transcript.find("notes.md") == 1
        assert app.transcript.find_in("the needle", 1)


async def test_a_hit_at_the_end_of_a_long_output_is_in_view() -> None:
    async with transcript_of() as (app, pilot):
        output = "\n".join(f"row {number}" for number in range(OUTPUT_SHOWN * 2)) + "\nneedle"
        app.transcript.load(log(AssistantSaid("", tool_calls=(call("shell"),)), returned(output)), more_above=False)
        assert app.transcript.find("needle") == 1
        await pilot.pause()
        await sees(pilot, "needle")


async def test_hits_in_a_call_are_walked_one_by_one_though_its_header_shows_them_too() -> None:
    async with transcript_of() as (app, pilot):
        listing = call("list_files", json.dumps({"path": "agent"}))
        app.transcript.load(log(AssistantSaid("", tool_calls=(listing,)), returned("a\nagent.py\nb")), more_above=False)
        assert app.transcript.find("agent") == 2
        await pilot.pause()
        rows = app.transcript._layout(app.transcript.blocks.first).rows
        seen = []
        for _ in range(2):
            assert app.transcript._found is not None
            seen.append(rows[app.transcript._found[1]].text)
            app.transcript.find_previous()
        assert seen == ["agent.py", "path: agent"]


async def test_what_a_command_of_the_users_own_printed_is_found_and_so_is_the_command() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(log(UserSaid((DeedPart("command", "grep lantern", "a harbour"),))), more_above=False)
        await pilot.pause()
        assert app.transcript.find("lantern") == 1
        assert app.transcript.find("harbour") == 1


@pytest.mark.parametrize("query", ["[/", "\\", "(", "中文", "\x1b", "a*b"])
async def test_a_query_is_never_a_pattern(query: str) -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(log(user(f"before {query} after")), more_above=False)
        app.transcript.find(query)
        await pilot.pause()
        assert app.is_running


# ── manners ──────────────────────────────────────────────────────────────────


async def test_plain_and_compact_lay_out_again() -> None:
    async with transcript_of() as (app, pilot):
        entries: list[Entry] = [
            *exchange(1),
            AssistantSaid("- x", reasoning=Reasoning("t"), tool_calls=(call("shell"),)),
            returned("o"),
        ]
        app.transcript.load(log(*entries), more_above=False)
        await pilot.pause()
        blank = screen_lines(app).count("")
        app.transcript.density = "compact"
        await pilot.pause()
        assert len([line for line in screen_lines(app) if line]) == USUAL[1] - blank
        app.transcript.plain = True
        app.apply(ContextMoved(2, 1, 2))
        await pilot.pause()
        text = "\n".join(reading(app))
        assert text.isascii() or "·" in text
        assert "[+] thought" in text


async def test_a_new_load_forgets_the_session_before() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load(session(50), more_above=True)
        app.apply(ContextMoved(40, 2, 40), TextArrived("half"))
        app.transcript.cursor_up()
        app.transcript.find("question")
        app.transcript.load(log(*exchange(7)), more_above=False)
        await pilot.pause()
        text = screen_text(app)
        assert "question 7" in text
        for gone in ("half", "question 49", "folded", "▌"):
            assert gone not in text
        assert app.transcript.current is None


async def test_loading_nothing_is_an_empty_view_that_grows() -> None:
    async with transcript_of() as (app, pilot):
        app.transcript.load([], more_above=False)
        app.transcript.cursor_up()
        app.transcript.cursor_down()
        app.transcript.toggle_fold()
        assert app.transcript.find("x") == 0
        assert app.transcript.next_code_block() is None
        app.apply(Appended(session(1)[0]))
        await pilot.pause()
        await sees(pilot, "question 0")


MOVES = st.sampled_from(
    ["up", "down", "page up", "page down", "home", "end", "append", "stream", "narrow", "wide", "toggle", "fold"]
)


@given(st.lists(MOVES, max_size=14))
@settings(max_examples=12, deadline=None)
async def test_whatever_happens_the_view_shows_consecutive_lines(moves: list[str]) -> None:
    async with transcript_of() as (app, pilot):
        view = app.transcript
        view.load(session(40), more_above=False)
        for number, move in enumerate(moves):
            match move:
                case "up" | "down":
                    view.scroll_relative(y=-3 if move == "up" else 3)
                case "page up" | "page down":
                    view.scroll_relative(y=-24 if move == "page up" else 24)
                case "home":
                    view.scroll_home()
                case "end":
                    view.scroll_end()
                case "append":
                    app.apply(Appended(log(user(f"extra {number}"), first=1000 + number)[0]))
                case "stream":
                    app.apply(TextArrived(f"streamed {number}\n\n"), TurnEnded("stop"))
                case "narrow" | "wide":
                    await pilot.resize_terminal(40 if move == "narrow" else 80, 24)
                case "toggle":
                    view.toggle_details()
                case _:
                    app.apply(ContextMoved(number, 1, number))
            await pilot.pause()
            assert 0 <= view.scroll_y <= view.max_scroll_y
            assert not view.following or view.scroll_y == view.max_scroll_y
            lines = [view.render_line(y).text for y in range(24)]
            assert [line.rstrip() for line in lines] == [
                strip[: view.size.width - 1].rstrip() for strip in screen_lines(app)
            ]


async def test_a_failed_call_still_names_what_it_was_about() -> None:
    edit = call("edit_file", json.dumps({"path": "notes/plans.md", "old": "a", "new": "b"}))
    reason = "What was to be replaced does not stand in the file in these very words, read it again first. " * 2
    async with transcript_of() as (app, pilot):
        app.transcript.load(
            log(user("q"), AssistantSaid("", tool_calls=(edit,)), returned(reason, failed=True)), more_above=False
        )
        await sees(pilot, "edit_file notes/plans.md  ✗ failed: What was")
