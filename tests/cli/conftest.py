"""The command line with an archive in a temporary directory and a scripted endpoint."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.canary import CANARY
from tests.fakes.model_server import ModelServer
from tui_agent.cli import main


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the run keeps its archive."""
    monkeypatch.setenv("TUI_AGENT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TUI_AGENT_TOOLS", "false")
    return tmp_path / "data"


@pytest.fixture
def server(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A scripted endpoint that the environment points to."""
    with ModelServer() as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        yield made


class Terminal:
    """Runs commands and gives what they printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def run(self, *argv: str, code: int = 0) -> str:
        """Standard output of a command that must end with `code`."""
        self._capsys.readouterr()
        ended = main(argv)
        out, self.err = self._capsys.readouterr()
        assert ended == code, self.err
        assert CANARY not in out + self.err, "the key was printed"
        return out

    def json(self, *argv: str, code: int = 0) -> Any:
        return json.loads(self.run(*argv, code=code))


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A shell without a terminal and with nothing piped in."""
    monkeypatch.setattr("sys.stdin", None)
    return Terminal(capsys)


class Typed(io.StringIO):
    """Standard input with a person at it."""

    def isatty(self) -> bool:
        return True


class Watched(io.StringIO):
    """Standard output in a person's terminal."""

    def isatty(self) -> bool:
        return True


class Piped:
    """Standard input with bytes from another program."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)

    def isatty(self) -> bool:
        return False
