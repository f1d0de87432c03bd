"""The gauge: anchored on what the endpoint reported, estimated otherwise, and never 0 or stale."""

import time
from dataclasses import replace

import pytest

from tests.context.logs import HERE, alternating, answer, calls, compacted, context_at_end, log_of, result, user
from tui_agent.context.checkpoint import Checkpoint, checkpoint_of
from tui_agent.context.fold import Context, Surroundings
from tui_agent.context.gauge import ASSUMED_WINDOW, Limits, exceeded, limit_of, measure, measure_weight, weigh
from tui_agent.core.entries import (
    AssistantSaid,
    CompactionRedone,
    CompactionUndone,
    Detail,
    DetailKept,
    Entry,
    ModelChosen,
    Noticed,
    Pinned,
    Pruned,
    Reasoning,
    Rewound,
    SummaryRestored,
    SystemPromptSet,
    Trigger,
    Unpinned,
    Unpruned,
    Usage,
)
from tui_agent.core.events import Gauge, GaugeParts
from tui_agent.core.messages import ToolSpec, characters

WIDE = Limits(window=100_000)
LONG = "word " * 4_000
"""About 4,800 estimated tokens."""


def test_what_the_endpoint_counted_of_a_request_without_any_words_is_the_systems() -> None:
    silent = Surroundings()
    log = log_of(SystemPromptSet(""))
    context = context_at_end(log, silent)
    empty = replace(context, parts=GaugeParts())
    gauge = measure(empty, replace(checkpoint_of(log), anchor=None), WIDE)
    assert gauge.parts.system == gauge.tokens


def state(*entries: Entry, surroundings: Surroundings = HERE) -> tuple[Context, Checkpoint]:
    log = log_of(*entries)
    return context_at_end(log, surroundings), checkpoint_of(log)


def gauge_of(*entries: Entry, limits: Limits = WIDE, surroundings: Surroundings = HERE) -> Gauge:
    return measure(*state(*entries, surroundings=surroundings), limits)


def long_turns(count: int) -> list[Entry]:
    return [user(LONG), answer(LONG)] * count


def replied(text: str, prompt: int, completion: int = 10, estimated: int = 0, reasoning: int = 0) -> AssistantSaid:
    return AssistantSaid(text, usage=Usage(prompt, completion, reasoning=reasoning), estimated=estimated)


# ── tokens ───────────────────────────────────────────────────────────────────


def test_right_after_a_reply_the_gauge_is_exactly_what_was_reported() -> None:
    gauge = gauge_of(user("hello"), replied("hi", 1200, 30))
    assert (gauge.tokens, gauge.estimated) == (1230, False)


def test_what_came_since_is_estimated_on_top() -> None:
    gauge = gauge_of(user("hello"), replied("hi", 1200, 30), user(LONG))
    assert gauge.estimated
    assert 1230 + 3_000 < gauge.tokens < 1230 + 6_000


def test_reasoning_that_is_not_sent_back_does_not_count() -> None:
    counted = replied("hi", 1200, 500, reasoning=470)
    assert gauge_of(user("hello"), counted).tokens == 1230
    silent = replace(counted, usage=Usage(1200, 500), reasoning=Reasoning("thought " * 200))
    assert 1200 < gauge_of(user("hello"), silent).tokens < 1500
    kept = replace(calls("c"), usage=Usage(1200, 500), reasoning=Reasoning("thought " * 200))
    assert gauge_of(user("hello"), kept, result("c")).tokens > 1700


def test_a_compaction_shows_the_new_context_and_never_the_summarisers_own_usage() -> None:
    entries: list[Entry] = [user(LONG), answer(LONG), user(LONG), replied("ok", 90_000), answer("x"), user("y")]
    before = gauge_of(*entries)
    assert before.tokens > 90_000
    after = gauge_of(*entries, compacted(4, "SUM", usage=Usage(88_000, 900), folded=4))
    assert after.estimated
    assert 0 < after.tokens < 1_000
    assert after.share == after.tokens / 100_000
    again = gauge_of(*entries, compacted(4, "SUM", usage=Usage(88_000, 900)), replied("ok", 640, 20))
    assert (again.tokens, again.estimated) == (660, False)


