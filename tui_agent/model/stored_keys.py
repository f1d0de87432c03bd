"""Keys in the system's keyring, by the endpoint they belong to. Works when the extra `keyring` is installed."""

import asyncio
import importlib
from importlib.util import find_spec
from typing import Any

from tui_agent.errors import AuthFailed
from tui_agent.language import _

_SERVICE = "tui-agent"
_SECONDS = 10.0
"""A locked keyring may ask its owner for a password first."""


_RECOMMENDED = 1
"""The priority from which the package itself recommends a keyring; those below are files, or keep nothing."""


def has_keyring() -> bool:
    """Whether the extra is installed. Looks, but imports nothing."""
    return find_spec("keyring") is not None


async def usable_keyring() -> str:
    """The name of the keyring that keys are kept in; "" when there is none, or none that is safe to keep one in."""
    if not has_keyring():
        return ""
    try:
        return await asyncio.wait_for(asyncio.to_thread(_recommended), _SECONDS)
    except TimeoutError:
        return ""


async def stored_key(origin: str) -> str:
    """The key kept for an endpoint (scheme, host and port); "" when there is none or the keyring does not answer."""
    if not has_keyring():
        return ""
    try:
        return await asyncio.wait_for(asyncio.to_thread(_get, origin), _SECONDS)
    except TimeoutError:
        return ""


async def store_key(origin: str, key: str) -> None:
    """Keep a key for an endpoint; an empty one forgets it.

    Raises:
        AuthFailed: there is no keyring, or it refused; the text says what to do instead.
    """
    if not has_keyring():
        raise _not_kept(_("The package keyring is not installed."))
    try:
        await asyncio.wait_for(asyncio.to_thread(_set, origin, key), _SECONDS)
    except TimeoutError:
        raise _not_kept(_("The keyring did not answer; it may be locked.")) from None


def _recommended() -> str:
    keyring = _keyring()
    try:
        backend = keyring.get_keyring()
        return str(backend.name) if backend.priority >= _RECOMMENDED else ""
    except (keyring.errors.KeyringError, RuntimeError):  # some backends find out only here that they cannot work
        return ""


def _get(origin: str) -> str:
    keyring = _keyring()
    try:
        return str(keyring.get_password(_SERVICE, origin) or "")
    except keyring.errors.KeyringError:
        return ""


def _set(origin: str, key: str) -> None:
    keyring = _keyring()
    try:
        if key:
            keyring.set_password(_SERVICE, origin, key)
        elif keyring.get_password(_SERVICE, origin) is not None:
            keyring.delete_password(_SERVICE, origin)
    except keyring.errors.KeyringError as error:
        raise _not_kept(_("The keyring refused: {error}.").format(error=error)) from None


def _keyring() -> Any:
    importlib.import_module("keyring.errors")
    return importlib.import_module("keyring")


def _not_kept(why: str) -> AuthFailed:
    return AuthFailed(_("The key was not kept."), why, _("Set it in OPENAI_API_KEY or TUI_AGENT_API_KEY instead."))
