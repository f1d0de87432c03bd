"""Keys never leave with an export: the values of those that are known are taken out of every text."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tui_agent.archive import SessionInfo
from tui_agent.core.codec import entry_from_json, entry_to_json
from tui_agent.core.entries import AssistantSaid, Logged, ModelChosen
from tui_agent.errors import ConfigInvalid
from tui_agent.model.endpoint import OPENAI_BASE_URL, Endpoint
from tui_agent.model.stored_keys import has_keyring, stored_keys
from tui_agent.settings import Settings

REMOVED = "[key removed]"

_SHORTEST = 8
"""Characters; shorter values are no keys, and taking them out would tear words apart."""

_PLACEHOLDERS = frozenset({"lm-studio", "not-needed", "no-key-required", "anything", "dummy-key", "placeholder"})
"""What people set as the key of a server that needs none: words that a session may well hold."""

_VARIABLES = ("OPENAI_API_KEY", "TUI_AGENT_API_KEY")


async def known_keys(settings: Settings, entries: Iterable[Logged], *connected: str) -> tuple[str, ...]:
    """The keys this program knows: from settings, environment and keyring, and of what is connected; longest first."""
    variables = (*_VARIABLES, *(endpoint.api_key_env for endpoint in settings.endpoints if endpoint.api_key_env))
    keys = {settings.api_key, *connected, *(os.environ.get(name, "") for name in variables)}
    if has_keyring():
        keys.update(await stored_keys(_origins(settings, entries)))
    secret = {key.strip() for key in keys} - _PLACEHOLDERS
    return tuple(sorted((key for key in secret if len(key) >= _SHORTEST), key=len, reverse=True))


def without_keys(
    info: SessionInfo, entries: Sequence[Logged], keys: Sequence[str]
) -> tuple[SessionInfo, tuple[Logged, ...]]:
    """The session with every known key replaced by `REMOVED`, wherever in it the key stands."""
    if not keys:
        return info, tuple(entries)
    named = replace(info, title=_cleaned(info.title, keys), preview=_cleaned(info.preview, keys))
    return named, tuple(_without(logged, keys) for logged in entries)


def _without(logged: Logged, keys: Sequence[str]) -> Logged:
    stored = entry_to_json(logged.entry)
    cleaned = _cleaned(stored, keys)
    return logged if cleaned == stored else replace(logged, entry=entry_from_json(cleaned))


def _cleaned(value: Any, keys: Sequence[str]) -> Any:
    match value:
        case str():
            for key in keys:
                value = value.replace(key, REMOVED)
            return value
        case dict():
            return {name: _cleaned(each, keys) for name, each in value.items()}
        case list():
            return [_cleaned(each, keys) for each in value]
        case _:
            return value


def _origins(settings: Settings, entries: Iterable[Logged]) -> set[str]:
    """Scheme, host and port of every endpoint that may have been given a key."""
    urls = {settings.base_url or OPENAI_BASE_URL, *(endpoint.base_url for endpoint in settings.endpoints)}
    urls |= {each.entry.endpoint for each in entries if isinstance(each.entry, AssistantSaid | ModelChosen)}
    origins: set[str] = set()
    for url in urls:
        with suppress(ConfigInvalid):  # an imported session may name anything as its endpoint
            origins.add(Endpoint(url).origin)
    return origins
