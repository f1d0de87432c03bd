"""What a session costs, in tokens and where prices are known in dollars, and the warning before a budget is used up."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from tui_agent.agent.session import Session
from tui_agent.archive import Archive
from tui_agent.context.spending import ModelSpent, Spending, Spent, line_crossed
from tui_agent.core.entries import Noticed
from tui_agent.core.events import Event
from tui_agent.errors import NotSaved
from tui_agent.language import _, ngettext
from tui_agent.model.listing import ModelInfo

_MILLION = 1_000_000

Prices = Mapping[str, tuple[float, float]]
"""By model: dollars for a million tokens in, and for a million tokens out."""

_PRICES = "prices"
"""Key under which the archive keeps the prices that endpoints have listed."""


async def warn_of_budget(session: Session, budget: int | None) -> list[Event]:
    """Tell the user, once at each of the budget's lines, how much of it is used up. To be called after each answer.

    Raises:
        NotSaved
    """
    share = line_crossed(session.checkpoint.spending, budget)
    if share is None or not budget:
        return []
    return await session.append(Noticed(_budget_warning(session.checkpoint.spending.total, budget), "warning budget"))


def _budget_warning(total: int, budget: int) -> str:
    """The warning in words."""
    used = _("This session has used {total:,} of the {budget:,} tokens of its budget ({share:.0%}).").format(
        total=total, budget=budget, share=total / budget
    )
    if total < budget:
        return _("{used} Compacting makes each further request smaller.").format(used=used)
    return _("{used} Nothing is stopped; raise `budget` in the settings, or begin a new session.").format(used=used)


def price(spent: Spent, model: str, prices: Prices) -> float | None:
    """What it costs in dollars; None when the model's price is not known.

    Cached tokens count in full: what an endpoint takes off for them is not listed, so this is the most it can be.
    """
    if model not in prices:
        return None
    price_in, price_out = prices[model]
    return (spent.prompt * price_in + spent.completion * price_out) / _MILLION


def total_price(spending: Spending, prices: Prices) -> float | None:
    """What a session costs in dollars at most; None when the price of a model that was asked is not known."""
    each = [price(one.answers + one.summaries, one.model, prices) for one in spending.models]
    known = [dollars for dollars in each if dollars is not None]
    return sum(known) if known and len(known) == len(each) else None


async def remember_prices(archive: Archive, listed: Iterable[ModelInfo]) -> None:
    """Keep the prices that an endpoint lists, so that sessions can be priced without asking it again."""
    told = {
        info.id: [info.input_price, info.output_price]
        for info in listed
        if info.input_price is not None and info.output_price is not None
    }
    if told:
        with suppress(NotSaved):  # a price is no reason for anything to fail
            await archive.revise(_PRICES, lambda known: {**(known or {}), **told})


async def known_prices(archive: Archive) -> Prices:
    """The prices that endpoints have listed so far."""
    stored = await archive.recall(_PRICES)
    return {model: (told[0], told[1]) for model, told in (stored or {}).items()}


# ── in words and as JSON ─────────────────────────────────────────────────────


def spending_to_json(spending: Spending, budget: int | None, prices: Prices) -> dict[str, Any]:
    """The spending as the command line prints it; prices are null where they are not known."""
    return {
        "total": spending.total,
        "answers": spent_to_json(spending.answers),
        "summaries": spent_to_json(spending.summaries),
        "turn": spent_to_json(spending.turn),
        "models": [_model_to_json(each, prices) for each in spending.models],
        "price": total_price(spending, prices),
        "budget": budget,
        "budget_share": round(spending.total / budget, 4) if budget else None,
    }


def spent_to_json(spent: Spent) -> dict[str, Any]:
    """Requests and tokens as the command line prints them."""
    return {
        "requests": spent.requests,
        "prompt": spent.prompt,
        "completion": spent.completion,
        "cached": spent.cached,
        "unreported": spent.unreported,
        "total": spent.total,
    }


def _model_to_json(each: ModelSpent, prices: Prices) -> dict[str, Any]:
    return {
        "model": each.model,
        "answers": spent_to_json(each.answers),
        "summaries": spent_to_json(each.summaries),
        "price": price(each.answers + each.summaries, each.model, prices),
    }


def spending_in_words(spending: Spending, budget: int | None, prices: Prices) -> str:
    """The spending in a line: `12,300 tokens (11,000 in, 300 of them cached, 1,300 out), summaries 2,000 more`."""
    answers, summaries = spending.answers, spending.summaries
    cached = _(", {cached:,} of them cached").format(cached=answers.cached) if answers.cached else ""
    parts = [
        _("{total:,} tokens ({prompt:,} in{cached}, {completion:,} out)").format(
            total=answers.total, prompt=answers.prompt, cached=cached, completion=answers.completion
        )
    ]
    if summaries.requests:
        parts.append(_("{total:,} more for summaries").format(total=summaries.total))
    if unreported := answers.unreported + summaries.unreported:
        parts.append(
            ngettext("{n} request of unknown size", "{n} requests of unknown size", unreported).format(n=unreported)
        )
    dollars = total_price(spending, prices)
    if dollars is not None:
        parts.append(_("at most ${dollars:,.4f}").format(dollars=dollars))
    if budget:
        parts.append(_("{share:.0%} of the budget of {budget:,}").format(share=spending.total / budget, budget=budget))
    return ", ".join(parts)
