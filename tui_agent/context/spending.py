"""What a session has used up, counted from its log: tokens as endpoints report them, summaries apart from answers."""

from collections.abc import Iterable
from dataclasses import replace

from tui_agent.core.entries import AssistantSaid, Compacted, Entry, ForkedFrom, Logged, Noticed, Usage, UserSaid
from tui_agent.core.readings import is_spoken
from tui_agent.values import frozen

BUDGET_LINES = (0.8, 1.0)
"""Shares of the budget at which the user is warned, once at each."""


@frozen
class Spent:
    """Requests and their tokens."""

    requests: int = 0
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    """The part of `prompt` that the endpoint had already read, and may charge less for."""

    unreported: int = 0
    """Requests whose endpoint did not say what they took; their tokens are in none of the sums."""

    @property
    def total(self) -> int:
        """Tokens in and out."""
        return self.prompt + self.completion

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.requests + other.requests,
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
            self.unreported + other.unreported,
        )


NOTHING = Spent()


@frozen
class ModelSpent:
    """What one model was asked for, since models differ in price."""

    model: str
    answers: Spent = NOTHING
    summaries: Spent = NOTHING


@frozen
class Spending:
    """What a session has used up so far. Rewound answers count: they were paid for."""

    models: tuple[ModelSpent, ...] = ()
    """In the order in which they were first asked."""

    turn: Spent = NOTHING
    """Since the newest user message, summaries included."""

    warned: int = 0
    """The total when the user was last warned of the budget; 0 when never."""

    @property
    def answers(self) -> Spent:
        return sum((each.answers for each in self.models), NOTHING)

    @property
    def summaries(self) -> Spent:
        """The cost of compaction."""
        return sum((each.summaries for each in self.models), NOTHING)

    @property
    def total(self) -> int:
        """Tokens of answers and summaries."""
        return self.answers.total + self.summaries.total


UNSPENT = Spending()


def spent_after(spending: Spending, entry: Entry) -> Spending:
    """The spending after one more entry; the same object when the entry costs nothing."""
    match entry:
        case UserSaid() if is_spoken(entry):
            return replace(spending, turn=NOTHING) if spending.turn != NOTHING else spending
        case AssistantSaid(usage=usage, model=model):
            return _added(spending, ModelSpent(model, answers=_spent(usage)))
        case Compacted(usage=usage, model=model) if model or usage is not None:
            return _added(spending, ModelSpent(model, summaries=_spent(usage)))
        case Noticed(kind="warning budget"):
            return replace(spending, warned=spending.total)
        case ForkedFrom():
            return UNSPENT
        case _:
            return spending


def turns_of(entries: Iterable[Logged]) -> tuple[tuple[int, Spent], ...]:
    """What each turn took: the sequence number of its user message, and the tokens of all its requests."""
    turns: dict[int, Spent] = {}
    newest, spending = 0, UNSPENT
    for logged in entries:
        newest = logged.seq if is_spoken(logged.entry) else newest
        spending = spent_after(spending, logged.entry)
        if newest:
            turns[newest] = spending.turn
    return tuple(turns.items())


def line_crossed(spending: Spending, budget: int | None) -> float | None:
    """The highest share of the budget that was reached and not yet warned of; None when there is none."""
    if not budget:
        return None
    crossed = [share for share in BUDGET_LINES if spending.warned < share * budget <= spending.total]
    return max(crossed, default=None)


def _spent(usage: Usage | None) -> Spent:
    if usage is None:
        return Spent(requests=1, unreported=1)
    return Spent(1, usage.prompt, usage.completion, usage.cached)


def _added(spending: Spending, new: ModelSpent) -> Spending:
    models = {each.model: each for each in spending.models}
    old = models.get(new.model, ModelSpent(new.model))
    models[new.model] = ModelSpent(new.model, old.answers + new.answers, old.summaries + new.summaries)
    return replace(spending, models=tuple(models.values()), turn=spending.turn + new.answers + new.summaries)
