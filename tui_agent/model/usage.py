"""What an endpoint says a request took, wherever it says it, as far as it can be believed."""

from typing import Any

from tui_agent.core.entries import Usage


def usage_of(chunk: dict[str, Any], choice: dict[str, Any] | None) -> Usage | None:
    """What a chunk says about tokens, wherever it says it; None when it says nothing believable."""
    nested = chunk.get("x_groq")
    for holder in (chunk, choice, nested):
        told = holder.get("usage") if isinstance(holder, dict) else None
        if isinstance(told, dict):
            return _usage(told)
    return None


def _usage(told: dict[str, Any]) -> Usage | None:
    prompt = _first(told, "prompt_tokens", "input_tokens")
    if not prompt:
        return None
    cached = _inner(told, "prompt_tokens_details", "cached_tokens")
    cached = cached or _first(told, "prompt_cache_hit_tokens", "cache_read_input_tokens")
    if cached > prompt:  # counted apart: only then can more be cached than was sent
        prompt += cached + _count(told.get("cache_creation_input_tokens"))
    return Usage(
        prompt=prompt,
        completion=_first(told, "completion_tokens", "output_tokens"),
        cached=cached,
        reasoning=_inner(told, "completion_tokens_details", "reasoning_tokens"),
    )


def _first(told: dict[str, Any], *names: str) -> int:
    return next((count for count in (_count(told.get(name)) for name in names) if count), 0)


def _inner(told: dict[str, Any], holder: str, name: str) -> int:
    details = told.get(holder)
    return _count(details.get(name)) if isinstance(details, dict) else 0


_MOST_TOKENS = 10**9


def _count(value: object) -> int:
    """A number of tokens; 0 for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= _MOST_TOKENS and value == int(value) else 0
