"""The key of the connected endpoint: where it comes from, kept in the system's keyring, forgotten there."""

from tui_agent.agent.connection import chosen_base_url
from tui_agent.agent.services import KEPT_KEYS, Services
from tui_agent.errors import UsageError
from tui_agent.language import N_, _
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.stored_keys import forget_stored_key, store_key, stored_key, usable_keyring

KEYRING = N_("keyring")
ENTERED = N_("entered in this run")


async def key_source(services: Services) -> str:
    """Where the key that is sent comes from: the name of a variable, the keyring, or this run; "" when there is none.

    It is one of ours, to be looked up in the catalogue.
    """
    settings, bench = services.settings, services.bench
    if settings.api_key:
        loaded = services.origin.load()
        source = loaded.sources.get("api_key", "default")
        return source if loaded.settings.api_key == settings.api_key and source != "default" else ENTERED
    if bench is not None:
        is_kept = bench.connection.embedded is None and bool(bench.connection.endpoint.api_key)
    else:
        is_kept = not settings.refused_endpoint and bool(await stored_key(place_of_key(services)))
    return KEYRING if is_kept else ""


def place_of_key(services: Services) -> str:
    """Scheme, host and port that a key is bound to here.

    Raises:
        EndpointUnreadable: no model is connected, and the address that was chosen is none.
    """
    if services.bench is not None and services.bench.connection.embedded is None:
        return services.bench.connection.endpoint.origin
    return Endpoint(chosen_base_url(services.settings)).origin


async def keeper(services: Services) -> str:
    """The name of the keyring that could keep the key that was entered; "" when none can, or there is no such key."""
    return await usable_keyring() if services.settings.api_key else ""


async def keep_key(services: Services) -> str:
    """Keep the key in the keyring, for its endpoint alone; the endpoint's scheme, host and port.

    Raises:
        AuthFailed: the keyring refused.
    """
    place = place_of_key(services)
    await store_key(place, services.settings.api_key)
    await services.archive.revise(KEPT_KEYS, lambda known: [*_without(known, place), place])
    return place


async def forget_key(services: Services) -> str:
    """Forget the key that the keyring has for this endpoint; the endpoint's scheme, host and port.

    Raises:
        UsageError: it has none.
        AuthFailed: the keyring refused, or did not answer.
    """
    place = place_of_key(services)
    if not await forget_stored_key(place):
        raise UsageError(
            _("The keyring has no key for {place}.").format(place=place),
            todo=_("/doctor says where a key comes from."),
        )
    await services.archive.revise(KEPT_KEYS, lambda known: _without(known, place))
    return place


def _without(known: object, place: str) -> list[str]:
    return [str(each) for each in known if each != place] if isinstance(known, list) else []
