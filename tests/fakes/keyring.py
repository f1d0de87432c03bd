"""A system keyring that keeps keys in memory, in the place of the package."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

_PACKAGE = """
import threading

from keyring import errors

answers = threading.Event()
answers.set()

class Backend:
    name, priority, is_locked = "a fake keyring", 5, False

kept, backend = {}, Backend()

def get_keyring():
    answers.wait()
    return backend

def refuse(name):
    answers.wait()
    if backend.is_locked or "locked" in name:
        raise errors.KeyringLocked("locked")
    if "broken" in name:
        raise RuntimeError("no bus to speak on")

def get_password(service, name):
    refuse(name)
    return kept.get((service, name))

def set_password(service, name, key):
    refuse(name)
    kept[service, name] = key

def delete_password(service, name):
    refuse(name)
    del kept[service, name]
"""
_ERRORS = """
class KeyringError(Exception): pass
class KeyringLocked(KeyringError): pass
"""


class FakeKeyring:
    """What the program has put into the keyring."""

    @property
    def kept(self) -> dict[tuple[str, str], str]:
        """The keys by service and place."""
        kept: dict[tuple[str, str], str] = import_module("keyring").kept
        return kept

    def rate(self, priority: float) -> None:
        """How much the package recommends its backend."""
        import_module("keyring").backend.priority = priority

    def lock(self) -> None:
        """From now on it refuses whatever it is asked."""
        import_module("keyring").backend.is_locked = True

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Whatever it is asked it answers at the end of the block: somebody is to unlock it, and does not."""
        answers = import_module("keyring").answers
        answers.clear()
        try:
            yield
        finally:
            answers.set()


@contextmanager
def fake_keyring(directory: Path) -> Iterator[FakeKeyring]:
    """The package is imported from a directory, as far as it is used."""
    (directory / "keyring").mkdir()
    (directory / "keyring" / "__init__.py").write_text(_PACKAGE)
    (directory / "keyring" / "errors.py").write_text(_ERRORS)
    real = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "keyring"}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(directory))
        yield FakeKeyring()
    for name in ("keyring", "keyring.errors"):
        sys.modules.pop(name, None)
    sys.modules.update(real)
