"""Keys are kept in the system's keyring, each for its own endpoint."""

import asyncio

import pytest

from tests.fakes.keyring import FakeKeyring
from tui_agent.errors import AuthFailed
from tui_agent.model.stored_keys import (
    forget_stored_key,
    has_keyring,
    store_key,
    stored_key,
    stored_keys,
    usable_keyring,
)

PLACE = "https://one.example:443"
MOMENT, WHILE = 0.01, 5.0
"""Seconds that a keyring has, and seconds after which it would have been waited for."""


async def test_a_key_comes_back_for_its_own_endpoint_only(keyring: FakeKeyring) -> None:
    await store_key("https://one.example:443", "key-of-one")
    assert await stored_key("https://one.example:443") == "key-of-one"
    assert await stored_key("http://one.example:80") == ""
    assert await forget_stored_key("https://one.example:443")
    assert not await forget_stored_key("https://one.example:443")
    assert await stored_key("https://one.example:443") == ""


@pytest.mark.parametrize(("place", "why"), [("https://locked.example", "locked"), ("https://broken.example", "bus")])
async def test_a_keyring_that_refuses_has_no_key_and_says_so_when_it_should_keep_or_forget_one(
    keyring: FakeKeyring, place: str, why: str
) -> None:
    assert await stored_key(place) == ""
    with pytest.raises(AuthFailed, match=rf"The keyring refused: .*{why}.*OPENAI_API_KEY"):
        await store_key(place, "secret-key")
    with pytest.raises(AuthFailed, match=rf"The key was not forgotten. The keyring refused: .*{why}"):
        await forget_stored_key(place)


async def test_a_keyring_that_never_answers_is_not_waited_for(keyring: FakeKeyring) -> None:
    await store_key(PLACE, "secret-key")
    with keyring.hanging():
        async with asyncio.timeout(WHILE):
            assert await usable_keyring(MOMENT) == ""
            assert await stored_key(PLACE, MOMENT) == ""
            assert await stored_keys([f"https://{n}.example:443" for n in range(1_000)], MOMENT) == []
            with pytest.raises(AuthFailed, match=r"was not kept. The keyring did not answer; it may be locked."):
                await store_key(PLACE, "secret-key", MOMENT)
            with pytest.raises(AuthFailed, match=r"was not forgotten. The keyring did not answer; it may be locked."):
                await forget_stored_key(PLACE, MOMENT)


async def test_the_keys_of_many_endpoints_are_those_that_the_keyring_tells(keyring: FakeKeyring) -> None:
    await store_key(PLACE, "secret-key")
    assert await stored_keys(["https://locked.example", "https://two.example", PLACE]) == ["secret-key"]


@pytest.mark.parametrize(("priority", "name"), [(5, "a fake keyring"), (0.5, ""), (0, ""), (-1, "")])
async def test_only_a_keyring_that_its_package_recommends_is_offered(
    keyring: FakeKeyring, priority: float, name: str
) -> None:
    keyring.rate(priority)
    assert await usable_keyring() == name


@pytest.mark.skipif(has_keyring(), reason="the extra is installed")
async def test_without_the_extra_there_is_no_key_and_keeping_one_says_what_to_do() -> None:
    assert await stored_key("https://one.example:443") == ""
    assert await usable_keyring() == ""
    assert not await forget_stored_key("https://one.example:443")
    with pytest.raises(AuthFailed, match="not installed"):
        await store_key("https://one.example:443", "key")
