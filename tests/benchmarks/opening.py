"""Opening a session, its memory and its rest: 10,000 and 100,000 messages beside 100, in the installed program."""

import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure, ratios
from tests.benchmarks.sessions import last_words, store_all
from tests.benchmarks.terminal import DATA_DIR, OURS, TimedProgram, home
from tests.fakes.model_server import ModelServer

COUNTS = {"few": 100, "many": 10_000, "most": 100_000}
_FEW = "100 messages"
_START_SECONDS = 2.0
"""After which everything that is done at a start has been done."""

_IDLE_SECONDS = 15.0
"""Long beside the few moments of work that are still put off until a start is over."""


def _started(session_id: str, environ: dict[str, str], directory: Path) -> dict[str, float]:
    """The program started with a session, to its last words and to rest."""
    with TimedProgram([*OURS, "-r", session_id], environ, directory) as program:
        seen = program.sees(last_words(COUNTS[session_id]))
        program.rest(_START_SECONDS)
        rested = program.cpu()
        memory = program.memory()
        seconds = _IDLE_SECONDS if session_id == "many" else 0.0
        program.rest(seconds)
        idle = (program.cpu() - rested) / seconds * 100 if seconds else 0.0
        return {"cpu": seen.cpu, "seconds": seen.seconds, "memory": memory, "idle": idle}


def _resumed(environ: dict[str, str], directory: Path, rounds: int) -> dict[str, list[dict[str, float]]]:
    """The sessions opened by turns in a program that has been running for a while and had each open before."""
    found: dict[str, list[dict[str, float]]] = {each: [] for each in COUNTS}
    with TimedProgram(OURS, environ, directory) as program:
        program.rest(_START_SECONDS)
        for _ in range(rounds + 1):
            for each, costs in found.items():
                program.answer(f"/resume {each}", f"/resume {each}")
                program.settle()
                before = program.moment()
                after = program.answer("\r", last_words(COUNTS[each]))
                costs.append({"cpu": after.cpu - before.cpu, "seconds": after.seconds - before.seconds})
                program.settle()
    return {each: costs[1:] for each, costs in found.items()}


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    with tempfile.TemporaryDirectory() as name, ModelServer(is_strict=False) as server:
        environ = home(name, base_url=server.url, model="fake-model")
        store_all(Path(environ[DATA_DIR]), COUNTS)
        started: dict[str, list[dict[str, float]]] = {each: [] for each in COUNTS}
        for _ in range(rounds):
            for each in COUNTS:
                started[each].append(_started(each, environ, Path(name)))
        resumed = _resumed(environ, Path(name), rounds)
    return [
        *_beside_few("start with {:,} messages", started, {"cpu": 1.2, "seconds": 1.2, "memory": 1.3}),
        *_beside_few("open {:,} messages from within", resumed, {"cpu": 1.2, "seconds": 1.2}),
        Figure.of("idle with 10,000 messages open, of a core", _all(started["many"], "idle"), "%", 0.5, "0.5 %"),
        *_told("start with {:,} messages", started, {"cpu": "s", "seconds": "s", "memory": "MB"}),
        *_told("open {:,} messages from within", resumed, {"cpu": "s", "seconds": "s"}),
    ]


_NAMES = {"cpu": "CPU", "seconds": "wall", "memory": "memory"}


def _beside_few(what: str, runs: dict[str, list[dict[str, float]]], goals: dict[str, float]) -> list[Figure]:
    return [
        Figure.of(
            f"{what.format(COUNTS[each])}, {_NAMES[kind]}",
            ratios(_all(runs[each], kind), _all(runs["few"], kind)),
            "x",
            goal,
            _FEW,
        )
        for each in ("many", "most")
        for kind, goal in goals.items()
    ]


def _told(what: str, runs: dict[str, list[dict[str, float]]], units: dict[str, str]) -> list[Figure]:
    return [
        Figure.of(f"{what.format(COUNTS[each])}, {_NAMES[kind]}", _all(runs[each], kind), unit)
        for each in COUNTS
        for kind, unit in units.items()
    ]


def _all(runs: list[dict[str, float]], kind: str) -> list[float]:
    return [run[kind] for run in runs]
