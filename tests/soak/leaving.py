"""How long leaving takes, and whether all is in order afterwards: every way out of every state, measured.

`python -m tests.soak.leaving --times 5` prints the seconds from the signal, key or closed terminal to the end of the
process, less what it has waited for a processor. In order means: the right exit code, the terminal as it was, no child
alive, and what was said in the archive.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.e2e.pty_app import PtyApp, opened
from tests.e2e.records import session_ids, show
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Gate, calls, refuses, says
from tests.processes import is_running
from tests.waiting import soon

ROOT = Path(__file__).resolve().parents[2]
HALF = "half of it is here"
GONE_SECONDS = 2.0

CRASHING = {"TEXTUAL_DRIVER": "tests.e2e.failing_driver:FailingDriver", "PYTHONPATH": str(ROOT)}
"""F12 makes the program fail from within."""


@dataclass
class Figures:
    """What came of it."""

    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """How long each leaving took, by the state and the way out."""

    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        taken = sorted(each for several in self.seconds.values() for each in several)
        rows = [
            f"{state:12} {way:8} {median(several):5.2f} s, at most {max(several):5.2f}"
            for (state, way), several in self.seconds.items()
        ]
        late = sum(each > 1 for each in taken)
        summary = (
            f"{len(taken)} times left: median {median(taken):.2f} s, at most {taken[-1]:.2f} s, {late} over a second"
        )
        return "\n".join([*rows, f"{summary}; {len(self.faults)} faults", *self.faults])


# ── states ───────────────────────────────────────────────────────────────────


@contextmanager
def _starting(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    with opened(server, home, is_ready=False, extra=CRASHING) as app:
        app.until(lambda: bool(app.terminal.modes), "the terminal was never taken")
        yield app


@contextmanager
def _idle(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    with opened(server, home, extra=CRASHING) as app:
        yield app


@contextmanager
def _streaming(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    gate = Gate()
    server.script(says(f"{HALF} and the rest is not", hold=gate, hold_after=5))
    with opened(server, home, extra=CRASHING) as app:
        app.say("tell me all")
        app.reaches(gate)
        app.sees(HALF)
        yield app


@contextmanager
def _running_tool(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    server.script(calls(Call("run_command", {"command": "sleep 300 & echo $$ $! > pids.txt; wait"})))
    with opened(server, home, approval="all", extra=CRASHING) as app:
        app.say("run it")
        pids = home / "pids.txt"
        app.until(lambda: pids.exists() and len(pids.read_text().split()) == 2, "the command was not run")
        yield app


@contextmanager
def _asking(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    server.script(calls(Call("run_command", {"command": "echo done"})))
    with opened(server, home, extra=CRASHING) as app:
        app.say("run it")
        app.sees("Run this command?")
        yield app


@contextmanager
def _summarising(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    gate = Gate()
    server.script(*(says(f"answer {place}") for place in range(4)))
    with opened(server, home, keep_recent=2, extra=CRASHING) as app:
        for place in range(4):
            app.say(f"question {place}")
            app.sees(f"answer {place}")
            app.sees_no("Esc stops")
        server.script(says("- the user asked [1] and was answered [2]", hold=gate, hold_after=3))
        app.press("f4")
        app.reaches(gate)
        yield app


@contextmanager
def _waiting_to_retry(server: ModelServer, home: Path) -> Iterator[PtyApp]:
    server.script(refuses(429, {"message": "slow down"}, headers={"Retry-After": "50"}))
    with opened(server, home, extra=CRASHING) as app:
        app.say("tell me all")
        app.until(lambda: "429" in app.text or "again in" in app.text, "no waiting")
        yield app


STATES = {
    "starting": _starting,
    "idle": _idle,
    "streaming": _streaming,
    "tool": _running_tool,
    "approval": _asking,
    "summarising": _summarising,
    "retrying": _waiting_to_retry,
}

# ── ways out ─────────────────────────────────────────────────────────────────


def _signalled(number: signal.Signals) -> Callable[[PtyApp], None]:
    return lambda app: app.process.send_signal(number)


def _crash(app: PtyApp) -> None:
    app.send(b"\x1b[24~")


def _quit(app: PtyApp) -> None:
    app.press("ctrl+q")
    app.until(lambda: app.process.poll() is not None or "Quit?" in app.text, "nothing came of it")


WAYS: dict[str, tuple[Callable[[PtyApp], None], int]] = {
    "TERM": (_signalled(signal.SIGTERM), 143),
    "HUP": (_signalled(signal.SIGHUP), 129),
    "QUIT": (_signalled(signal.SIGQUIT), 131),
    "closed": (PtyApp.hang_up, 129),
    "crash": (_crash, 1),
    "quit": (_quit, 0),
}
"""What makes the program leave, and its exit code then."""


def _ends(app: PtyApp) -> int:
    while app.process.poll() is None and "Quit?" in app.text:
        app.press("y")
        app.settle(0.05, 0.5)
    return app.ends()


def _complaints(app: PtyApp, home: Path, state: str, way: str, code: int) -> Iterator[str]:
    if code != WAYS[way][1]:
        yield f"ended with {code}"
    if way != "closed":
        yield from app.is_restored()
    pids = [int(pid) for pid in (home / "pids.txt").read_text().split()] if (home / "pids.txt").exists() else []
    if not soon(lambda: not any(map(is_running, pids)), GONE_SECONDS):
        yield "a child is alive"
    archive: list[dict[str, Any]] = []
    for session_id in session_ids(home / "data"):
        archive += show(home / "data", session_id)["archive"]
    said = [entry["text"] for entry in archive if entry["type"] == "AssistantSaid"]
    if state == "streaming" and said != [HALF]:
        yield f"of the answer {said} is kept"
    if state == "tool" and not any(entry["type"] == "ToolReturned" for entry in archive):
        yield "the command has no result"
    if state == "approval" and any(entry["type"] == "ToolReturned" for entry in archive):
        yield "the question is not open any more"
    if state == "summarising" and any(entry["type"] == "Compacted" for entry in archive):
        yield "a summary nobody accepted was applied"


def measure(times: int) -> Figures:
    """Leave in every way from every state, so many times."""
    figures = Figures()
    for state, begin in STATES.items():
        for way, (leave, _) in WAYS.items():
            for _ in range(times):
                _leave_once(figures, state, way, begin, leave)
            print(state, way, figures.seconds[state, way], file=sys.stderr, flush=True)
    return figures


def _leave_once(figures: Figures, state: str, way: str, begin: Any, leave: Callable[[PtyApp], None]) -> None:
    with tempfile.TemporaryDirectory() as made, ModelServer() as server:
        home = Path(made)
        with begin(server, home) as app:
            if state != "starting":
                app.settle(0.3, 2.0)
            started = app.clock()
            leave(app)
            code = _ends(app)
            figures.seconds.setdefault((state, way), []).append(app.clock() - started)
            figures.faults += [f"{state}, {way}: {each}" for each in _complaints(app, home, state, way, code)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures how long leaving the program takes.")
    parser.add_argument("--times", type=int, default=5)
    figures = measure(parser.parse_args().times)
    print(figures)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
