"""Reads lists of models, and the window that an endpoint tells in one of many places."""

from collections.abc import Iterator, Mapping
from typing import Any

from tui_agent.core.unicode import repaired
from tui_agent.values import frozen

ALLOCATED_FIELDS = ("n_ctx", "loaded_context_length", "max_model_len")
"""What a server runs a model with."""

POSSIBLE_FIELDS = (
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "inputTokenLimit",
    "input_token_limit",
    "max_context_window_tokens",
    "max_prompt_tokens",
)
"""What a model or a hosted endpoint accepts at most."""

TRAINED_FIELDS = ("n_ctx_train", "max_position_embeddings")
"""What a model was trained with: a server may run it with far less."""

_NESTED = ("meta", "top_provider", "model_info", "limits", "limit", "capabilities", "details")
_LARGEST = 100_000_000


@frozen
class ModelInfo:
    """One model that an endpoint lists."""

    id: str
    window: int | None = None
    """Tokens; None when the list does not say."""

    window_source: str = "unknown"
    trained: int | None = None
    """The window the model was trained with, where that is all that is said."""

    input_price: float | None = None
    """Dollars for a million tokens; None when the list does not say."""

    output_price: float | None = None


def listed(answer: Any) -> list[ModelInfo]:
    """The models in the answer to `/models`, in its order, each once."""
    models: dict[str, ModelInfo] = {}
    for entry in entries_of(answer):
        info = read_entry(entry)
        if info is not None:
            models.setdefault(info.id, info)
    return list(models.values())


def entries_of(answer: Any) -> Iterator[Mapping[str, Any]]:
    """The entries of a list of models in any of its usual wrappings."""
    holder = answer
    if isinstance(answer, dict):
        holder = next((answer[key] for key in ("data", "models") if isinstance(answer.get(key), list)), [])
    if isinstance(holder, list):
        yield from (each for each in holder if isinstance(each, dict))


def read_entry(entry: Mapping[str, Any]) -> ModelInfo | None:
    """One entry; None when it names no model."""
    name = next((entry[key] for key in ("id", "name", "model", "key") if isinstance(entry.get(key), str)), "")
    if not name.strip():
        return None
    holders = [entry, *(entry[key] for key in _NESTED if isinstance(entry.get(key), dict))]
    window, source = _window(holders)
    pricing = entry.get("pricing")
    prices = pricing if isinstance(pricing, dict) else {}
    return ModelInfo(
        id=repaired(name.strip()),
        window=window,
        window_source=source,
        trained=_least(holders, TRAINED_FIELDS),
        input_price=_price(prices.get("prompt")),
        output_price=_price(prices.get("completion")),
    )


def next_page(answer: Any) -> str:
    """Where a list goes on, as the endpoint writes it; "" when this was all."""
    links = answer.get("links") if isinstance(answer, dict) else None
    link = links.get("next") if isinstance(links, dict) else None
    return link if isinstance(link, str) else ""


def _price(told: Any) -> float | None:
    """Dollars for a million tokens, from dollars for one."""
    try:
        price = float(told) * 1_000_000
    except (TypeError, ValueError):
        return None
    return round(price, 6) if 0 <= price < 1e9 else None


def tokens_in(value: Any) -> int | None:
    """A window in tokens; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 < value <= _LARGEST else None


def _window(holders: list[Mapping[str, Any]]) -> tuple[int | None, str]:
    allocated = _least(holders, ALLOCATED_FIELDS)
    if allocated is not None:
        return allocated, "endpoint"
    possible = _least(holders, POSSIBLE_FIELDS)
    return (possible, "endpoint") if possible is not None else (None, "unknown")


def _least(holders: list[Mapping[str, Any]], fields: tuple[str, ...]) -> int | None:
    told = [tokens_in(holder.get(field)) for holder in holders for field in fields]
    return min((tokens for tokens in told if tokens is not None), default=None)
