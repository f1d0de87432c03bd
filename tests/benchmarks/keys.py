"""What a key costs in a session of 10,000 messages beside the least app there is, and how soon it is seen.

The installed program in a pty, a scripted endpoint in a process of its own. Each key is a letter that is nowhere else,
and is waited for before the next; the p95 is of keys pressed while a reply streams as fast as the endpoint can send.
"""

import shutil
import tempfile
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, percentile_95, ratios
from tests.benchmarks.floors import MINIMAL, PLACEHOLDER
from tests.benchmarks.sessions import last_words, store_all
from tests.benchmarks.streaming import answer, pieces
from tests.benchmarks.terminal import DATA_DIR, OURS, TimedProgram, home, serving

FEW, MANY = 100, 10_000
LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяαβγδεζηθικλμνξοπρστυφχψω"
"""Letters as wide as Latin ones that no text measured with holds."""

_KEYS_IDLE = 40
_KEYS_STREAMING = 40
_BETWEEN_KEYS = 0.03
"""Seconds between two keys while a reply streams."""

_ANSWERS: dict[str, object] = {"strict": False, "default": {"pieces": [*pieces(answer(1_600_000))]}}
"""A reply that is longer than any program takes in while the keys are pressed."""


def cost_of_keys(program: TimedProgram, letters: str) -> float:
    """Milliseconds of computing for each key of a few that are waited for one by one; the prompt is emptied after."""
    program.settle()
    before = program.cpu()
    for letter in letters:
        program.echo(letter)
    program.rest(0.2)
    cost = (program.cpu() - before) * 1e3 / len(letters)
    program.type("\x7f" * len(letters))
    program.settle()
    return cost


@dataclass(frozen=True, slots=True)
class Delays:
    """From keys to their letters on the screen, in milliseconds."""

    wall: list[float]
    cpu: list[float]
    """What the program computed meanwhile: all there is to wait for if it never waits, on a machine of its own."""


def delays(program: TimedProgram, count: int, letters: str = LETTERS) -> Delays:
    """Press keys, one after the other."""
    found = Delays([], [])
    for letter, _ in zip(cycle(letters), range(count), strict=False):
        before = program.moment()
        seen = program.echo(letter)
        found.wall.append((seen.seconds - before.seconds) * 1e3)
        found.cpu.append((seen.cpu - before.cpu) * 1e3)
        program.rest(_BETWEEN_KEYS)
    return found


def _idle(rounds: int, environ: dict[str, str], directory: Path) -> list[Figure]:
    with (
        TimedProgram(MINIMAL, environ, directory) as minimal,
        TimedProgram([*OURS, "-r", "few"], environ, directory) as few,
        TimedProgram([*OURS, "-r", "many"], environ, directory) as many,
    ):
        minimal.sees(PLACEHOLDER[1:])
        few.sees(last_words(FEW))
        many.sees(last_words(MANY))
        costs: dict[TimedProgram, list[float]] = {minimal: [], few: [], many: []}
        for _ in range(rounds + 1):
            for program, found in costs.items():
                found.append(cost_of_keys(program, LETTERS[:_KEYS_IDLE]))
        soon = [delays(many, _KEYS_IDLE) for _ in range(rounds)]
    floor, short, long = (found[1:] for found in costs.values())
    return [
        Figure.of(f"a key in {MANY:,} messages, CPU", ratios(long, floor), "x", 1.3, "minimal app"),
        Figure.of(f"a key in {MANY:,} messages, CPU", ratios(long, short), "x", 1.3, f"{FEW} messages"),
        Figure.of(f"a key in {MANY:,} messages, CPU", long, "ms"),
        Figure.of("a key in the minimal app, CPU", floor, "ms"),
        Figure.of(f"key to screen in {MANY:,} messages, median", [median(each.wall) for each in soon], "ms"),
        Figure.of(f"key to screen in {MANY:,} messages, p95", [percentile_95(each.wall) for each in soon], "ms"),
    ]


def _streaming(rounds: int, environ: dict[str, str], directory: Path) -> list[Figure]:
    """Each round in a copy of the archive, for a reply that was broken off stays in it."""
    found = []
    for number in range(rounds):
        copy = shutil.copytree(environ[DATA_DIR], directory / f"data-{number}")
        with TimedProgram([*OURS, "-r", "many"], environ | {DATA_DIR: str(copy)}, directory) as program:
            program.sees(last_words(MANY))
            program.settle()
            program.answer("go on\r", "clamp_2")
            found.append(delays(program, _KEYS_STREAMING))
    return [
        Figure.of(f"{_STREAMING}, p95, CPU", [percentile_95(each.cpu) for each in found], "ms", 50, "50 ms"),
        Figure.of(f"{_STREAMING}, p95, wall", [percentile_95(each.wall) for each in found], "ms", 50, "50 ms"),
        Figure.of(f"{_STREAMING}, median, wall", [median(each.wall) for each in found], "ms"),
    ]


_STREAMING = "key to screen while a reply streams"


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name), _ANSWERS) as url:
        environ = home(name, base_url=url, model="fake-model")
        store_all(Path(environ[DATA_DIR]), {"few": FEW, "many": MANY})
        return [*_streaming(rounds, environ, Path(name)), *_idle(rounds, environ, Path(name))]