@pytest.mark.parametrize("usage", [None, Usage(0, 0)])
def test_without_a_usable_report_the_estimate_stands(usage: Usage | None) -> None:
    said = AssistantSaid("ok", usage=usage, estimated=9_000)
    gauge = gauge_of(user(LONG), answer(LONG), user("go"), said)
    assert gauge.estimated
    assert 7_000 < gauge.tokens < 12_000


def test_a_report_far_below_what_was_sent_does_not_lower_the_gauge() -> None:
    gauge = gauge_of(user(LONG), answer(LONG), user("go"), replied("ok", 2050, estimated=9_000))
    assert gauge.tokens > 7_000
    assert gauge.estimated


@pytest.mark.parametrize(
    "change",
    [
        Pinned("x"),
        DetailKept(1, Detail("path", "/x")),
        Pruned((1,), ("[x]",)),
        SystemPromptSet("be brief"),
        ModelChosen("other"),
        Rewound(0),
        compacted(1, "S"),
    ],
)
def test_whatever_changes_what_was_reported_on_ends_its_validity(change: Entry) -> None:
    assert checkpoint_of(log_of(user("a"), replied("b", 5_000))).anchor is not None
    assert checkpoint_of(log_of(user("a"), replied("b", 5_000), change)).anchor is None


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ([Pinned("x")], Unpinned(2)),
        ([Pruned((1,), ("[x]",))], Unpruned((1,))),
        ([compacted(1, "S")], CompactionUndone(2)),
        ([compacted(1, "S"), CompactionUndone(2)], CompactionRedone(2)),
        ([compacted(1, "S")], SummaryRestored(2)),
    ],
)
def test_so_does_whatever_takes_a_change_back(before: list[Entry], change: Entry) -> None:
    entries = [user("a"), *before, replied("b", 5_000)]
    assert checkpoint_of(log_of(*entries)).anchor is not None
    assert checkpoint_of(log_of(*entries, change)).anchor is None


def test_an_empty_answer_counts_nothing_and_reasoning_only_when_it_is_sent_back() -> None:
    def reported(answered: AssistantSaid) -> int:
        anchor = checkpoint_of(log_of(user("a"), answered)).anchor
        assert anchor is not None
        return anchor.tokens

    assert reported(replied("", 1_200, 30)) == 1_200
    thought = Reasoning("why")
    assert reported(replace(calls("c"), usage=Usage(1_200, 500, reasoning=470), reasoning=thought)) == 1_700
    assert reported(replace(replied("hi", 1_200, 500, reasoning=470), reasoning=thought)) == 1_230
    assert reported(replied("hi", 1_200, 100, reasoning=470)) == 1_200


def test_a_note_changes_nothing() -> None:
    assert gauge_of(user("a"), replied("b", 5_000), Noticed("note")).tokens == 5_010


def test_an_interrupted_answer_keeps_the_last_report_and_is_estimated_on_top() -> None:
    gauge = gauge_of(user("a"), replied("b", 5_000), user("c"), AssistantSaid("half an answer", finish=None))
    assert 5_010 < gauge.tokens < 5_050


def test_an_undone_compaction_is_measured_as_what_came_back() -> None:
    entries: list[Entry] = [user(LONG), answer("ok"), user("go"), compacted(2, "S"), replied("b", 500)]
    assert gauge_of(*entries).tokens == 510
    assert gauge_of(*entries, CompactionUndone(4)).tokens > 3_500


