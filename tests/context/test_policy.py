"""What a compaction would fold, and when automatic compaction waits."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.context.logs import (
    HERE,
    alternating,
    answer,
    calls,
    compacted,
    context_at_end,
    log_of,
    result,
    user,
    wire_of,
)
from tests.fakes.valid import problems
from tui_agent.context.checkpoint import checkpoint_of
from tui_agent.context.cuts import Plan
from tui_agent.context.gauge import Limits, exceeded, limit_of, measure
from tui_agent.context.policy import LEAST_KEPT, pause, pause_in_short, plan, shortfall
from tui_agent.core.entries import (
    ApprovalAsked,
    AssistantSaid,
    CompactionRedone,
    CompactionUndone,
    Detail,
    Entry,
    Logged,
    ModelChosen,
    Noticed,
    Pinned,
    Rewound,
    Size,
    SummaryRestored,
    ToolReturned,
    Trigger,
    Usage,
)
from tui_agent.core.events import GaugeParts
from tui_agent.errors import ApprovalPending, NothingToFold
from tui_agent.settings import load

LONG = "word " * 800
"""About 960 estimated tokens."""


def plan_for(
    *entries: Entry,
    keep: int = 6,
    limits: Limits | None = None,
    above: int | None = None,
    parts: GaugeParts | None = None,
    least: int = LEAST_KEPT,
) -> Plan:
    log = log_of(*entries)
    checkpoint = checkpoint_of(log)
    return plan(checkpoint, [each for each in log if each.seq > checkpoint.upto], keep, limits, above, parts, least)


# ── how much is folded ───────────────────────────────────────────────────────


def test_six_of_eleven_messages_are_kept_and_five_folded() -> None:
    made = plan_for(*alternating(11))
    assert (made.upto, made.messages, made.kept) == (5, 5, 6)
    assert [each.seq for each in made.folded] == [1, 2, 3, 4, 5]


def test_at_eighty_one_messages_the_messages_preset_leaves_twenty_four() -> None:
    preset = load({"preset": "messages"}, {}, None).settings
    log = log_of(*alternating(81))
    limits = Limits(threshold=preset.threshold, max_messages=preset.max_messages)
    gauge = measure(context_at_end(log), checkpoint_of(log), limits)
    assert exceeded(gauge, limits) == "messages"
    assert plan_for(*alternating(81), keep=preset.keep_recent).kept == 24
    earlier = log_of(*alternating(80))
    assert exceeded(measure(context_at_end(earlier), checkpoint_of(earlier), limits), limits) is None


@pytest.mark.parametrize("count", [0, 1, 5, 6])
def test_with_six_messages_or_fewer_there_is_nothing_to_fold(count: int) -> None:
    with pytest.raises(NothingToFold):
        plan_for(*alternating(count), Noticed("a note is no message"))


def test_compacting_again_with_nothing_new_folds_nothing() -> None:
    with pytest.raises(NothingToFold):
        plan_for(*alternating(10), compacted(4, "SUM"))


def test_only_what_is_newly_old_is_folded_by_the_next_compaction() -> None:
    made = plan_for(*alternating(10), compacted(4, "SUM"), *alternating(4))
    assert [each.seq for each in made.folded] == [5, 6, 7, 8]
    assert made.messages == 4


def test_what_is_folded_already_and_what_is_not_taken_in_yet_counts_for_nothing() -> None:
    log = log_of(*alternating(10), compacted(4, "SUM"), *alternating(4), *alternating(9))
    checkpoint = checkpoint_of(log[:15])
    assert plan(checkpoint, log, 6) == plan(checkpoint, log[4:15], 6)


def test_rewound_messages_are_not_folded_and_never_sent_ones_go_along_uncounted() -> None:
    made = plan_for(*alternating(2), user("wrong"), Rewound(2), AssistantSaid(" "), *alternating(6), keep=4)
    assert [each.seq for each in made.folded] == [1, 2, 5, 6, 7]
    assert made.messages == 4


def test_the_range_above_a_message_is_absolute_and_does_not_split_a_batch() -> None:
    entries: list[Entry] = [user("a"), answer("b"), user("c"), calls("x", "y"), result("x"), result("y"), answer("d")]
    assert plan_for(*entries, keep=99, above=3).upto == 2
    assert plan_for(*entries, *alternating(4), keep=99, above=3).upto == 2
    assert plan_for(*entries, keep=99, above=6).upto == 3
    assert plan_for(*entries, keep=99, above=7).upto == 6
    with pytest.raises(NothingToFold):
        plan_for(*entries, above=1)


def test_nothing_is_compacted_while_an_approval_is_pending() -> None:
    entries: list[Entry] = [*alternating(10), user("go"), calls("c"), ApprovalAsked("c", "rm x")]
    with pytest.raises(ApprovalPending):
        plan_for(*entries)
    assert plan_for(*entries, result("c")).messages == 7


# ── the open turn ────────────────────────────────────────────────────────────


def test_a_question_that_waits_for_its_answer_is_never_folded() -> None:
    made = plan_for(*alternating(5), keep=0)
    assert (made.upto, made.kept, made.request) == (4, 1, None)
    with pytest.raises(NothingToFold):
        plan_for(user("only this"), keep=0)


def test_an_answered_turn_can_be_folded_whole() -> None:
    assert plan_for(*alternating(4), keep=0).kept == 0


def test_in_a_tool_loop_the_newest_call_stays_whole_and_the_request_is_handed_on() -> None:
    entries: list[Entry] = [user("read all files"), calls("a"), result("a"), calls("b", "c"), result("b"), result("c")]
    made = plan_for(*entries, keep=0)
    assert (made.upto, made.kept) == (3, 3)
    assert made.request is not None
    assert made.request.seq == 1
    assert made.open_request is not None
    assert (made.open_request.kind, made.open_request.text, made.open_request.sources) == (
        "request",
        "read all files",
        (1,),
    )


def test_the_request_of_calls_that_have_no_results_yet_is_handed_on() -> None:
    made = plan_for(*alternating(2), user("do it"), calls("a"), keep=0)
    assert made.upto == 3
    assert made.open_request is not None
    assert made.open_request.text == "do it"


def test_of_what_a_summary_carries_only_the_request_is_handed_on() -> None:
    request, path = Detail("request", "do it", (1,), "user"), Detail("path", "/a", (1,), "user")
    head = compacted(3, "SUM", details=(path, request))
    entries: list[Entry] = [
        user("do it"),
        calls("a"),
        result("a"),
        head,
        calls("b"),
        result("b"),
        calls("c"),
        result("c"),
    ]
    assert plan_for(*entries, keep=2).open_request == request


def test_a_request_that_stays_in_the_tail_is_not_handed_on() -> None:
    made = plan_for(*alternating(6), user("go"), calls("a"), result("a"), keep=3)
    assert (made.request, made.open_request) == (None, None)


def test_one_request_lives_through_three_compactions_of_one_long_turn() -> None:
    entries: list[Entry] = [user("fix the failing test"), Pinned("port is 8081")]
    previous = None
    for round_of_calls in range(3):
        for place in range(10):
            entries += [calls(f"k{round_of_calls}{place}"), result(f"k{round_of_calls}{place}", "out " * 50)]
        made = plan_for(*entries, keep=6)
        assert made.open_request is not None
        entries.append(compacted(made.upto, f"SUM-{round_of_calls}", previous, details=(made.open_request,)))
        previous = len(entries)
        sent = wire_of(log_of(*entries))
        everything = "\n".join(str(message["content"]) for message in sent)
        assert problems(sent) == []
        assert sent[1]["role"] == "user"
        for text in ("SYS-PROMPT", "fix the failing test", "port is 8081"):
            assert everything.count(text) == 1
    finished = plan_for(*entries, answer("fixed"), *alternating(8))
    assert finished.open_request is None


# ── keeping less to get below the trigger ────────────────────────────────────


def test_fewer_messages_are_kept_when_those_to_keep_are_too_long() -> None:
    entries: list[Entry] = [user(LONG) if place % 2 else answer(LONG) for place in range(1, 10)]
    assert plan_for(*entries).kept == 6
    made = plan_for(*entries, limits=Limits(window=3_500))
    assert made.kept == 2
    assert plan_for(*entries, limits=Limits(window=100_000)).kept == 6


def test_even_six_messages_or_fewer_are_folded_when_they_are_over_the_trigger() -> None:
    entries: list[Entry] = [user(LONG), answer(LONG), user(LONG), answer(LONG), user("and now?")]
    assert plan_for(*entries, limits=Limits(window=3_000)).kept < 5
    with pytest.raises(NothingToFold):
        plan_for(*entries, limits=Limits(window=30_000))


def test_as_much_is_kept_as_asked_when_keeping_less_would_not_help() -> None:
    entries: list[Entry] = [*alternating(8), user(LONG)]
    assert plan_for(*entries, limits=Limits(window=500), keep=4).kept == 4
    floor = GaugeParts(system=4_000, tools=3_000)
    assert plan_for(*alternating(9), limits=Limits(window=8_192), parts=floor, keep=4).kept == 4


@pytest.mark.parametrize(
    "floor", [GaugeParts(system=3_000), GaugeParts(tools=3_000), GaugeParts(pins=3_000), GaugeParts(summary=3_800)]
)
def test_the_floor_counts_when_room_is_made(floor: GaugeParts) -> None:
    entries: list[Entry] = [user(LONG) if place % 2 else answer(LONG) for place in range(1, 10)]
    limits = Limits(window=10_000)
    assert plan_for(*entries, limits=limits).kept == 6
    assert plan_for(*entries, limits=limits, parts=floor).kept == 4


def test_what_is_no_message_takes_no_room() -> None:
    entries: list[Entry] = [user(LONG) if place % 2 else answer(LONG) for place in range(1, 10)]
    assert plan_for(*entries, *[Noticed("a note")] * 3_000, limits=Limits(window=10_000)).kept == 6


def test_only_a_token_trigger_makes_fewer_messages_stay() -> None:
    assert plan_for(*alternating(11), limits=Limits(max_characters=10)).kept == 6


def test_no_more_is_folded_than_is_needed() -> None:
    entries: list[Entry] = [user(LONG * 3), answer("a"), user("b"), answer("c")]
    assert plan_for(*entries, limits=Limits(window=3_000)).upto == 1


@pytest.mark.parametrize("window", [1_000, 1_500, 2_000, 2_500])
def test_a_question_and_its_answer_stay_however_long_they_are(window: int) -> None:
    with pytest.raises(NothingToFold):
        plan_for(user(LONG), answer(LONG), limits=Limits(window=window))


def test_where_nothing_has_to_stay_all_may_be_folded() -> None:
    entries: list[Entry] = [user(LONG), answer(LONG * 4), Noticed("a note")]
    assert plan_for(*entries, limits=Limits(window=3_000), least=0).kept == 0


def test_in_a_tool_loop_over_the_trigger_the_newest_pair_is_kept() -> None:
    entries: list[Entry] = [user("read all")]
    for place in range(4):
        entries += [calls(f"c{place}"), result(f"c{place}", LONG * 2)]
    made = plan_for(*entries, limits=Limits(window=4_000))
    assert made.kept == 2
    assert made.request is not None


# ── the breaker ──────────────────────────────────────────────────────────────


def stalled(trigger: Trigger = "window", limit: int | None = 6_553, after: int = 7_200) -> Entry:
    return compacted(1, "SUM", trigger=trigger, limit=limit, after=Size(after, after, after))


def pause_for(*entries: Entry, limits: Limits | None = None) -> str:
    log = log_of(*entries)
    limits = limits or Limits(window=8_192)
    return pause(checkpoint_of(log), measure(context_at_end(log), checkpoint_of(log), limits), limits)


FAILED = Noticed("[history compaction failed: keeping the original history]", "compaction failed")


def test_automatic_compaction_waits_after_two_that_did_not_help() -> None:
    entries: list[Entry] = [user("a"), answer("b"), user("c"), stalled(), user("d"), stalled(), user("e")]
    text = pause_for(*entries)
    assert "2 attempts in a row did not get the context below 6,553 tokens" in text
    for part in ("system prompt", "tools", "summary", "pins", "recent messages"):
        assert part in text
    assert pause_for(*entries[:4], user("d"), answer("long enough to be a fifth of it all " * 3)) == ""


def test_a_compaction_that_helped_or_was_made_by_hand_starts_the_count_again() -> None:
    entries: list[Entry] = [user("a"), answer("b"), stalled(), user("c"), stalled(), user("d")]
    assert pause_for(*entries) != ""
    assert pause_for(*entries, stalled(after=3_000)) == ""
    assert pause_for(*entries, stalled(trigger="manual")) == ""
    assert pause_for(*entries, stalled(limit=None)) == ""
    assert pause_for(*entries, CompactionUndone(5)) == ""
    failures: list[Entry] = [FAILED, FAILED]
    assert pause_for(*entries, CompactionUndone(5), *failures) != ""
    assert pause_for(*entries, CompactionUndone(5), *failures, CompactionRedone(5)) == ""
    assert pause_for(*entries, SummaryRestored(3)) == ""
    assert pause_for(*entries, ModelChosen("larger")) == ""
    assert pause_for(*entries, Rewound(5)) == ""


@pytest.mark.parametrize(
    ("trigger", "after"),
    [("window", Size(100, 999, 999)), ("characters", Size(999, 100, 999)), ("messages", Size(999, 999, 100))],
)
def test_a_compaction_helped_when_the_measure_that_called_for_it_is_within_its_limit(
    trigger: Trigger, after: Size
) -> None:
    for limit, count in ((100, 0), (99, 1)):
        made = compacted(1, "SUM", trigger=trigger, limit=limit, after=after)
        assert checkpoint_of(log_of(user("a"), answer("b"), made)).stalls.count == count


def test_another_window_ends_the_pause() -> None:
    entries: list[Entry] = [user("a"), answer("b"), stalled(), user("c"), stalled(), user("d")]
    assert pause_for(*entries, limits=Limits(window=16_384)) == ""


def test_growth_by_half_ends_the_pause() -> None:
    entries: list[Entry] = [user(LONG), answer(LONG), stalled(), user("c"), stalled(), user("d")]
    assert pause_for(*entries, answer("short")) != ""
    assert pause_for(*entries, answer(LONG)) == ""


def test_the_goal_is_named_in_the_unit_of_the_limit_that_is_nearest() -> None:
    def explained(limits: Limits, trigger: Trigger, limit: int) -> str:
        entries = (user("a"), answer("b"), stalled(trigger, limit, limit + 50), user("c"))
        return pause_for(*entries, stalled(trigger, limit, limit + 50), user("d"), limits=limits)

    assert "below 100 characters" in explained(Limits(threshold=None, max_characters=100), "characters", 100)
    assert "below 3 messages" in explained(Limits(threshold=None, max_messages=3), "messages", 3)


def test_why_automatic_compaction_waits_is_told_in_full() -> None:
    stalls: list[Entry] = [user("a"), answer("b"), user("c"), stalled(), user("d"), stalled(), user("e")]
    log = log_of(*stalls)
    gauge = measure(context_at_end(log), checkpoint_of(log), Limits(window=8_192))
    for part, advice in ADVICE.items():
        parts = replace(GaugeParts(1, 2, 3, 4, 5, 6), **{part: 7_000})
        text = pause(checkpoint_of(log), replace(gauge, parts=parts, tokens=7_777), Limits(window=8_192))
        sizes = ", ".join(f"{name} {getattr(parts, field):,}" for name, field in PARTS.items())
        assert text == (
            "Automatic compaction is paused: 2 attempts in a row did not get the context below 6,553 tokens. "
            f"The context holds 7,771 tokens: {sizes}. {advice} "
            "It resumes when the context has grown by half, or after a compaction by hand."
        )


PARTS = {"system prompt": "system", "tools": "tools", "summary": "summary", "pins": "pins", "recent messages": "tail"}
ADVICE = {
    "system": "Shorten the system prompt or choose a larger window.",
    "tools": "Switch some tools off or choose a larger window.",
    "summary": "Rebuild or shorten the summary (F3), or start a new session.",
    "pins": "Remove some pins, or choose a larger window.",
    "tail": "Keep fewer recent messages (keep_recent), or choose a larger window.",
}


def test_two_failures_are_told_as_failures_and_one_waits_for_the_next_message() -> None:
    twice = [*alternating(9), FAILED, user("next"), FAILED, answer("c"), user("next")]
    assert pause_for(*twice).startswith("Automatic compaction is paused: 2 attempts in a row failed. The context")
    assert pause_for(*alternating(9), FAILED) == (
        "The last compaction failed; automatic compaction waits for your next message."
    )
    assert pause_for(user("a"), answer("b"), user("c"), stalled()) == (
        "The last compaction gained too little to be repeated in the same turn."
    )


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([FAILED], "the last attempt failed. Your next message tries it again, F4 tries it now."),
        ([FAILED, FAILED], "the last attempt failed. A compaction by hand (F4) ends the pause."),
        ([stalled()], "it did not get the context below its trigger. Your next message tries it again"),
        ([stalled(), stalled()], f"its trigger. A compaction by hand (F4) ends the pause. {ADVICE['tail']}"),
    ],
)
def test_a_pause_is_told_in_short_with_how_it_goes_on(entries: list[Entry], words: str) -> None:
    text = pause_in_short(checkpoint_of(log_of(*alternating(9), *entries)), GaugeParts(tail=9_000))
    assert text.startswith("Automatic compaction is paused: ")
    assert words in text


@pytest.mark.parametrize(
    ("trigger", "limit", "before", "after", "words"),
    [
        ("window", 6_553, 7_100, 6_800, "It freed 300 tokens, and the context is still above 6,553 tokens. "),
        ("window", 6_553, 7_100, 6_500, "It freed only 600 tokens. "),
        ("window", 6_553, 7_100, 6_390, ""),
        ("overflow", None, 7_100, 7_000, "It freed only 100 tokens. "),
        ("messages", 6, 7, 7, "It freed 0 messages, and the context is still above 6 messages. "),
        ("messages", 6, 7, 5, ""),
        ("characters", 4_000, 9_000, 4_100, "It freed 4,900 characters, and the context is still above 4,000 char"),
        ("manual", 6_553, 7_100, 7_000, ""),
    ],
)
def test_a_compaction_that_gained_little_says_so_and_what_helps(
    trigger: Trigger, limit: int | None, before: int, after: int, words: str
) -> None:
    made = compacted(1, "SUM", trigger=trigger, limit=limit, before=Size(*[before] * 3), after=Size(*[after] * 3))
    log = log_of(*alternating(9))
    gauge = replace(measure(context_at_end(log), checkpoint_of(log), Limits()), parts=GaugeParts(pins=900))
    text = shortfall(made, gauge)
    assert text.startswith(words) if words else not text
    assert text.endswith(ADVICE["pins"]) if words else not text


def test_within_a_turn_the_context_has_to_double() -> None:
    log = log_of(user(LONG), answer(LONG), user("c"), stalled(), answer(LONG), answer(LONG))
    checkpoint = checkpoint_of(log)
    grown = checkpoint.ratio * checkpoint.stalls.grown
    gauge = measure(context_at_end(log), checkpoint, Limits(window=8_192))

    def paused(tokens: float, unsent: int = 0) -> bool:
        parts = replace(gauge.parts, unsent=unsent)
        return pause(checkpoint, replace(gauge, tokens=int(tokens), parts=parts), Limits(window=8_192)) != ""

    assert checkpoint.stalls.turns == 0
    assert paused(2 * grown + 1)
    assert not paused(2 * grown - 1)
    assert not paused(2 * grown + 1, unsent=5)


def test_a_stall_at_the_whole_window_counts_as_long_as_the_window_is_that_one() -> None:
    limits = Limits(window=8_192, reserve=192)
    entries: list[Entry] = [user("a"), answer("b"), stalled(limit=8_000, after=8_100), user("c")]
    entries += [stalled(limit=8_000, after=8_100), user("d")]
    assert pause_for(*entries, limits=limits) != ""
    assert pause_for(*entries, limits=Limits(window=8_192, reserve=193)) == ""
    assert pause_for(*entries, limits=Limits(window=None)) == ""


def test_what_cannot_be_folded_is_said_with_what_to_do() -> None:
    with pytest.raises(NothingToFold) as nothing:
        plan_for(*alternating(5))
    assert str(nothing.value) == (
        "There are no old messages to compact. All 5 messages of the context are recent and stay as they are. "
        "Keep fewer messages, or go on and compact later."
    )
    with pytest.raises(ApprovalPending) as pending:
        plan_for(*alternating(9), user("x"), calls("c1"), ApprovalAsked("c1", "ls"))
    assert str(pending.value) == (
        "A tool call is waiting for your approval. A compaction now would cut between the call and its result. "
        "Answer it first, then compact."
    )


def test_a_range_above_everything_folds_all_that_may_be() -> None:
    assert plan_for(*alternating(8), above=99).kept == 0
    with pytest.raises(NothingToFold):
        plan_for(*alternating(8), above=1)


def test_a_failed_attempt_is_not_repeated_in_the_same_turn() -> None:
    entries: list[Entry] = [*alternating(9), FAILED]
    assert pause_for(*entries) != ""
    assert pause_for(*entries, answer("b" * 400)) != ""
    assert pause_for(*entries, answer("b"), user("next")) == ""
    assert pause_for(*entries, answer("b"), user("next"), FAILED, answer("c"), user("next")) != ""


def test_the_pause_survives_a_restart_because_it_follows_from_the_log() -> None:
    log = log_of(user("a"), answer("b"), stalled(), user("c"), stalled(), user("d"))
    assert checkpoint_of(log).stalls.count == 2


@pytest.mark.parametrize(
    ("trigger", "limit", "after", "count"),
    [("characters", 600, 700, 1), ("characters", 600, 600, 0), ("messages", 80, 81, 1), ("overflow", 4_000, 4_100, 1)],
)
def test_progress_is_judged_in_the_triggers_own_unit(trigger: Trigger, limit: int, after: int, count: int) -> None:
    assert checkpoint_of(log_of(user("a"), answer("b"), stalled(trigger, limit, after))).stalls.count == count


def replay(said: Sequence[str], limits: Limits, system: str, keep: int) -> tuple[int, int]:
    """Turns as an agent makes them: how often a summary was asked for, and how often nothing could be folded."""
    log: list[Logged] = []
    surroundings = replace(HERE, system_prompt=system)
    asked = refused = 0

    def append(entry: Entry) -> None:
        log.append(Logged(len(log) + 1, "", entry))

    for text in said:
        for is_answer in (False, True):
            context = context_at_end(log, surroundings)
            reported = Usage(context.tokens, 1)
            append(AssistantSaid("ok", usage=reported, estimated=context.tokens) if is_answer else user(text))
            checkpoint = checkpoint_of(log)
            gauge = measure(context_at_end(log, surroundings), checkpoint, limits)
            trigger = exceeded(gauge, limits)
            if trigger is None or pause(checkpoint, gauge, limits):
                continue
            try:
                made = plan(checkpoint, log, keep, limits, parts=gauge.parts)
            except NothingToFold:
                refused += 1
                continue
            asked += 1
            change = compacted(made.upto, "S", checkpoint.head, trigger=trigger, limit=limit_of(trigger, limits))
            foreseen = context_at_end([*log, Logged(len(log) + 1, "", change)], surroundings)
            size = Size(foreseen.tokens, foreseen.characters, foreseen.message_count)
            append(replace(change, after=size))
    return asked, refused


def test_a_floor_above_the_trigger_leads_to_at_most_two_summaries() -> None:
    asked, refused = replay(["short"] * 10, Limits(window=8_192), system="word " * 6_000, keep=6)
    assert 1 <= asked <= 2
    assert refused == 6  # while all messages were recent, no summary was asked for


def test_one_message_larger_than_the_trigger_leads_to_at_most_two_summaries() -> None:
    said = [*["short"] * 3, "word " * 500, *["short"] * 6]
    asked, _ = replay(said, Limits(window=500), system="SYS", keep=4)
    assert 1 <= asked <= 2


def test_results_that_come_back_in_a_tool_loop_are_messages_too() -> None:
    returned = ToolReturned("c", "x")
    assert plan_for(*alternating(6), user("go"), calls("c"), returned, keep=2).kept == 2
