"""Starting: the first paint, the first key, the first answer, memory and rest, beside the least app there is.

The installed program in a pty, no model but where an answer is asked for. CPU seconds of its processes; by turns with
the minimal app, medians of the ratios of each round.
"""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure, ratios
from tests.benchmarks.floors import MINIMAL, PLACEHOLDER
from tests.benchmarks.terminal import OURS, Moment, TimedProgram, home
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

_SHOWN = PLACEHOLDER[1:]
"""The first letter stands under the cursor and is written apart."""

_RARE = "ж"
"""A key that is on no screen before it is pressed."""

_ANSWER = "The answer is periwinkle."
_START_SECONDS = 3.0
"""After which everything that is done at a start has been done."""

_IDLE_SECONDS = 5.0
_FLOOR = "minimal app"
_HALF = "0.5 x best Textual peer"

_PEERS_FLOOR = 0.246
"""Seconds to the minimal app's first paint where the peers were measured; `make bench-peers` measures them anew."""

_BEST_PEER_KEY = 1.014
"""Seconds to the first key of the quickest peer made with Textual (toad), measured there."""

_BEST_PEER_ANSWER = 1.55
"""Seconds from the start to an answer of the quickest peer, measured there."""


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

    def ratio(name: str, floor: str = "") -> list[float]:
        return ratios((own[name] for own in ours), (each[floor or name] for each in floors))

    def own(name: str) -> list[float]:
        return [each[name] for each in ours]

    waits = ratios((answer.seconds for answer in answers), (floor["paint seconds"] for floor in floors))
    paints = {"ours": own("paint"), "minimal app": [floor["paint"] for floor in floors]}
    bare = [each[0] for each in imports]
    key_goal, answer_goal = 0.5 * _BEST_PEER_KEY / _PEERS_FLOOR, 0.65 * _BEST_PEER_ANSWER / _PEERS_FLOOR
    return [
        Figure.of("first key on the screen, CPU", ratio("key"), "x", 1.4, _FLOOR),
        Figure.of("first key on the screen, wall", ratio("key seconds"), "x", 1.4, _FLOOR),
        Figure.of("first key, wall / minimal app's paint", ratio("key seconds", "paint seconds"), "x", key_goal, _HALF),
        Figure.of("first paint, CPU", ratio("paint"), "x", 1.4, _FLOOR),
        *(
            Figure.of(f"first paint, {whose}, CPU", ratios(costs, bare), "x", against="python -c 'import textual'")
            for whose, costs in paints.items()
        ),
        Figure.of("import of the app, CPU", [each[2] / each[1] for each in imports], "x", against="import textual.app"),
        Figure.of("start to first answer, wall / minimal's paint", waits, "x", answer_goal, "0.65 x best peer (toad)"),
        Figure.of("memory after start", ratio("memory"), "x", 1.5, _FLOOR),
        Figure.of("CPU to rest", ratio("rest"), "x", 2, _FLOOR),
        Figure.of("idle, share of a core", own("idle"), "%", 0.5, "0.5 %"),
        Figure.of("idle, minimal app", [floor["idle"] for floor in floors], "%"),
        Figure.of("first key on the screen, CPU", own("key"), "s"),
        Figure.of("first key on the screen, wall", own("key seconds"), "s"),
        Figure.of("start to first answer, CPU", [answer.cpu for answer in answers], "s"),
        Figure.of("start to first answer, wall", [answer.seconds for answer in answers], "s"),
        Figure.of("memory after start", own("memory"), "MB"),
    ]
