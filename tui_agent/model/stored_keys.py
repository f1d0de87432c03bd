"""Keys in the system's keyring, by the endpoint they belong to. Works when the extra `keyring` is installed."""

import asyncio
import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from tui_agent.errors import AuthFailed
from tui_agent.language import _

_SERVICE = "tui-agent"
SECONDS = 10.0
"""How long a keyring has to answer: a locked one may ask its owner for a password first."""

_RECOMMENDED = 1
"""The priority from which the package itself recommends a keyring; those below are files, or keep nothing."""


def has_keyring() -> bool:
    """Whether the extra is installed. Looks, but imports nothing."""
    return find_spec("keyring") is not None


async def usable_keyring(seconds: float = SECONDS) -> str:
    """The name of the keyring that keys are kept in; "" when there is none, or none that is safe to keep one in."""
    if not has_keyring():
        return ""
    try:
        return await asyncio.wait_for(asyncio.to_thread(_recommended), seconds)
    except TimeoutError:
        return ""


async def stored_key(origin: str, seconds: float = SECONDS) -> str:
    """The key kept for an endpoint (scheme, host and port); "" when there is none or the keyring does not answer."""
    return next(iter(await stored_keys([origin], seconds)), "")


async def stored_keys(origins: Iterable[str], seconds: float = SECONDS) -> list[str]:
    """The keys kept for these endpoints, as far as the keyring tells them within `seconds` for all of them together."""
    found: list[str | None] = []
    if has_keyring():
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                for origin in origins:
                    with suppress(_Refused):
                        found.append(await asyncio.to_thread(_get, origin))
    return [key for key in found if key]


async def store_key(origin: str, key: str, seconds: float = SECONDS) -> None:
    """Keep a key for an endpoint.

    Raises:
        AuthFailed: there is no keyring, or it refused; the text says what to do instead.
    """
    if not has_keyring():
        raise _not_kept(_("The package keyring is not installed."))
    try:
        await asyncio.wait_for(asyncio.to_thread(_set, origin, key), seconds)
    except TimeoutError:
        raise _not_kept(_("The keyring did not answer; it may be locked.")) from None
    except _Refused as error:
        raise _not_kept(_("The keyring refused: {error}.").format(error=error)) from None


async def forget_stored_key(origin: str, seconds: float = SECONDS) -> bool:
    """Forget the key that is kept for an endpoint; whether there was one.

    Raises:
        AuthFailed: the keyring refused, or did not answer; then nobody knows whether it has one.
    """
    if not has_keyring():
        return False
    try:
        return await asyncio.wait_for(asyncio.to_thread(_delete, origin), seconds)
    except TimeoutError:
        raise _not_forgotten(_("The keyring did not answer; it may be locked.")) from None
    except _Refused as error:
        raise _not_forgotten(_("The keyring refused: {error}.").format(error=error)) from None


class _Refused(Exception):
    """The keyring's own words for why it does not do what it was asked."""


@contextmanager
def _asked() -> Iterator[Any]:
    """The package, to be asked something. Some backends find out only then that they cannot work at all."""
    keyring = _keyring()
    try:
        yield keyring
    except (keyring.errors.KeyringError, RuntimeError) as error:
        raise _Refused(str(error)) from error


def _recommended() -> str:
    with suppress(_Refused), _asked() as keyring:
        backend = keyring.get_keyring()
        return str(backend.name) if backend.priority >= _RECOMMENDED else ""
    return ""


def _get(origin: str) -> str | None:
    with _asked() as keyring:
        key = keyring.get_password(_SERVICE, origin)
        return None if key is None else str(key)


def _set(origin: str, key: str) -> None:
    with _asked() as keyring:
        keyring.set_password(_SERVICE, origin, key)


def _delete(origin: str) -> bool:
    with _asked() as keyring:
        is_there = keyring.get_password(_SERVICE, origin) is not None
        if is_there:
            keyring.delete_password(_SERVICE, origin)
        return is_there


def _keyring() -> Any:
    importlib.import_module("keyring.errors")
    return importlib.import_module("keyring")


def _not_kept(why: str) -> AuthFailed:
    return AuthFailed(_("The key was not kept."), why, _("Set it in OPENAI_API_KEY or TUI_AGENT_API_KEY instead."))


def _not_forgotten(why: str) -> AuthFailed:
    return AuthFailed(_("The key was not forgotten."), why, _("Unlock the keyring, then try again."))