def test_estimates_are_multiplied_with_what_endpoints_report() -> None:
    entries: list[Entry] = []
    for _ in range(4):
        entries += [user("a"), replied("b", 1_300, estimated=1_000)]
    checkpoint = checkpoint_of(log_of(*entries))
    assert checkpoint.ratio == pytest.approx(1.3, abs=0.03)
    plain = gauge_of(user(LONG)).tokens
    assert gauge_of(*entries, user(LONG)).tokens - gauge_of(*entries).tokens == pytest.approx(1.3 * plain, rel=0.1)
    other = checkpoint_of(log_of(*entries, ModelChosen("other")))
    assert (checkpoint.calibrations, other.ratio, other.calibrations) == (4, 1.0, 0)


def test_a_calibrated_ratio_makes_a_cut_prompt_easier_to_see() -> None:
    seen: list[Entry] = [user("a"), replied("b", 1_000, estimated=1_000)] * 3
    doubtful = replied("b", 1_200, estimated=2_000)
    assert checkpoint_of(log_of(user("a"), doubtful)).anchor is not None
    checkpoint = checkpoint_of(log_of(*seen, user("a"), doubtful))
    assert checkpoint.anchor is not None
    assert checkpoint.anchor.tokens == 1_010


def test_tools_that_appear_after_the_report_are_seen() -> None:
    entries: list[Entry] = [user("a"), replied("b", 1_000, estimated=context_at_end(log_of(user("a"))).tokens)]
    assert not gauge_of(*entries).estimated
    tools = (ToolSpec("read_file", "Read a file. " * 100, "{}"),)
    more = gauge_of(*entries, surroundings=replace(HERE, tools=tools))
    assert more.estimated
    assert more.tokens > 1_200
    next_day = gauge_of(*entries, surroundings=replace(HERE, date="2031-02-04"))
    assert next_day == gauge_of(*entries)


def test_the_gauge_is_never_zero() -> None:
    assert gauge_of(surroundings=Surroundings(system_prompt="")).tokens > 0
    assert gauge_of().tokens > 0


# ── the other measures ───────────────────────────────────────────────────────


def test_characters_and_messages_leave_the_system_message_out() -> None:
    context, checkpoint = state(*alternating(11))
    gauge = measure(context, checkpoint, WIDE)
    assert gauge.messages == 11
    assert gauge.characters == sum(characters(message) for message in context.messages[1:])


def test_characters_are_those_of_compact_json_with_non_ascii_kept() -> None:
    assert gauge_of(user("记住")).characters == len('{"role":"user","content":"记住"}')
    assert gauge_of(user('a"\n')).characters == len('{"role":"user","content":"a\\"\\n"}')


def test_parts_say_where_the_tokens_are_and_sum_to_them() -> None:
    tools = (ToolSpec("read_file", "Read a file. " * 20, "{}"),)
    entries: list[Entry] = [*alternating(6), Pinned("port is 8081 " * 10), compacted(4, "SUM " * 50)]
    for gauge in (
        gauge_of(*entries, surroundings=replace(HERE, tools=tools)),
        gauge_of(*entries, replied("ok", 3_000), user("more"), surroundings=replace(HERE, tools=tools)),
    ):
        parts = gauge.parts
        assert min(parts.system, parts.tools, parts.summary, parts.pins, parts.tail) > 0
        assert parts.system + parts.tools + parts.summary + parts.pins + parts.tail + parts.unsent == gauge.tokens


def test_the_instructions_file_counts_with_the_system_prompt() -> None:
    plain = gauge_of(user("a")).parts
    instructed = gauge_of(user("a"), surroundings=replace(HERE, instructions=LONG)).parts
    assert instructed.system > plain.system + 3_000
    assert (instructed.summary, instructed.pins) == (0, 0)


def test_a_pin_takes_the_same_whatever_else_stands_in_the_block() -> None:
    pin = Pinned("the port is 8081")
    alone = gauge_of(*alternating(6), pin).parts.pins
    second = gauge_of(*alternating(6), pin, Pinned("never push to main")).parts.pins
    beside_a_summary = gauge_of(*alternating(6), pin, compacted(4, "SUM " * 50)).parts.pins
    assert 0 < alone < second
    assert alone == pytest.approx(beside_a_summary, abs=1)
    assert alone < 15


