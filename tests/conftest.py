"""What every test gets: a home of its own, no settings, keys or vocabularies of the machine it runs on."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.canary import canaries_under
from tests.fakes.keyring import FakeKeyring, fake_keyring
from tui_agent.language import ENGLISH, use

settings.register_profile("busy", deadline=None)
settings.load_profile("busy")
"""How long an example takes says how busy the machine is, and nothing of what is tested."""

_MACHINE = dict(os.environ)
"""The environment the tests were started in, for the few that need the real one (pip, compilers)."""

_LEAKS = ("OPENAI_", "TUI_AGENT_", "XDG_", "LC_", "LESS", "TMUX")
_LEAKING_NAMES = ("COLORTERM", "EDITOR", "LANG", "LANGUAGE", "LINES", "COLUMNS", "NO_COLOR", "TERM_PROGRAM", "VISUAL")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the whole run, so that the embedded model's weights are put together once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def machine_environ() -> Mapping[str, str]:
    """The environment as it was before it was isolated."""
    return _MACHINE


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Iterator[Path]:
    """An empty home directory, which is also returned; the environment is put back afterwards."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in _MACHINE.items() if not name.startswith(_LEAKS)}
    for name in _LEAKING_NAMES:
        kept.pop(name, None)
    own = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(shared_cache),
        "TIKTOKEN_CACHE_DIR": str(home / "no-vocabulary"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in set(os.environ) - set(kept) - set(own):
            if not name.startswith(("PYTEST_", "TEXTUAL_SNAPSHOT_")):
                patch.delenv(name)
        for name, value in own.items():
            patch.setenv(name, value)
        use(ENGLISH)
        yield home


@pytest.fixture
def keyring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeKeyring]:
    """The system's keyring, in memory."""
    with fake_keyring(tmp_path_factory.mktemp("keyring")) as made:
        yield made


@pytest.fixture(autouse=True)
def keeps_the_key(isolated: Path, tmp_path: Path) -> Iterator[None]:
    """Fails a test that leaves the key which its program was given in any file: archive, log, export, crash report."""
    yield
    assert canaries_under(tmp_path, isolated) == [], "the key was left behind"
