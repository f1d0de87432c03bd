"""The transcript shows every entry and event in its place, as it reads on the screen."""

import re
import time
from collections.abc import Iterator

import pytest

from tests.ui.screen_text import screen_lines, screen_text, sees
from tests.ui.transcript_app import TranscriptApp, call, exchange, log, returned, transcript_of, user
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Entry,
    Failed,
    ForkedFrom,
    ImagePart,
    Interrupted,
    Logged,
    ModelChosen,
    Noticed,
    Pinned,
    Pruned,
    Reasoning,
    SystemPromptSet,
    TextPart,
    TitleSet,
    ToolCall,
    Unpinned,
    UserSaid,
)
from tui_agent.core.events import (
    AnswerRestarted,
    Appended,
    CompactionEnded,
    CompactionStarted,
    ContextMoved,
    ReasoningArrived,
    RequestSent,
    RetryScheduled,
    SummaryArrived,
    TextArrived,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
)

SIZE = (80, 30)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def shown(*entries: Entry, opened: bool = False, plain: bool = False) -> str:
    async with transcript_of(size=SIZE) as (app, pilot):
        app.transcript.plain = plain
        app.transcript.load(log(*entries), more_above=False)
        if opened:
            app.transcript.toggle_details()
        await pilot.pause()
        return screen_text(app)


async def test_a_question_and_an_answer_stand_under_their_names() -> None:
    text = await shown(user("Remember: 7\nand 8"), AssistantSaid("It is **7**."))
    assert [line.strip() for line in text.split("\n") if line.strip()][:5] == [
        "you  09:01",
        "Remember: 7",
        "and 8",
        "agent  09:02",
        "It is 7.",
    ]


async def test_one_label_stands_over_all_the_agent_does_in_a_turn() -> None:
    text = await shown(
        user("look"),
        AssistantSaid("I look.", tool_calls=(call("read_file", '{"path": "a.py"}'),)),
        returned("x\ny"),
        AssistantSaid("Done."),
    )
    assert text.count("agent") == 1
    assert "▸ read_file a.py  ✓ 2 lines" in text


async def test_a_card_opens_to_arguments_and_output() -> None:
    entries = (AssistantSaid("", tool_calls=(call("shell", '{"command": "ls", "timeout": 5}'),)), returned("one\ntwo"))
    folded, opened = await shown(*entries), await shown(*entries, opened=True)
    assert "one" not in folded
    for part in ("▾ shell ls", "command: ls", "timeout: 5", "one", "two"):
        assert part in opened


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ((), "▸ shell ls  ·"),
        ((ApprovalAsked("c1", "run ls"),), "? waits for your approval"),
        (
            (ApprovalAsked("c1", "run ls"), ApprovalAnswered("c1", "denied"), returned("no", failed=True)),
            "✗ denied: no",
        ),
        ((returned("", failed=False),), "✓ done"),
        ((returned("one line"),), "✓ 1 line"),
        ((returned("no such file\nmore", failed=True),), "✗ failed: no such file"),
    ],
)
async def test_the_state_of_a_call_is_said_in_words_or_marks(entries: tuple[Entry, ...], words: str) -> None:
    asked = AssistantSaid("", tool_calls=(call("shell", '{"command": "ls"}'),))
    assert words in await shown(asked, *entries)


async def test_a_malformed_call_is_shown_as_it_came() -> None:
    broken = ToolCall("c1", "shell", "{}", malformed='{"command": [oops')
    assert '{"command": [oops' in await shown(AssistantSaid("", tool_calls=(broken,)), opened=True)


async def test_a_pruned_output_says_that_the_context_has_a_stub() -> None:
    said = AssistantSaid("", tool_calls=(call("read_file", '{"path": "a"}'),))
    assert "stub in the context" in await shown(said, returned("long"), Pruned((2,), ("stub",)))


async def test_a_result_without_its_call_still_has_a_card() -> None:
    assert "✓ 1 line" in await shown(returned("late", "gone"))


async def test_reasoning_is_folded_to_a_line() -> None:
    entry = AssistantSaid("yes", reasoning=Reasoning("first\nsecond thought"))
    folded, opened = await shown(entry), await shown(entry, opened=True)
    assert "▸ thought" in folded
    assert "second thought" not in folded
    assert "│ second thought" in opened


async def test_endings_are_marked() -> None:
    text = await shown(AssistantSaid("half an ans", finish=None), Interrupted(), AssistantSaid("cut", finish="length"))
    assert "⋯ incomplete" in text
    assert "■ stopped by the user" in text
    assert "cut off: the reply reached its token limit" in text