def test_compactions_and_the_time_of_the_last_follow_the_live_chain() -> None:
    entries: list[Entry] = [*alternating(4), compacted(2, "A"), *alternating(2), compacted(4, "B", previous=5)]
    gauge = gauge_of(*entries)
    assert (gauge.compactions, gauge.last_compacted) == (2, log_of(*entries)[-1].at)
    undone = gauge_of(*entries, CompactionUndone(8))
    assert (undone.compactions, undone.last_compacted) == (1, log_of(*entries)[4].at)


# ── triggers ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("limits", "trigger"),
    [
        (Limits(window=8192), 6553),
        (Limits(window=8192, reserve=1024), 6553),
        (Limits(window=8192, reserve=4096), 4096),
        (Limits(window=2048, reserve=4096), 1),
        (Limits(window=None), int(0.8 * ASSUMED_WINDOW)),
        (Limits(window=8192, threshold=None), None),
        (Limits(window=None, threshold=None), None),
        (Limits(window=None, max_messages=80), None),
    ],
)
def test_where_compaction_is_due(limits: Limits, trigger: int | None) -> None:
    assert gauge_of(user("a"), limits=limits).trigger_tokens == trigger


@pytest.mark.parametrize(
    ("limits", "window"),
    [
        (Limits(), ASSUMED_WINDOW),
        (Limits(max_characters=4_000), None),
        (Limits(max_messages=80), None),
        (Limits(threshold=None), None),
        (Limits(threshold=None, max_messages=80), None),
        (Limits(window=1_000, max_messages=80), 1_000),
        (Limits(window=1_000, threshold=None), 1_000),
    ],
)
def test_the_window_is_assumed_when_it_is_unknown_and_no_other_limit_is_set(limits: Limits, window: int | None) -> None:
    assert limits.counted_window() == window


def test_an_unknown_window_is_assumed_and_said_to_be_only_when_nothing_else_triggers() -> None:
    assumed = gauge_of(user("a"), limits=Limits())
    assert (assumed.window, assumed.window_source) == (ASSUMED_WINDOW, "assumed")
    unknown = gauge_of(user("a"), limits=Limits(threshold=None, max_characters=4000))
    assert (unknown.window, unknown.window_source, unknown.share) == (None, "unknown", None)
    known = gauge_of(user("a"), limits=Limits(window=8192, window_source="setting"))
    assert (known.window, known.window_source) == (8192, "setting")


def plain_gauge(tokens: int = 10, characters: int = 10, messages: int = 1, trigger: int | None = None) -> Gauge:
    return Gauge(tokens, characters, messages, window=None, trigger_tokens=trigger, parts=GaugeParts())


@pytest.mark.parametrize(
    ("gauge", "limits", "expected"),
    [
        (plain_gauge(tokens=6553, trigger=6553), Limits(window=8192), None),
        (plain_gauge(tokens=6554, trigger=6553), Limits(window=8192), "window"),
        (plain_gauge(characters=600), Limits(threshold=None, max_characters=600), None),
        (plain_gauge(characters=601), Limits(threshold=None, max_characters=600), "characters"),
        (plain_gauge(messages=80), Limits(threshold=None, max_messages=80), None),
        (plain_gauge(messages=81), Limits(threshold=None, max_messages=80), "messages"),
        (plain_gauge(tokens=4097), Limits(window=4096, threshold=None, max_messages=80), "overflow"),
        (plain_gauge(tokens=4000), Limits(window=4096, threshold=None, reserve=200), "overflow"),
        (plain_gauge(tokens=3000), Limits(window=4096, threshold=None, reserve=200), None),
        (plain_gauge(tokens=10**6), Limits(threshold=None), None),
    ],
)
def test_only_more_than_a_limit_exceeds_it(gauge: Gauge, limits: Limits, expected: Trigger | None) -> None:
    assert exceeded(gauge, limits) == expected


