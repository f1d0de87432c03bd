"""Starting: the first paint, the first key, the first answer, memory and rest, beside the least app there is.

    python -m tests.benchmarks.starting [--rounds N] [--json FILE]

The installed program in a pty, no model but where an answer is asked for. CPU seconds of its processes; by turns with
the minimal app, medians of the ratios of each round.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.floors import PLACEHOLDER
from tests.benchmarks.storage import Figure, show
from tests.benchmarks.terminal import Moment, TimedProgram, environment
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

ROOT = Path(__file__).parents[2]
MINIMAL = [sys.executable, "-m", "tests.benchmarks.floors"]
OURS = [sys.executable, "-m", "tui_agent"]

_SHOWN = PLACEHOLDER[1:]
"""The first letter stands under the cursor and is written apart."""

_RARE = "ж"
"""A key that is on no screen before it is pressed."""

_ANSWER = "The answer is periwinkle."
_START_SECONDS = 3.0
"""After which everything that is done at a start has been done."""

_IDLE_SECONDS = 5.0

_BEST_PEER_ANSWER = 1.55
"""Seconds from start to an answer on the screen, as measured of the best peer; the minimal app painted after 0.246."""

_MINIMAL_PAINT = 0.246


def home(name: str, **settings: object) -> dict[str, str]:
    """An environment in which there is no model but what `settings` name."""
    return environment(Path(name), **{"embedded": "off", **settings}) | {"PYTHONPATH": str(ROOT)}


def _started(command: list[str]) -> dict[str, float]:
    """One start: to the first paint, to the first key, to rest."""
    with tempfile.TemporaryDirectory() as name, TimedProgram(command, home(name), Path(name)) as program:
        paint = program.sees(_SHOWN)
        key = program.echo(_RARE)
        program.rest(_START_SECONDS)
        rested = program.cpu()
        memory = program.memory()
        program.rest(_IDLE_SECONDS)
        return {
            "paint": paint.cpu,
            "paint seconds": paint.seconds,
            "key": key.cpu,
            "key seconds": key.seconds,
            "rest": rested,
            "memory": memory,
            "idle": (program.cpu() - rested) / _IDLE_SECONDS * 100,
        }


def _imported(module: str) -> float:
    """CPU seconds of Python importing a module and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-c", f"import {module}; print('done'); input()"]
        with TimedProgram(command, home(name), Path(name)) as program:
            return program.sees("done").cpu


def _answered(server: ModelServer) -> Moment:
    """A start with a prompt on the command line, to its answer on the screen."""
    with tempfile.TemporaryDirectory() as name:
        environ = home(name, base_url=server.url, model="fake-model")
        with TimedProgram([*OURS, "hi"], environ, Path(name)) as program:
            return program.sees(_ANSWER)


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    floors, ours, answers, imports = [], [], [], []
    with ModelServer(otherwise=says(_ANSWER), is_strict=False) as server:
        for _ in range(rounds):
            floors.append(_started(MINIMAL))
            ours.append(_started(OURS))
            answers.append(_answered(server))
            imports.append((_imported("textual"), _imported("textual.app"), _imported("tui_agent.ui.app")))

    def ratio(name: str) -> float:
        return statistics.median(own[name] / floor[name] for own, floor in zip(ours, floors, strict=True))

    def middle(name: str) -> float:
        return statistics.median(own[name] for own in ours)

    answer_ratio = statistics.median(a.seconds / f["paint seconds"] for a, f in zip(answers, floors, strict=True))
    return [
        Figure("first paint, CPU / minimal app", ratio("paint"), "x", 1.4),
        Figure("first key on the screen, CPU / minimal app", ratio("key"), "x", 1.4),
        Figure("first key on the screen, wall / minimal app", ratio("key seconds"), "x", 1.4),
        Figure("first key on the screen, CPU", middle("key"), "s"),
        Figure(
            "first paint, CPU / python -c 'import textual'",
            statistics.median(own["paint"] / each[0] for own, each in zip(ours, imports, strict=True)),
            "x",
            1.5,
        ),
        Figure(
            "minimal app's first paint / python -c 'import textual'",
            statistics.median(floor["paint"] / each[0] for floor, each in zip(floors, imports, strict=True)),
            "x",
        ),
        Figure("import of the app / of textual.app, CPU", statistics.median(i[2] / i[1] for i in imports), "x"),
        Figure(
            "start to the first answer, wall / minimal app's first paint",
            answer_ratio,
            "x",
            0.65 * _BEST_PEER_ANSWER / _MINIMAL_PAINT,
        ),
        Figure("start to the first answer, CPU", statistics.median(a.cpu for a in answers), "s"),
        Figure("start to the first answer, wall", statistics.median(a.seconds for a in answers), "s"),
        Figure("memory after start / minimal app", ratio("memory"), "x", 1.5),
        Figure("memory after start", middle("memory"), "MB"),
        Figure("CPU to rest / minimal app", ratio("rest"), "x", 2),
        Figure("idle, share of a core", middle("idle"), "%", 0.5),
        Figure("idle, minimal app", statistics.median(floor["idle"] for floor in floors), "%"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    show(measure(options.rounds), options.json)


if __name__ == "__main__":
    main()
