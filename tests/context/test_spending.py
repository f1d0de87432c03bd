import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.logs import answer, compacted, log_of, user
from tui_agent.context.checkpoint import checkpoint_from_json, checkpoint_of, checkpoint_to_json
from tui_agent.context.spending import (
    BUDGET_LINES,
    UNSPENT,
    ModelSpent,
    Spending,
    Spent,
    line_crossed,
    turns_of,
)
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, ForkedFrom, Noticed, Rewound, Usage


def billed(prompt: int, completion: int, cached: int = 0, model: str = "m") -> AssistantSaid:
    return AssistantSaid("ok", usage=Usage(prompt, completion, cached), model=model)


def summary(prompt: int, completion: int, model: str = "m") -> Compacted:
    return compacted(1, "S", model=model, usage=Usage(prompt, completion))


def test_answers_and_summaries_are_counted_apart() -> None:
    spending = checkpoint_of(
        log_of(user("q"), billed(100, 10, 60), user("q"), summary(500, 50), billed(120, 20))
    ).spending
    assert spending.answers == Spent(2, 220, 30, 60)
    assert spending.summaries == Spent(1, 500, 50)
    assert spending.total == 800


def test_what_was_asked_before_the_first_message_belongs_to_no_turn() -> None:
    log = log_of(Noticed("hi"), summary(10, 1), user("q"), billed(1, 1))
    assert turns_of(log) == ((3, Spent(1, 1, 1)),)


def test_a_turn_begins_with_its_message_and_holds_every_request_until_the_next() -> None:
    log = log_of(user("q"), billed(1, 1), billed(2, 2), summary(10, 1), user("q"), billed(3, 3))
    assert turns_of(log) == ((1, Spent(3, 13, 4)), (5, Spent(1, 3, 3)))
    assert checkpoint_of(log).spending.turn == Spent(1, 3, 3)


def test_models_are_counted_apart() -> None:
    spending = checkpoint_of(
        log_of(billed(1, 1, model="a"), billed(2, 2, model="b"), summary(4, 4, model="a"))
    ).spending
    assert spending.models == (
        ModelSpent("a", Spent(1, 1, 1), Spent(1, 4, 4)),
        ModelSpent("b", Spent(1, 2, 2)),
    )


def test_a_request_whose_size_nobody_told_is_counted_but_not_guessed() -> None:
    assert checkpoint_of(log_of(user("q"), answer("ok"))).spending.answers == Spent(requests=1, unreported=1)


def test_an_extract_made_without_a_model_costs_nothing() -> None:
    assert checkpoint_of(log_of(user("q"), compacted(1, "S"))).spending == UNSPENT


def test_what_was_rewound_was_paid_for() -> None:
    assert checkpoint_of(log_of(user("q"), billed(10, 5), Rewound(0))).spending.total == 15


def test_a_fork_begins_with_nothing_spent() -> None:
    assert checkpoint_of(log_of(user("q"), billed(10, 5), ForkedFrom("other", 2), billed(1, 1))).spending.total == 2


@pytest.mark.parametrize(
    ("total", "warned", "line"),
    [
        (799, 0, None),
        (800, 0, 0.8),
        (900, 800, None),
        (1000, 800, 1.0),
        (1000, 0, 1.0),
        (5000, 1000, None),
        (5000, 900, 1.0),
    ],
)
def test_each_line_of_the_budget_is_crossed_once(total: int, warned: int, line: float | None) -> None:
    assert line_crossed(Spending((ModelSpent("m", Spent(1, total)),), warned=warned), 1000) == line


def test_without_a_budget_no_line_is_crossed() -> None:
    assert line_crossed(Spending((ModelSpent("m", Spent(1, 10**9)),)), None) is None


@given(st.lists(st.integers(0, 400), max_size=40), st.integers(1, 2000))
def test_whatever_answers_cost_the_user_is_warned_at_most_once_a_line(costs: list[int], budget: int) -> None:
    log: list[Entry] = []
    warnings = 0
    for cost in costs:
        log.append(billed(cost, 0))
        if line_crossed(checkpoint_of(log_of(*log)).spending, budget) is not None:
            warnings += 1
            log.append(Noticed("", "warning budget"))
    total = sum(costs)
    assert warnings <= len(BUDGET_LINES)
    assert (warnings > 0) == (total > 0 and total >= 0.8 * budget)


def test_the_checkpoint_keeps_what_was_spent() -> None:
    log = log_of(user("q"), billed(100, 10, 60), summary(500, 50), Noticed("", "warning budget"), billed(7, 1))
    checkpoint = checkpoint_of(log)
    assert checkpoint.spending == checkpoint_of(log).spending
    assert checkpoint_from_json(checkpoint_to_json(checkpoint)) == checkpoint
    assert checkpoint_of(log[3:], checkpoint_of(log[:3])) == checkpoint
