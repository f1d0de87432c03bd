"""What a run left in its archive, read by the command line of the same program, without starting a process for it."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from tests.fakes.valid import problems
from tui_agent.cli import main


def run(data: Path, *argv: str, code: int = 0) -> str:
    """Standard output of a command that must end with `code`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        ended = main([*argv, "--data-dir", str(data)])
    assert ended == code, f"{argv} ended with {ended}: {err.getvalue()}"
    return out.getvalue()


def session_ids(data: Path) -> list[str]:
    """All sessions, newest first."""
    return [listed["id"] for listed in json.loads(run(data, "sessions", "list", "--json"))]


def show(data: Path, session_id: str) -> dict[str, Any]:
    """A session as `sessions show --json` gives it; its context is one that an endpoint would take."""
    session: dict[str, Any] = json.loads(run(data, "sessions", "show", session_id, "--json"))
    found = problems(session["context"])
    assert not found, f"{found} in {session['context']}"
    return session


def only_session(data: Path) -> dict[str, Any]:
    """The one session there is."""
    (session_id,) = session_ids(data)
    return show(data, session_id)
