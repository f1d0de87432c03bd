"""Keys are kept in the system's keyring, each for its own endpoint."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_agent.errors import AuthFailed
from tui_agent.model.stored_keys import has_keyring, store_key, stored_key

KEYRING = """
from keyring import errors
kept = {}

def get_password(service, name):
    if "locked" in name:
        raise errors.KeyringLocked("locked")
    return kept.get((service, name))

def set_password(service, name, key):
    if "locked" in name:
        raise errors.KeyringLocked("locked")
    kept[service, name] = key

def delete_password(service, name):
    del kept[service, name]
"""
ERRORS = """
class KeyringError(Exception): pass
class KeyringLocked(KeyringError): pass
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A keyring that keeps keys in memory, in the place of the package."""
    (tmp_path / "keyring").mkdir()
    (tmp_path / "keyring" / "__init__.py").write_text(KEYRING)
    (tmp_path / "keyring" / "errors.py").write_text(ERRORS)
    real = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "keyring"}
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("keyring", "keyring.errors"):
        sys.modules.pop(name, None)
    sys.modules.update(real)


async def test_a_key_comes_back_for_its_own_endpoint_only(keyring: None) -> None:
    await store_key("https://one.example:443", "key-of-one")
    assert await stored_key("https://one.example:443") == "key-of-one"
    assert await stored_key("http://one.example:80") == ""
    await store_key("https://one.example:443", "")
    await store_key("https://one.example:443", "")
    assert await stored_key("https://one.example:443") == ""


async def test_a_locked_keyring_has_no_key_and_says_so_when_it_should_keep_one(keyring: None) -> None:
    assert await stored_key("https://locked.example:443") == ""
    with pytest.raises(AuthFailed, match="OPENAI_API_KEY"):
        await store_key("https://locked.example:443", "secret-key")


@pytest.mark.skipif(has_keyring(), reason="the extra is installed")
async def test_without_the_extra_there_is_no_key_and_keeping_one_says_what_to_do() -> None:
    assert await stored_key("https://one.example:443") == ""
    with pytest.raises(AuthFailed, match="not installed"):
        await store_key("https://one.example:443", "key")