def test_the_share_is_that_of_the_nearest_trigger() -> None:
    limits = Limits(window=100_000, max_characters=1_000, max_messages=4)
    gauge = gauge_of(*alternating(3), limits=limits)
    assert (gauge.trigger_name, gauge.trigger_share) == ("messages", 0.75)
    assert gauge_of(user("a"), limits=Limits(threshold=None)).trigger_share is None


def test_each_trigger_records_its_own_limit() -> None:
    limits = Limits(window=8192, max_characters=4000, max_messages=80)
    assert [limit_of(each, limits) for each in ("window", "characters", "messages", "manual")] == [6553, 4000, 80, 6553]
    assert limit_of("overflow", Limits(window=4096, threshold=None, reserve=96)) == 4000


# ── unsent text ──────────────────────────────────────────────────────────────


def test_unsent_text_counts_and_makes_the_gauge_an_estimate() -> None:
    weight = weigh(*state(user("hello"), replied("hi", 1200, 30)), WIDE)
    assert measure_weight(weight) == weight.gauge
    typed = measure_weight(weight, 100, 400)
    assert (typed.tokens, typed.parts.unsent, typed.estimated) == (1330, 100, True)
    assert typed.characters == weight.gauge.characters + 400
    assert typed.trigger_share is not None
    assert typed.trigger_share == 1330 / 80_000


def test_an_answer_that_is_arriving_counts_with_the_tail() -> None:
    log = log_of(*alternating(4))
    weight = replace(weigh(context_at_end(log), checkpoint_of(log), WIDE), ratio=2.0)
    before, after = weight.gauge, measure_weight(weight, 5, 20, arriving_tokens=50, arriving_characters=200)
    assert after.tokens == before.tokens + 110
    assert after.characters == before.characters + 220
    assert (after.parts.tail, after.parts.unsent) == (before.parts.tail + 100, 10)
    assert after.estimated


def test_measuring_at_each_keystroke_does_not_depend_on_the_length_of_the_context() -> None:
    weight = weigh(*state(*alternating(5_000)), WIDE)
    started = time.perf_counter()
    for tokens in range(1_000):
        measure_weight(weight, tokens, tokens)
    assert time.perf_counter() - started < 0.5


# ── what compacting would free ───────────────────────────────────────────────


def test_what_a_compaction_would_free_is_most_of_the_old_messages() -> None:
    gauge = gauge_of(*long_turns(4), *alternating(6))
    assert 0.7 * gauge.tokens < gauge.freed < gauge.tokens
    assert gauge_of(*alternating(6)).freed == 0
    assert gauge_of().freed == 0


def test_what_is_freed_is_what_a_compaction_by_hand_frees_however_many_an_automatic_one_keeps() -> None:
    many = replace(WIDE, keep_recent=24)
    assert gauge_of(*long_turns(4), *alternating(6), limits=many).freed > 0


def test_a_few_short_messages_free_less_than_the_block_round_their_summary_takes() -> None:
    assert gauge_of(*alternating(8)).freed == 0


def test_what_it_would_free_does_not_split_calls_from_their_results() -> None:
    entries: list[Entry] = [user("go"), calls("a", "b", "c"), *[result(each, LONG) for each in "abc"]]
    assert gauge_of(*entries, limits=replace(WIDE, keep_recent=2)).freed < 100


def test_keeping_nothing_frees_the_whole_tail() -> None:
    assert gauge_of(*long_turns(2), limits=replace(WIDE, keep_recent=0)).freed > 10_000


def test_choosing_the_same_model_again_changes_nothing() -> None:
    once = checkpoint_of(log_of(ModelChosen("m", "http://x"), user("a"), answer("b")))
    again = checkpoint_of(log_of(ModelChosen("m", "http://x"), ModelChosen("m", "http://x"), user("a"), answer("b")))
    assert (once.model, once.endpoint, once.ratio) == (again.model, again.endpoint, again.ratio)
