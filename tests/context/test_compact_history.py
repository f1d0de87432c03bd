"""The bare skeleton of compaction, to the letter of its contract."""

import subprocess
import sys
from typing import Any

import pytest

from tui_agent.context import compact_history

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "one two three four"},
    {"role": "assistant", "content": "reply a"},
    {"role": "user", "content": "five six seven"},
    {"role": "assistant", "content": "reply b"},
]


def words(message: dict[str, Any]) -> int:
    return len(message["content"].split())


def summary(old: list[dict[str, Any]]) -> str:
    return f"earlier conversation ({len(old)} messages)"


def never(old: list[dict[str, Any]]) -> str:
    raise AssertionError(f"summarised {old}")


def test_the_middle_becomes_one_summary_between_system_message_and_recent_window() -> None:
    before = [dict(message) for message in MESSAGES]
    compacted = compact_history(MESSAGES, summary, words, token_budget=12, keep_recent=2)
    assert compacted == [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "system", "content": "earlier conversation (2 messages)"},
        {"role": "user", "content": "five six seven"},
        {"role": "assistant", "content": "reply b"},
    ]
    assert compacted[0] is MESSAGES[0]
    assert compacted[-1] is MESSAGES[-1]
    assert before == MESSAGES


@pytest.mark.parametrize("budget", [16, 17, 100])
def test_what_fits_comes_back_as_the_same_object_and_only_more_than_the_budget_is_too_much(budget: int) -> None:
    assert compact_history(MESSAGES, never, words, token_budget=budget) is MESSAGES


def test_one_token_over_the_budget_is_compacted() -> None:
    assert compact_history(MESSAGES, summary, words, token_budget=15) is not MESSAGES


@pytest.mark.parametrize("keep", [4, 5, 100])
def test_nothing_old_comes_back_as_the_same_object(keep: int) -> None:
    assert compact_history(MESSAGES, never, words, token_budget=0, keep_recent=keep) is MESSAGES


def test_keeping_nothing_summarises_everything_after_the_system_message() -> None:
    compacted = compact_history(MESSAGES, summary, words, token_budget=0, keep_recent=0)
    assert compacted == [MESSAGES[0], {"role": "system", "content": "earlier conversation (4 messages)"}]


def test_without_a_system_message_the_summary_comes_first() -> None:
    compacted = compact_history(MESSAGES[1:], summary, words, token_budget=0, keep_recent=1)
    assert compacted == [{"role": "system", "content": "earlier conversation (3 messages)"}, MESSAGES[-1]]


def test_a_system_message_later_in_the_list_is_body() -> None:
    messages = [MESSAGES[1], MESSAGES[0], MESSAGES[2]]
    compacted = compact_history(messages, summary, words, token_budget=0, keep_recent=1)
    assert compacted == [{"role": "system", "content": "earlier conversation (2 messages)"}, MESSAGES[2]]


@pytest.mark.parametrize("keep", [0, 2])
def test_an_empty_list_and_a_lone_system_message_come_back(keep: int) -> None:
    empty: list[dict[str, Any]] = []
    alone = MESSAGES[:1]
    assert compact_history(empty, never, words, token_budget=-1, keep_recent=keep) is empty
    assert compact_history(alone, never, words, token_budget=0, keep_recent=keep) is alone


def test_two_messages_stay_unless_told_otherwise() -> None:
    assert compact_history(MESSAGES, summary, words, 0)[2:] == MESSAGES[3:]


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_recent"):
        compact_history(MESSAGES, summary, words, token_budget=0, keep_recent=-1)


def test_importing_it_imports_nothing_else() -> None:
    program = (
        "import sys; from tui_agent.context import compact_history as f; import tui_agent.context.compact_history;"
        "from tui_agent.context import compact_history as g; assert callable(f) and f is g;"
        "print(sorted(m for m in sys.modules if m.startswith('tui_agent.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tui_agent.context', 'tui_agent.context.compact_history']"
