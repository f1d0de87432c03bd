from pathlib import Path

import pytest

from tests.fakes.desk import compact, desk, entries_in, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tui_agent.agent.spending import (
    known_prices,
    price,
    remember_prices,
    spending_in_words,
    spending_to_json,
    total_price,
)
from tui_agent.context.spending import ModelSpent, Spending, Spent
from tui_agent.core.entries import Noticed
from tui_agent.model.listing import ModelInfo

NOTHING = Spent()


def costing(prompt: int, completion: int, cached: int = 0) -> Scripted:
    details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
    return says("ok", usage={"prompt_tokens": prompt, "completion_tokens": completion, **details})


async def test_two_lines_crossed_by_one_answer_are_one_warning(tmp_path: Path) -> None:
    with ModelServer(*[costing(240, 10) for _ in range(6)]) as server:
        async with desk(server, tmp_path, budget=1000) as at:
            warned = [len(entries_in(await at.say(f"message {place}"), Noticed)) for place in range(6)]
            assert warned == [0, 0, 0, 1, 0, 0]


async def test_a_warning_says_how_much_is_used_and_the_next_one_comes_at_the_end(tmp_path: Path) -> None:
    with ModelServer(costing(850, 10), costing(130, 10), costing(100, 1)) as server:
        async with desk(server, tmp_path, budget=1000) as at:
            (first,) = entries_in(await at.say("one"), Noticed)
            assert "860 of the 1,000 tokens" in first.text
            assert "86%" in first.text
            (second,) = entries_in(await at.say("two"), Noticed)
            assert "1,000 of the 1,000 tokens" in second.text
            await at.reopen()
            assert entries_in(await at.say("three"), Noticed) == []


async def test_a_budget_set_later_warns_at_the_next_answer(tmp_path: Path) -> None:
    with ModelServer(costing(5000, 10), costing(10, 10)) as server:
        async with desk(server, tmp_path) as at:
            assert entries_in(await at.say("one"), Noticed) == []
            at.services.change_settings(budget=1000)
            assert len(entries_in(await at.say("two"), Noticed)) == 1


async def test_a_compactions_own_cost_stands_apart_and_outlives_the_tail(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "the port is 8081", "b", "c", "d")
            server.script(says("- the port is 8081", usage={"prompt_tokens": 700, "completion_tokens": 30}))
            await compact(at, keep=2)
            spending = at.session.checkpoint.spending
            assert spending.summaries == Spent(1, 700, 30)
            assert spending.answers.requests == 4
            await at.reopen()
            assert at.session.checkpoint.spending == spending


async def test_prices_that_were_listed_once_are_remembered(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            archive = at.services.archive
            assert await known_prices(archive) == {}
            await remember_prices(archive, [ModelInfo("a", input_price=3.0, output_price=15.0), ModelInfo("b")])
            await remember_prices(archive, [ModelInfo("c", input_price=0.0, output_price=0.0)])
            assert await known_prices(archive) == {"a": (3.0, 15.0), "c": (0.0, 0.0)}


def test_a_price_is_dollars_for_tokens_in_and_out() -> None:
    assert price(Spent(2, 1_000_000, 100_000), "a", {"a": (3.0, 15.0)}) == pytest.approx(4.5)
    assert price(Spent(2, 1_000_000, 100_000), "b", {"a": (3.0, 15.0)}) is None


def test_a_total_is_given_only_when_every_models_price_is_known() -> None:
    spending = Spending((ModelSpent("a", Spent(1, 1_000_000)), ModelSpent("b", NOTHING, Spent(1, 0, 1_000_000))))
    assert total_price(spending, {"a": (1.0, 2.0)}) is None
    assert total_price(spending, {"a": (1.0, 2.0), "b": (1.0, 2.0)}) == pytest.approx(3.0)
    assert total_price(Spending(), {}) is None


def test_the_spending_in_words_and_as_json() -> None:
    spending = Spending((ModelSpent("a", Spent(2, 1000, 200, 300, 1), Spent(1, 500, 50)),))
    words = spending_in_words(spending, 3500, {"a": (1.0, 2.0)})
    assert words == (
        "1,200 tokens (1,000 in, 300 of them cached, 200 out), 550 more for summaries, 1 request of unknown size, "
        "at most $0.0020, 50% of the budget of 3,500"
    )
    told = spending_to_json(spending, 3500, {})
    assert told["total"] == 1750
    assert told["answers"]["cached"] == 300
    assert told["summaries"]["total"] == 550
    assert told["price"] is None
    assert told["budget_share"] == 0.5