async def test_an_empty_answer_says_so() -> None:
    assert "(an empty answer)" in await shown(AssistantSaid(""))


async def test_a_failure_says_what_it_means_and_what_to_do() -> None:
    text = await shown(Failed("No connection to [/x].", "Nothing is lost.", "Check the address."))
    for part in ("┃ ✗ No connection to [/x].", "┃ Nothing is lost.", "┃ → Check the address.", "/retry"):
        assert part in text


async def test_notices_are_word_for_word() -> None:
    line = "[history compaction: 5 old messages merged into 1 summary]"
    assert line in await shown(Noticed(line, "compaction"))
    assert "[/oops] \\[" in await shown(Noticed("[/oops] \\[", "warning"))


async def test_entries_that_are_not_for_the_eye_take_no_line() -> None:
    text = await shown(SystemPromptSet("be good"), TitleSet("t"), ModelChosen("m"))
    assert text.strip() == ""


async def test_a_model_chosen_in_the_middle_and_a_fork_are_told() -> None:
    text = await shown(ForkedFrom("abcdefghij", 7), user("q"), AssistantSaid("a"), ModelChosen("other-model"))
    assert "forked from session abcdefgh at message 7" in text
    assert "model: other-model" in text


async def test_pins_are_marked_and_unmarked() -> None:
    entries: list[Entry] = [user("keep this"), Pinned("keep this", 1), Pinned("never touch main")]
    text = await shown(*entries)
    assert "you  09:01  · pinned" in text
    assert "pinned: never touch main" in text
    assert "· pinned" not in await shown(*entries, Unpinned(2))


async def test_pictures_are_named_not_drawn() -> None:
    assert "[image cat.png]" in await shown(
        UserSaid((TextPart("see"), ImagePart("data:image/png;base64,AAAA", "cat.png")))
    )


# ── folded and rewound ───────────────────────────────────────────────────────


async def test_folded_messages_stand_over_a_divider() -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        app.transcript.load(log(*exchange(1), *exchange(2), *exchange(3)), more_above=False)
        app.apply(ContextMoved(upto=4, version=2, folded=4))
        await pilot.pause()
        lines = screen_lines(app)
        divider = next(
            number for number, line in enumerate(lines) if "4 messages folded · summary v2 · /undo-compact" in line
        )
        assert all(line.startswith("┊") for line in lines[:divider])
        assert not any(line.startswith("┊") for line in lines[divider:])
        assert "answer 2 line 0" in "\n".join(lines[:divider])
        assert "question 3" in "\n".join(lines[divider:])

        app.apply(ContextMoved(upto=0, version=0, folded=0))
        await pilot.pause()
        assert "folded" not in screen_text(app)
        assert "┊" not in screen_text(app)


async def test_rewound_messages_are_marked() -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        app.transcript.load(log(*exchange(1), *exchange(2)), more_above=False)
        app.apply(ContextMoved(upto=0, version=0, folded=0, rewound=((3, 4),)))
        await pilot.pause()
        lines = screen_lines(app)
        assert any(line.startswith("× you  09:03  · rewound") for line in lines)
        assert any(line.startswith("× answer 2") for line in lines)
        assert not any(line.startswith("×") and "answer 1" in line for line in lines)


# ── a turn that is going on ──────────────────────────────────────────────────


async def reopened_text(entries: list[Logged]) -> str:
    """What is on the screen where these entries are loaded."""
    reopened = TranscriptApp()
    async with reopened.run_test(size=SIZE) as pilot:
        reopened.transcript.load(entries, more_above=False)
        await pilot.pause()
        return screen_text(reopened)


async def test_a_live_turn_ends_on_the_same_screen_as_the_reopened_session() -> None:
    said = AssistantSaid(
        "It is **done**.\n\n- a\n- b", reasoning=Reasoning("hm"), tool_calls=(call("shell", '{"command": "ls"}'),)
    )
    entries = log(user("go"), said, returned("x"), AssistantSaid("Bye."))
    live = TranscriptApp()
    async with live.run_test(size=SIZE) as pilot:
        live.apply(Appended(entries[0]), RequestSent("m"), ReasoningArrived("h"), ReasoningArrived("m"))
        live.apply(TextArrived("It is **do"), TextArrived("ne**.\n\n- a\n- b"), Appended(entries[1]))
        live.apply(
            ToolStarted(said.tool_calls[0]), ToolProgressed("c1", "half"), Appended(entries[2]), RequestSent("m")
        )
        live.apply(TextArrived("Bye."), Appended(entries[3]), TurnEnded("stop"))
        await pilot.pause()
        live_text = screen_text(live)
    assert await reopened_text(entries) == live_text


