"""How each peer is installed, pointed at an endpoint on this machine, and spoken to.

All get their best case: nothing is looked up elsewhere, no splash screen, no first-run questions, a chat that is open.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.floors import MINIMAL
from tests.benchmarks.terminal import OURS, ROOT

Prepare = Callable[[Path, str], dict[str, str]]
"""Writes a program's configuration below a home directory, for an endpoint; what its environment needs besides."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program to measure."""

    name: str
    command: tuple[str, ...]
    """For a peer, the first is a program in its own environment."""

    prepare: Prepare
    package: str = ""
    """What pip installs; "" for what is installed already."""

    pythons: tuple[str, ...] = ()
    """Versions of Python it can be installed for, the best first."""

    send: str = "\r"
    """The key that sends a message; "" where nothing can be sent."""

    is_textual: bool = True
    """Whether it is made with the same library."""

    note: str = ""
    """What the reader of its figures has to know."""


class NotMeasured(Exception):
    """Why a peer has no figures."""


def _ours(home: Path, url: str) -> dict[str, str]:
    return {
        "TUI_AGENT_BASE_URL": url,
        "TUI_AGENT_MODEL": "fake-model",
        "TUI_AGENT_EMBEDDED": "off",
        "TUI_AGENT_DATA_DIR": str(home / "data"),
        "PYTHONPATH": str(ROOT),
    }


def _minimal(home: Path, url: str) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT)}


def _nothing(home: Path, url: str) -> dict[str, str]:
    return {}


def _elia(home: Path, url: str) -> dict[str, str]:
    written = home / ".config" / "elia" / "config.toml"
    written.parent.mkdir(parents=True)
    written.write_text(
        'default_model = "fake"\n[[models]]\nid = "fake"\nname = "openai/fake-model"\ndisplay_name = "Fake"\n'
        f'provider = "local"\napi_base = "{url}"\napi_key = "none"\n'
    )
    return {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_API_KEY": "none"}


def _oterm(home: Path, url: str) -> dict[str, str]:
    data = home / "oterm"
    data.mkdir()
    endpoints = {"fake": {"base_url": url, "api_key": "none"}}
    (data / "config.json").write_text(json.dumps({"splash-screen": False, "openaiCompatible": endpoints}))
    store = sqlite3.connect(data / "store.db")
    store.executescript(
        "CREATE TABLE chat (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, model TEXT NOT NULL, system TEXT,"
        " provider TEXT DEFAULT 'ollama', parameters TEXT DEFAULT '{}', tools TEXT DEFAULT '[]',"
        " thinking BOOLEAN DEFAULT 0);"
        "CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, chat_id INTEGER NOT NULL, author TEXT NOT NULL,"
        " text TEXT NOT NULL, images TEXT DEFAULT '[]', FOREIGN KEY(chat_id) REFERENCES chat(id) ON DELETE CASCADE);"
        "INSERT INTO chat (name, model, provider) VALUES ('chat', 'fake-model', 'openai-compat/fake');"
        f"PRAGMA user_version = {26 << 8 | 1};"
    )
    store.close()
    return {"OTERM_DATA_DIR": str(data)}


def _parllama(home: Path, url: str) -> dict[str, str]:
    data = home / ".data" / "parllama"
    data.mkdir(parents=True)
    settings = {
        "schema_version": 2,
        "starting_tab": "Chat",
        "last_tab": "Chat",
        "use_last_tab_on_startup": False,
        "last_llm_config": {"provider": "LlamaCpp", "model_name": "default", "temperature": 0.5},
        "provider": {"provider_base_urls": {"LlamaCpp": url}},
        "ollama": {"ollama_ps_poll_interval": 0, "load_local_models_on_startup": False},
        "ui": {"show_first_run": False, "check_for_updates": False},
    }
    (data / "settings.json").write_text(json.dumps(settings))
    models = home / ".cache" / "parllama" / "provider_models.json"
    models.parent.mkdir(parents=True)
    models.write_text(json.dumps({"LlamaCpp": ["default"]}))
    return {"OPENAI_API_KEY": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def _vibe(home: Path, url: str) -> dict[str, str]:
    data = home / ".vibe"
    data.mkdir()
    (data / "config.toml").write_text(
        'active_model = "fake"\nenable_telemetry = false\nenable_update_checks = false\nenable_notifications = false\n'
        f'[[providers]]\nname = "fake"\napi_base = "{url}"\napi_key_env_var = ""\n'
        '[[models]]\nname = "fake-model"\nprovider = "fake"\nalias = "fake"\n'
    )
    return {"VIBE_HOME": str(data), "MISTRAL_API_KEY": "none"}


_VIBE = "its screen is a compiled program, with a server in Python behind it"

OWN = (
    Peer("tui-agent", tuple(OURS), _ours),
    Peer("minimal app", tuple(MINIMAL), _minimal, send="", note="Textual, a transcript and a prompt: the floor"),
)
PEERS = (
    Peer("elia", ("elia",), _elia, "elia-chat", ("3.11", "3.12"), send="\n"),
    Peer("oterm", ("oterm",), _oterm, "oterm", ("3.13", "3.12", "3.11")),
    Peer("vibe", ("vibe", "--trust"), _vibe, "mistral-vibe", ("3.12", "3.13"), is_textual=False, note=_VIBE),
    Peer("parllama", ("parllama",), _parllama, "parllama", ("3.13", "3.12", "3.11")),
    Peer(
        "toad", ("toad",), _nothing, "batrachian-toad", ("3.14",), send="", note="talks to agents, not to an endpoint"
    ),
)


def python_for(versions: tuple[str, ...]) -> str:
    """An interpreter of one of these versions.

    Raises:
        NotMeasured: none was found.
    """
    for version in versions:
        for candidate in _interpreters(version):
            asked = [candidate, "-c", "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False)
            if answer.stdout.strip() == version:
                return candidate
    raise NotMeasured(f"no Python {' or '.join(versions)} was found")


def _interpreters(version: str) -> Iterator[str]:
    yield sys.executable
    if found := shutil.which(f"python{version}"):
        yield found
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(each) for each in sorted(managed.glob(f"{version}.*/bin/python"), reverse=True))
