from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tui_agent.core.events import Gauge
from tui_agent.ui.plain import use_plain
from tui_agent.ui.screens.preview_lines import figures
from tui_agent.ui.widgets.gauge import (
    FREE,
    FULL,
    TICK,
    TICK_PASSED,
    bar,
    compact_number,
    in_words,
    roughly,
    state_word,
    tokens_text,
)


def gauge(tokens: int, window: int | None = 8192, trigger: int | None = 6553, share: float | None = None) -> Gauge:
    share = tokens / trigger if share is None and trigger else share
    return Gauge(tokens, 100, 3, window, trigger_tokens=trigger, trigger_share=share)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (950, "950"), (5123, "5.1k"), (8192, "8.2k"), (62_000, "62.0k"), (128_000, "128k"), (1_048_576, "1.0M")],
)
def test_numbers_are_short(number: int, text: str) -> None:
    assert compact_number(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (7, "7"), (94, "90"), (950, "1k"), (1_480, "1.5k"), (2_740, "2.5k"), (4_180, "4k"), (38_700, "40k")],
)
def test_what_is_guessed_is_told_in_few_digits(number: int, text: str) -> None:
    assert roughly(number) == text


def test_an_estimate_is_marked_and_an_unknown_window_is_a_question() -> None:
    assert tokens_text(gauge(5123)) == "~5.1k/8.2k"
    assert tokens_text(Gauge(5123, 1, 1, 8192, estimated=False)) == "5.1k/8.2k"
    assert tokens_text(gauge(5123, window=None, trigger=None)) == "~5.1k/?"
    assert tokens_text(replace(gauge(5123), window_source="assumed")) == "~5.1k/8.2k?"


def test_the_tick_stands_at_the_trigger_and_changes_its_shape_when_passed() -> None:
    assert bar(gauge(4096), 10) == FULL * 5 + FREE * 3 + TICK + FREE
    assert bar(gauge(8000), 10) == FULL * 8 + TICK_PASSED + FULL


def test_the_bar_of_a_session_with_anything_in_it_is_never_empty() -> None:
    assert bar(gauge(1), 10)[0] == FULL
    assert FULL not in bar(gauge(0), 10)


def test_without_a_window_the_nearest_trigger_is_the_whole_bar() -> None:
    assert bar(gauge(100, window=None, trigger=None, share=0.5), 10) == FULL * 5 + FREE * 5


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (4096, " 50% ~4.1k tokens"),
        (8400, " needs 1.03 times the window · ~8.4k"),
        (20480, " needs 2.5 times the window ·"),
    ],
)
def test_the_preview_says_plainly_how_much_of_the_window_is_needed(tokens: int, words: str) -> None:
    use_plain(False)  # whatever a test before left
    assert words in figures(gauge(tokens), None, None, 0, "").plain


@pytest.mark.parametrize(("tokens", "word"), [(100, ""), (6000, "near"), (6553, "near"), (6554, "due"), (9000, "over")])
def test_the_state_is_a_word(tokens: int, word: str) -> None:
    assert state_word(gauge(tokens)) == word


def test_a_compaction_that_waits_is_not_only_due() -> None:
    assert state_word(replace(gauge(6554), paused=True)) == "paused"
    assert "compaction is paused" in in_words(replace(gauge(6554), paused=True))
    assert state_word(replace(gauge(9000), paused=True)) == "over"


@given(
    tokens=some.integers(0, 10**7),
    window=some.none() | some.integers(1, 10**6),
    trigger=some.none() | some.integers(0, 10**6),
    width=some.integers(0, 200),
)
def test_the_bar_is_always_as_wide_as_asked(tokens: int, window: int | None, trigger: int | None, width: int) -> None:
    assert len(bar(gauge(tokens, window, trigger), width)) == width
    assert len(compact_number(tokens)) <= 5
