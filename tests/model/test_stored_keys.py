"""Keys are kept in the system's keyring, each for its own endpoint."""

import pytest

from tests.fakes.keyring import FakeKeyring
from tui_agent.errors import AuthFailed
from tui_agent.model.stored_keys import has_keyring, store_key, stored_key, usable_keyring


async def test_a_key_comes_back_for_its_own_endpoint_only(keyring: FakeKeyring) -> None:
    await store_key("https://one.example:443", "key-of-one")
    assert await stored_key("https://one.example:443") == "key-of-one"
    assert await stored_key("http://one.example:80") == ""
    await store_key("https://one.example:443", "")
    await store_key("https://one.example:443", "")
    assert await stored_key("https://one.example:443") == ""


async def test_a_locked_keyring_has_no_key_and_says_so_when_it_should_keep_one(keyring: FakeKeyring) -> None:
    assert await stored_key("https://locked.example:443") == ""
    with pytest.raises(AuthFailed, match="OPENAI_API_KEY"):
        await store_key("https://locked.example:443", "secret-key")


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
    with pytest.raises(AuthFailed, match="not installed"):
        await store_key("https://one.example:443", "key")