async def test_what_is_only_waited_for_moves_nothing() -> None:
    async with transcript_of(user("q"), size=SIZE) as (app, pilot):
        before = screen_text(app)
        app.apply(RequestSent("qwen"), RetryScheduled(2, 3.0, "the endpoint is busy"), CompactionStarted(14, "window"))
        app.apply(SummaryArrived("x"), CompactionEnded(applied=True))
        await pilot.pause()
        assert screen_text(app) == before


@pytest.mark.parametrize("reasoning", ["because", ""])
async def test_a_restarted_answer_takes_back_what_was_shown(reasoning: str) -> None:
    said = AssistantSaid("right end", reasoning=Reasoning(reasoning) if reasoning else None)
    entries = log(user("q"), said)
    live = TranscriptApp()
    async with live.run_test(size=SIZE) as pilot:
        live.apply(Appended(entries[0]), ReasoningArrived("so"), TextArrived("wrong start"))
        await sees(pilot, "wrong start")
        live.apply(AnswerRestarted("", reasoning))
        await pilot.pause()
        assert "wrong" not in screen_text(live)
        live.apply(TextArrived("right"), TextArrived(" end"), Appended(entries[1]), TurnEnded("stop"))
        await pilot.pause()
        live_text = screen_text(live)
    assert await reopened_text(entries) == live_text


async def test_a_restart_under_a_notice_leaves_only_the_notice() -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        app.apply(TextArrived("wrong start"), Appended(log(Noticed("by the way"))[0]), AnswerRestarted("right"))
        await pilot.pause()
        text = screen_text(app)
        assert "wrong" not in text
        assert text.index("by the way") < text.index("agent") < text.index("right")


async def test_a_running_tool_tells_its_progress() -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        said = AssistantSaid("", tool_calls=(call("shell", '{"command": "make"}'),))
        app.apply(Appended(log(said)[0]), ToolStarted(said.tool_calls[0]), ToolProgressed("c1", "compiling\nlinking\n"))
        await pilot.pause()
        await sees(pilot, "⋯ linking")


async def test_an_answer_that_never_reached_the_log_stays_and_what_follows_is_right() -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        entries = log(user("q"), Failed("It broke."), user("again"), AssistantSaid("fine"))
        app.apply(Appended(entries[0]), TextArrived("half"), Appended(entries[1]), TurnEnded("failed"))
        app.apply(Appended(entries[2]), Appended(entries[3]), ContextMoved(1, 1, 1))
        await pilot.pause()
        text = screen_text(app)
        assert text.index("half") < text.index("It broke.") < text.index("again") < text.index("fine")
        assert app.transcript.jump_to(3)


# ── hostile text ─────────────────────────────────────────────────────────────

HOSTILE = (
    "[/", "[/]", "[bold", "arr[i][j]", "[$accent]", "[@click=app.quit]x[/]", "\\[", "[[/test.md]]",
    "[link=http://x]y[/link]",
    "a\x1b[2Jb", "\x1b]52;c;ZWNobyBoaQ==\x07ok", "\x9b31mred", "a\rb", "ab\b\bcd", "\u202egnp.exe", "nul\x00", "\ud800",
)  # fmt: skip

DANGEROUS = {chr(code) for code in [*range(0x20), *range(0x7F, 0xA0), 0x202E, 0xD800]}


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
async def test_hostile_text_is_only_text_in_every_place(text: str) -> None:
    async with transcript_of(size=SIZE) as (app, pilot):
        entries = log(
            user(text),
            AssistantSaid(
                f"```\n{text}\n```\n{text}", reasoning=Reasoning(text), tool_calls=(ToolCall("c1", text, text),)
            ),
            returned(text, failed=True),
            Noticed(text),
            Failed(text, text, text),
        )
        app.transcript.load(entries, more_above=False)
        app.transcript.toggle_details()
        app.apply(RequestSent(text), ReasoningArrived(text), TextArrived(text))
        for _ in range(4):
            await pilot.pause()
            raw = screen_text(app)
            assert not set(raw) & DANGEROUS - {"\n"}
            sent = "".join(strip.render(app.console) for strip in app.screen._compositor.render_strips())
            assert not set(re.sub(r"\x1b\[[\d;]*m", "", sent)) & DANGEROUS
            app.transcript.scroll_page_up(animate=False)
        await pilot.click(app.transcript, offset=(4, 2))
        assert app.is_running
